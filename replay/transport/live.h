// SPDX-License-Identifier: GPL-2.0-or-later
// A player against a live peer, on the real clock.
#pragma once

#include "replay/engine/run.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {

struct LiveLimits {
    Time most = 600 * capture::second;     ///< of the whole run
    Time patience = 10 * capture::second;  ///< without a frame of the peer while the player, too, has no plans
    std::size_t frames = 1'000'000;        ///< kept and sent
    unsigned frames_per_second = 50'000;   ///< sent at most, in bursts of a hundredth of it
    std::function<bool()> stop{};          ///< asked now and then: whether the run is to be broken off; may be empty
    stack::FaultPolicy faults{};           ///< on the way, both ways; may be empty
    std::uint64_t seed = 1;                ///< of chance in it
};

/// Ends when all has been played, the patience is over, the run is broken off, or the transport fails. Whichever it is,
/// the peer is left without anything that the run began, as far as it can be reached. Run::refusal tells that there was
/// no peer to play against.
Run run_live(AttachedPlayer player, Transport& transport, const LiveLimits& limits);

}  // namespace fabricscope::replay
