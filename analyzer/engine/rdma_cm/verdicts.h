// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of RDMA CM say of the traffic.
#pragma once

#include <string>

#include "analyzer/engine/rdma_cm/observer.h"
#include "analyzer/engine/rdma_cm/rules.h"
#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/verdicts.h"

namespace fabricscope::engine::rdma_cm {

/// What a finding is about: a connection's id; 0: none that is known.
struct Subject {
    std::uint32_t connection;
};
/// "cm-1"
inline std::string to_string(Subject subject) {
    return subject.connection != 0 ? "cm-" + std::to_string(subject.connection) : "";
}

using Verdicts = VerdictsOf<RuleRef, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::rdma_cm
