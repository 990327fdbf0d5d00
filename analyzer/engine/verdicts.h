// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of a protocol say of the traffic.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine {

/// `Rule` is the RuleIn of the protocol's catalogue; to_string(Subject) says what a finding is about; Options hold the
/// profile and limits; Model is a RuleRecord and more.
template <class Rule, class Subject, class Options, class Observer, class Model> class VerdictsOf {
public:
    using Frames = std::vector<std::uint64_t>;

    VerdictsOf(const Options& options, Observer& observer, Model& model)
        : options_(options), observer_(observer), model_(model) {}

    void satisfied(Rule rule) { ++tally(rule).satisfied; }

    void undecided(Rule rule, UndecidedReason why) {
        Tally& t = tally(rule);
        ++t.undecided;
        if (!t.why) t.why = why;
    }

    /// `frames` is the evidence; the last one broke the rule.
    void broken(typename Rule::OfMessages rule, Frames frames, Subject subject, std::string text) {
        note({&*rule, std::move(frames), to_string(subject), std::move(text)}, rule);
    }
    /// The same of any rule, which is undecided if there is a doubt.
    void broken(Rule rule, const Doubt& doubt, Frames frames, Subject subject, std::string text) {
        if (doubt) return undecided(rule, *doubt);
        note({&*rule, std::move(frames), to_string(subject), std::move(text)}, rule);
    }

    /// The last one of `frames` was not answered as it should have been.
    void unanswered(Rule rule, const Doubt& doubt, Frames frames, Subject subject, std::string text) {
        if (doubt) return undecided(rule, *doubt);
        note({&*rule, std::move(frames), to_string(subject), std::move(text), true}, rule);
    }

    /// Whether the rule is broken as Linux does it, and not judged by the standard's words alone, which is counted.
    bool waives(Rule rule) {
        if (options_.profile == Profile::standard) return false;
        ++tally(rule).waived;
        return true;
    }
    /// broken() of what Linux is known to do: an error only to a strict profile.
    void deviation(typename Rule::OfMessages rule, Frames frames, Subject subject, std::string text) {
        if (!waives(rule)) broken(rule, std::move(frames), subject, std::move(text));
    }
    void deviation(Rule rule, const Doubt& doubt, Frames frames, Subject subject, std::string text) {
        if (doubt) return undecided(rule, *doubt);
        if (!waives(rule)) broken(rule, doubt, std::move(frames), subject, std::move(text));
    }

private:
    void note(const Finding& finding, Rule rule) {
        ++tally(rule).broken;
        observer_.on_finding(finding);
        if (model_.findings.size() >= options_.limits.findings) return void(++model_.dropped_findings);
        if (kept_[std::string(finding.rule->id) + ' ' + finding.session]++ < options_.limits.findings_of_a_kind)
            return model_.findings.push_back(finding);
        ++model_.dropped_findings;
        ++model_.further_findings;
    }

    Tally& tally(Rule rule) { return model_.tallies[rule.position()]; }

    const Options& options_;
    Observer& observer_;
    Model& model_;
    std::unordered_map<std::string, std::uint32_t> kept_;  ///< findings by rule and subject
};

}  // namespace fabricscope::engine
