// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos: those that every protocol has, and the engine's findings among them.
#pragma once

#include <array>
#include <span>

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
    const char* name;  ///< behind the protocol's: "late" becomes "smcr.late"
    int group;
    int severity;
    const char* summary;
};

/// Those of `common` and `more`, of the protocol with this id and filter name. To be called once for each.
void register_experts(int protocol, const char* filter, Experts& common, std::span<const ExpertKind> more);

}  // namespace fabricscope::plugin
