// SPDX-License-Identifier: GPL-2.0-or-later
// What the plugin has registered with Wireshark: protocol, fields, subtrees, expert infos.
#pragma once

#include <array>
#include <string_view>

#include "analyzer/engine/finding.h"
#include "analyzer/engine/smcr/generated_fields.h"
#include "plugins/common/fields.h"
#include "plugins/common/tree.h"

namespace fabricscope::plugin {

struct Fields {
    int protocol = -1;
    int subtree = -1;
    FieldRegistry registry;
    TreeBuilder::Ids tree{-1, EI_INIT};
    std::array<int, engine::smcr::generated_fields.size()> generated{};
    expert_field malformed = EI_INIT;
    expert_field cut = EI_INIT;
    expert_field retransmission = EI_INIT;
    expert_field late = EI_INIT;
    expert_field rfc_add_link = EI_INIT;
    std::array<expert_field, 3> finding{{EI_INIT, EI_INIT, EI_INIT}};  ///< by engine::Severity
};

/// Where `filter` stands in generated_fields.
consteval std::size_t generated_index(std::string_view filter) {
    for (std::size_t i = 0; i < engine::smcr::generated_fields.size(); ++i)
        if (filter == engine::smcr::generated_fields[i].filter) return i;
    throw "no such generated field";
}

Fields& fields();
void register_fields();

}  // namespace fabricscope::plugin
