// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the way from ADD LINK over ADD LINK CONTINUATION to CONFIRM LINK on the new link
// (RFC 7609, 3.5.1.6, 3.5.5.2.3 and 3.5.5.3), and of the data that wait for it on first contact.
//
// As in exchange_rules.h, that a side was too early is proven by what it should have waited for passing
// the point of capture later.
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class AddLinkRules {
public:
    AddLinkRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_llc(const Arrival& a, const wire::LlcMessage& message);
    void on_reply(const Arrival& a, const wire::LlcMessage& message);

    /// Whether the next data still matter.
    bool on_data(const Arrival& a);

    void finish();

private:
    /// From ADD LINK to the reply to CONFIRM LINK.
    struct Addition {
        bool open = false;
        bool accepted = false;
        std::uint8_t number = 0;
        std::uint8_t taken_for = 0;  ///< number under which the client accepts the link; another one than `number`
                                     ///< breaks SMCR-R25, and nothing else
        std::uint8_t before = 0;     ///< number of the link that was offered before; 0: none
        FrameStamp step;             ///< of the request
        std::uint32_t carrier = 0;
        PerSide<std::uint32_t> gaps;
        PerSide<FrameStamp> early;  ///< a serialized request of this side in between
        FrameStamp agreed;          ///< the server's positive reply to CONFIRM RKEY in between
        PerSide<std::optional<unsigned>> rtokens_left;

        bool is_about(std::uint8_t link) const { return link == number || (accepted && link == taken_for); }
    };
    /// On first contact.
    struct FirstData {
        PerSide<bool> judged;
        PerSide<FrameStamp> early;
        bool attempted = false;  ///< a second link was added or refused
        FrameStamp confirmed;    ///< CONFIRM LINK of the first link
    };
    struct Group {
        Addition addition;
        FirstData first_data;
    };

    static bool answers(const Addition& addition, const wire::AddLink& reply);
    void begin(const Arrival& a, const wire::AddLink& request);
    void note_early(const Arrival& a, const wire::LlcMessage& message);
    void judge_early(const Arrival& a, Side side);
    void judge_early_data(const Arrival& a, Side side);
    void accuse_untried(const Arrival& a, const FirstData& first);
    void accuse_early(const Arrival& a, const Addition& addition);
    static std::string early_data_text(Side side, const Addition& addition);
    void judge_agreement(const Arrival& a);
    void end(const Arrival& a);
    void drop_early(std::uint32_t group, UndecidedReason why);
    void judge_data(const Arrival& a, Group& of);
    void judge_rtokens(const Arrival& a, const wire::AddLinkContinuationMessage& message);
    void accuse_unannounced(const Arrival& a);
    void judge_references(
        const Arrival& a, const layout::List<wire::RkeyPair>& pairs, std::size_t used,
        std::optional<UndecidedReason> why);
    /// With the ADD LINK that it belongs to.
    std::vector<std::uint64_t> frames_up_to(const Arrival& a);
    void broken_rtokens(const Arrival& a, std::string text);

    const LinkGroup& group(const Arrival& a) const { return model_.link_groups[a.group - 1]; }

    const Model& model_;
    Verdicts& verdicts_;
    PerId<Group> of_;
};

}  // namespace fabricscope::engine::smcr
