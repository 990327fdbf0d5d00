// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol fcvi: a client and a server, or two peers, with FC-VI Providers.
#pragma once

#include "replay/stack/fc/vi/vi_peer.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// What the applications of both sides report besides the frames.
struct FcviAccounts {
    std::vector<stack::ViAccount> client, server;
};

/// `accounts` may be null.
Recording run_fcvi(const Scenario& scenario, FcviAccounts* accounts);

/// A scenario's server on its own, for a client that is somebody else: an N_Port on FCoE, point to point.
struct FcviServer {
    std::unique_ptr<stack::ViPeer> host;      ///< not started so far
    stack::fibre_channel::HostConfig client;  ///< of the client that the scenario has
};
/// Throws ScenarioError.
FcviServer fcvi_server(const Scenario& scenario);

}  // namespace fabricscope::synth
