// SPDX-License-Identifier: GPL-2.0-or-later
// Says of an arriving frame whether it keeps a rule.
#pragma once

#include "analyzer/engine/fcvi/arrival.h"
#include "analyzer/engine/fcvi/verdicts.h"

namespace fabricscope::engine::fcvi {

class Judge {
public:
    explicit Judge(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// `text()` is asked only if the rule is broken. `earlier` is evidence besides the frame itself.
    template <class Text>
    void operator()(
        RuleRef::OfMessages rule, bool kept, const Arrival& a, Text&& text, std::vector<std::uint64_t> earlier = {}) {
        if (kept) return verdicts_.satisfied(rule);
        earlier.push_back(a.seen.number);
        verdicts_.broken(rule, std::move(earlier), {a.exchange.connection}, text());
    }
    /// The same, but what looks like a breach is none as long as the capture lacks what tells it from a healthy
    /// Exchange.
    template <class Text>
    void unless(
        const Doubt& lack, RuleRef rule, bool kept, const Arrival& a, Text&& text,
        std::vector<std::uint64_t> earlier = {}) {
        if (kept) return verdicts_.satisfied(rule);
        if (lack) return verdicts_.undecided(rule, *lack);
        earlier.push_back(a.seen.number);
        verdicts_.broken(rule, lack, std::move(earlier), {a.exchange.connection}, text());
    }
    void satisfied(RuleRef rule) { verdicts_.satisfied(rule); }
    void undecided(RuleRef rule, UndecidedReason why) { verdicts_.undecided(rule, why); }
    void broken(
        RuleRef::OfMessages rule, std::vector<std::uint64_t> frames, std::uint32_t connection, std::string text) {
        verdicts_.broken(rule, std::move(frames), {connection}, std::move(text));
    }
    void broken(
        RuleRef rule, const Doubt& doubt, std::vector<std::uint64_t> frames, std::uint32_t connection,
        std::string text) {
        verdicts_.broken(rule, doubt, std::move(frames), {connection}, std::move(text));
    }
    void unanswered(
        RuleRef rule, const Doubt& doubt, std::vector<std::uint64_t> frames, std::uint32_t connection,
        std::string text) {
        verdicts_.unanswered(rule, doubt, std::move(frames), {connection}, std::move(text));
    }

private:
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::fcvi
