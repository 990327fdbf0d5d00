// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down what the rules of FC-AE-RDMA say of the traffic.
#pragma once

#include <string>

#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "analyzer/engine/verdicts.h"

namespace fabricscope::engine::fc_ae_rdma {

/// What a finding is about: the id of a message, of a login or of an Exchange; 0 = none.
struct Subject {
    std::uint64_t message = 0;
    std::uint32_t login = 0, exchange = 0;
};
/// "fc-ae-rdma-1", "login-1", "xchg-1"
inline std::string to_string(Subject subject) {
    if (subject.message != 0) return "fc-ae-rdma-" + std::to_string(subject.message);
    if (subject.login != 0) return "login-" + std::to_string(subject.login);
    return subject.exchange == 0 ? std::string() : "xchg-" + std::to_string(subject.exchange);
}

using Verdicts = VerdictsOf<RuleRef, Subject, Options, Observer, Model>;

}  // namespace fabricscope::engine::fc_ae_rdma
