// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of RDMA say of the traffic.
#pragma once

#include <string>

#include "analyzer/engine/rdma/observer.h"
#include "analyzer/engine/rdma/rules.h"
#include "analyzer/engine/rdma/tracker.h"
#include "analyzer/engine/verdicts.h"

namespace fabricscope::engine::rdma {

/// What a finding is about: a stream's id.
struct Subject {
    std::uint32_t stream;
};
inline std::string to_string(Subject subject) { return stream_name(subject.stream); }

using Verdicts = VerdictsOf<RuleRef, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::rdma
