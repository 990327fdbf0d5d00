// SPDX-License-Identifier: GPL-2.0-or-later
// What the plugin has registered with Wireshark: protocol, fields, subtrees, expert infos.
#pragma once

#include <array>

#include "analyzer/engine/fc_ae_rdma/generated_fields.h"
#include "plugins/common/experts.h"
#include "plugins/common/fields.h"
#include "plugins/common/generated.h"

namespace fabricscope::plugin {

/// In the column and wherever Wireshark names protocols.
inline constexpr const char* kProtocolName = "FC-AE-RDMA";

struct Fields {
    int protocol = -1;
    int subtree = -1;
    int segments_subtree = -1;
    int other_subtree = -1;  ///< of a frame that is not FCP's, but concerns the message's Exchange
    FieldRegistry registry;
    int octets = -1;
    std::array<int, engine::fc_ae_rdma::generated_fields.size()> generated{};
    Experts experts;
    expert_field failed = EI_INIT;
};

Fields& fields();
/// Of a generated field.
inline int id_of(GeneratedName<engine::fc_ae_rdma::generated_fields> name) { return fields().generated[name.index]; }

void register_fields();

}  // namespace fabricscope::plugin
