// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules say of the traffic.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"
#include "analyzer/engine/smcr/rules.h"
#include "analyzer/engine/smcr/tracker.h"

namespace fabricscope::engine::smcr {

/// What a finding is about.
struct Subject {
    enum class Kind : char { connection, link_group } kind;
    std::uint32_t id;

    static Subject connection(std::uint32_t id) { return {Kind::connection, id}; }
    static Subject link_group(std::uint32_t id) { return {Kind::link_group, id}; }
};
/// "smcr-1", "lg-1"
std::string to_string(Subject subject);

/// The frames of a finding: the one that breaks the rule, behind an earlier one that shows why, if there is one
/// (0 = none).
inline std::vector<std::uint64_t> frames_with(std::uint64_t earlier, std::uint64_t frame) {
    if (earlier == 0) return {frame};
    return {earlier, frame};
}

class Verdicts {
public:
    Verdicts(const Options& options, Observer& observer, Model& model)
        : options_(options), observer_(observer), model_(model) {}

    void held(RuleName name) { ++tally(name).held; }

    /// `why` completes "undecided because ..." and lives for ever.
    void undecided(RuleName name, const char* why);

    /// `frames` is the evidence; the last one broke the rule.
    void broken(RuleName name, std::vector<std::uint64_t> frames, Subject subject, std::string text);

    /// The same where Linux is known to do so: an error only to a strict profile.
    void habit(RuleName name, std::vector<std::uint64_t> frames, Subject subject, std::string text);

private:
    Tally& tally(RuleName name) { return model_.tallies[static_cast<std::size_t>(name)]; }

    const Options& options_;
    Observer& observer_;
    Model& model_;
    std::unordered_map<std::uint64_t, std::uint32_t> kept_;  ///< findings by rule and subject
};

}  // namespace fabricscope::engine::smcr
