// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol smc-r: a client and a server that speak SMC-R over TCP and RoCE.
#pragma once

#include "replay/stack/smcr/peer.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// What both sides report besides the frames.
struct SmcrAccounts {
    std::vector<stack::smcr::PeerAccount> client, server;
};

/// `accounts` may be null.
Recording run_smcr(const Scenario& scenario, SmcrAccounts* accounts);

}  // namespace fabricscope::synth
