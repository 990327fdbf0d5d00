// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of SMC-R say of the traffic.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"
#include "analyzer/engine/smcr/rules.h"
#include "analyzer/engine/smcr/tracker.h"
#include "analyzer/engine/verdicts.h"

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

using Verdicts = VerdictsOf<RuleRef, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::smcr
