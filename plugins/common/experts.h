// SPDX-License-Identifier: GPL-2.0-or-later
// Expert infos: those that every protocol has, and the engine's findings among them.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "plugins/common/frame_notes.h"
#include "plugins/common/wireshark_compat.h"
#include "protocols/layout/error.h"

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
    const char* name;  ///< behind the protocol's: "late" becomes "smcr.late"
    int group;
    int severity;
    const char* summary;
};

/// Collects expert infos and registers them. Lives as long as the process.
class ExpertRegistry {
public:
    /// `protocol` is the protocol's filter name.
    explicit ExpertRegistry(const char* protocol) : protocol_(protocol) {}

    /// `id` is set by register_with() and outlives the registry.
    void add(expert_field& id, const ExpertKind& kind);
    void add(Experts& common);
    void register_with(int protocol);

private:
    std::string protocol_;
    std::deque<std::string> names_;
    std::vector<ei_register_info> infos_;
};

/// Nothing if there is no error. `tree` is the message's.
void add_error(packet_info* pinfo, proto_tree* tree, Experts& experts, const layout::ParseError& error);

/// The engine's findings, which `fabricscope analyze` lists as well; `id` is the field for a rule's id.
void add_findings(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, int id, Experts& experts,
    std::span<const FrameNotes::Broken> broken);

}  // namespace fabricscope::plugin
