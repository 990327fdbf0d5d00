// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos: those that every protocol has, and the engine's findings among them.
#pragma once

#include <array>
#include <span>

#include "analyzer/engine/generated_field.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

/// What can be said of any message.
struct Experts {
    expert_field malformed = EI_INIT;
    expert_field cut = EI_INIT;
    expert_field reserved_set = EI_INIT;
    expert_field retransmission = EI_INIT;
    expert_field late = EI_INIT;
    std::array<expert_field, 3> finding{{EI_INIT, EI_INIT, EI_INIT}};  ///< by engine::Severity
};

struct ExpertKind {
    expert_field* id;  ///< set when it is registered
    /// Its name and its text, from the table of the protocol's generated fields.
    const engine::GeneratedField& field;
    int group;
    int severity;
};

/// As Wireshark registers it, with a description among the fields.
ei_register_info expert_info_of(
    expert_field& id, const char* name, int group, int severity, const char* summary, const char* description);

/// Those of `common` and `more`, of the protocol with this id and filter name. To be called once for each.
void register_experts(int protocol, const char* filter, Experts& common, std::span<const ExpertKind> more);

}  // namespace fabricscope::plugin
