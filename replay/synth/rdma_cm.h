// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol rdma-cm: a client and a server with RDMA adapters.
#pragma once

#include "replay/stack/ib/rdma_peer.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// What both sides report besides the frames.
struct RdmaCmAccounts {
    std::vector<stack::RdmaPeerAccount> client, server;
    stack::Adapter::Congestion client_congestion, server_congestion;
};

/// `accounts` may be null.
Recording run_rdma_cm(const Scenario& scenario, RdmaCmAccounts* accounts);

}  // namespace fabricscope::synth
