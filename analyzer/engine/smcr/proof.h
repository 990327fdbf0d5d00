// SPDX-License-Identifier: GPL-2.0-or-later
// Findings that say what a side has not sent. That a packet is missing from the capture shows only when its sender's
// next one is seen, whose PSN tells: until then such a finding waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

/// Links of a group as bits, by their index in LinkGroup::links; those beyond share one.
using LinkSet = std::uint32_t;
inline LinkSet link_set_of(std::uint32_t link) { return LinkSet{1} << std::min(link, 31U); }

/// A rule that is broken if `silent` has sent nothing that was not captured.
struct Accusation {
    RuleRef rule;
    std::vector<std::uint64_t> frames;  ///< the evidence; the last one broke the rule
    Subject subject;
    std::string text;
    Side silent{};
    bool deviation = false;    ///< as Linux does it
    bool by_silence = false;   ///< the last frame should have been answered
    bool on_any_link = false;  ///< where the silent side may have spoken
};

/// The accusations of a link group that wait for proof.
class Proof {
public:
    /// unless_unseen() reports what is accused once the silent side has been heard again on all of `links`, where it
    /// may have spoken, without a gap on any link. `gaps` is what of it is known to be missing.
    void unless_unseen(Verdicts& verdicts, Accusation accusation, LinkSet links, std::uint32_t gaps) {
        if (waiting_.size() >= most) return verdicts.undecided(accusation.rule, UndecidedReason::not_remembered);
        waiting_.push_back({std::move(accusation), links, gaps, false});
    }

    /// on_request() takes in a request that `from` sent for the first time on `link` in `frame`; `gaps` counts what of
    /// this side is known to be missing, a gap before this packet included.
    void on_request(Verdicts& verdicts, LinkSet link, Side from, std::uint32_t gaps, std::uint64_t frame) {
        if (waiting_.empty()) return;
        std::erase_if(waiting_, [&](Waiting& waiting) {
            if (waiting.accusation.silent != from) return false;
            const Doubt why = doubt(waiting, gaps, frame);
            waiting.heard |= (waiting.links & link) != 0;
            waiting.links &= ~link;
            if (!why && waiting.links != 0) return false;
            report(verdicts, waiting.accusation, why);
            return true;
        });
    }

    /// drop() ends all waiting: no proof will come. `why` is not the reason where the side has been heard again, but
    /// not everywhere.
    void drop(Verdicts& verdicts, UndecidedReason why) {
        for (const Waiting& waiting : waiting_)
            verdicts.undecided(waiting.accusation.rule, waiting.heard ? UndecidedReason::another_link : why);
        waiting_.clear();
    }

    void swap_sides() {
        for (Waiting& waiting : waiting_) waiting.accusation.silent = other(waiting.accusation.silent);
    }

private:
    static constexpr std::size_t most = 64;

    struct Waiting {
        Accusation accusation;
        LinkSet links;  ///< on which the side has not been heard again
        std::uint32_t gaps;
        bool heard;  ///< on another one of them
    };

    /// What was sent before, but had to wait until its link was known, was not there to be judged.
    static Doubt doubt(const Waiting& waiting, std::uint32_t gaps, std::uint64_t frame) {
        if (waiting.gaps != gaps) return UndecidedReason::frames_missing;
        return doubt_if(frame < waiting.accusation.frames.back(), UndecidedReason::out_of_order);
    }

    static void report(Verdicts& verdicts, Accusation& a, const Doubt& why) {
        if (a.deviation) verdicts.deviation(a.rule, why, std::move(a.frames), a.subject, std::move(a.text));
        else if (a.by_silence) verdicts.unanswered(a.rule, why, std::move(a.frames), a.subject, std::move(a.text));
        else verdicts.broken(a.rule, why, std::move(a.frames), a.subject, std::move(a.text));
    }

    std::vector<Waiting> waiting_;
};

}  // namespace fabricscope::engine::smcr
