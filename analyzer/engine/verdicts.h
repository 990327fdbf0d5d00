// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of a protocol say of the traffic.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine {

/// `Name` counts the rules of the protocol's table, and rule(Name) is the rule; to_string(Subject) says
/// what a finding is about; Options hold the profile and limits; Model is a RuleRecord and more.
template <class Name, class Subject, class Options, class Observer, class Model> class VerdictsOf {
public:
    VerdictsOf(const Options& options, Observer& observer, Model& model)
        : options_(options), observer_(observer), model_(model) {}

    void held(Name name) { ++tally(name).held; }

    /// `why` completes "undecided because ..." and lives for ever.
    void undecided(Name name, const char* why) {
        Tally& t = tally(name);
        ++t.undecided;
        if (t.why == nullptr) t.why = why;
    }

    /// `frames` is the evidence; the last one broke the rule.
    void broken(Name name, std::vector<std::uint64_t> frames, Subject subject, std::string text) {
        ++tally(name).broken;
        const Finding finding{&rule(name), std::move(frames), to_string(subject), std::move(text)};
        observer_.on_finding(finding);
        const bool room = model_.findings.size() < options_.limits.findings;
        if (room && kept_[std::string(finding.rule->id) + ' ' + finding.session]++ < options_.limits.findings_of_a_kind)
            model_.findings.push_back(finding);
        else ++model_.dropped_findings;
    }

    /// The same where Linux is known to do so: an error only to a strict profile.
    void habit(Name name, std::vector<std::uint64_t> frames, Subject subject, std::string text) {
        if (options_.profile == Profile::standard) broken(name, std::move(frames), subject, std::move(text));
        else ++tally(name).excused;
    }

private:
    Tally& tally(Name name) { return model_.tallies[static_cast<std::size_t>(name)]; }

    const Options& options_;
    Observer& observer_;
    Model& model_;
    std::unordered_map<std::string, std::uint32_t> kept_;  ///< findings by rule and subject
};

}  // namespace fabricscope::engine
