// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol fc-ae-rdma: an Initiator (the client) and a Target (the server).
#pragma once

#include "replay/stack/fc/ae_rdma/ae_rdma_peer.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// What both sides report besides the frames, and what the Target's memory holds at the end.
struct AeRdmaAccounts {
    stack::RdmaAccount client, server;
    std::map<std::uint8_t, stack::Octets> memory;  ///< by Logical Unit
};

/// `accounts` may be null.
Recording run_fc_ae_rdma(const Scenario& scenario, AeRdmaAccounts* accounts);

}  // namespace fabricscope::synth
