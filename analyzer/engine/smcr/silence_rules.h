// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of what is over after DELETE LINK (RFC 7609, 3.5.4 and 3.5.5.1.3).
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class SilenceRules {
public:
    SilenceRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_llc(const Arrival& a, const wire::LlcMessage& message);
    void on_reply(const Arrival& a, const wire::LlcMessage& message);

    /// Whether the next data still matter.
    bool on_data(const Arrival& a);

    void finish(Time last);

private:
    /// A link, or all of them, that nothing may use any more.
    struct Deleted {
        RuleRef rule;
        std::optional<std::uint32_t> link;  ///< nullopt: all of them
        FrameStamp since;
        bool only_asked = false;               ///< the client has not agreed: only its data are judged
        PerSide<std::optional<Time>> heard{};  ///< a side that may not have known yet
        bool judged = false;
    };
    void judge(const Arrival& a, Deleted& deleted);
    void watch(const Arrival& a, std::uint8_t number, bool only_asked);
    bool group_known(const Arrival& a) const { return model_.link_groups[a.group - 1].roles_known; }

    const Model& model_;
    Verdicts& verdicts_;
    PerId<std::vector<Deleted>> of_;
};

}  // namespace fabricscope::engine::smcr
