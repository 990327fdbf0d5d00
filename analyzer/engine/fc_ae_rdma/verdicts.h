// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of FC-AE-RDMA say of the traffic.
#pragma once

#include <string>

#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "analyzer/engine/verdicts.h"

namespace fabricscope::engine::fc_ae_rdma {

/// What a finding is about: a message's id, 0 = none.
struct Subject {
    std::uint64_t message;
};
/// "fc-ae-rdma-1"
inline std::string to_string(Subject subject) {
    return subject.message == 0 ? std::string() : "fc-ae-rdma-" + std::to_string(subject.message);
}

using Verdicts = VerdictsOf<RuleName, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::fc_ae_rdma
