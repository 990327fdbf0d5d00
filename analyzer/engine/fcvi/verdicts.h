// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of FC-VI say of the traffic.
#pragma once

#include <string>

#include "analyzer/engine/fcvi/observer.h"
#include "analyzer/engine/fcvi/rules.h"
#include "analyzer/engine/fcvi/tracker.h"
#include "analyzer/engine/verdicts.h"

namespace fabricscope::engine::fcvi {

/// What a finding is about: a connection's id, 0 = none.
struct Subject {
    std::uint32_t connection;
};
/// "fcvi-1"
inline std::string to_string(Subject subject) {
    return subject.connection == 0 ? std::string() : "fcvi-" + std::to_string(subject.connection);
}

using Verdicts = VerdictsOf<RuleRef, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::fcvi
