// SPDX-License-Identifier: GPL-2.0-or-later
// What happens in the made captures of FC-VI and FC-AE-RDMA, and what analyze is to say of it. One table for each
// protocol is what all of them are made of: the files, their entries in samples/README.md, and the tests.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/traffic/fc_talk.h"

namespace fabricscope::traffic {

struct FcScenario {
    std::string name;     ///< of the capture; of one that breaks a rule: the rule, and which way if there are several
    std::string happens;  ///< in a sentence
    std::string clause;
    std::string result;                   ///< "outcome: what was transferred" for each connection
    std::vector<std::string> findings{};  ///< ids, as often as they are found
    std::function<std::vector<TimedFrame>()> make;
    std::string options{};  ///< of analyze
};

/// Samples: what the documents describe, and the errors that they describe.
const std::vector<FcScenario>& fcvi_scenarios();
const std::vector<FcScenario>& fc_ae_rdma_scenarios();
/// Tests: each breaks one rule.
const std::vector<FcScenario>& fcvi_violations();
const std::vector<FcScenario>& fc_ae_rdma_violations();

/// The first frame of a made capture is of this time.
inline constexpr capture::Time scenario_start = 1'700'000'000 * capture::second;

}  // namespace fabricscope::traffic
