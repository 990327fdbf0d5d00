// SPDX-License-Identifier: GPL-2.0-or-later
// Mutated runs against a peer, one after the other, until it is not well any more; and which of the mutations it was.
// Knows nothing of how a peer is reached.
#pragma once

#include "replay/mutation/mutation.h"

namespace fabricscope::replay {

/// What a campaign can do to a peer.
struct MutatedPeer {
    /// Plays the session with these mutations.
    std::function<void(const std::vector<Mutation>&)> play;
    /// Asks whether the peer is as well as before.
    std::function<bool()> is_healthy;
    /// Brings it up again. False: it cannot be. Empty: nobody knows how.
    std::function<bool()> restart;
    std::function<bool()> stop;                   ///< whether to end; may be empty
    std::function<void(std::size_t run)> on_run;  ///< for progress; may be empty
};

struct CampaignSettings {
    std::uint64_t seed = 1;
    std::size_t runs = 100;
    std::size_t mutations = 3;  ///< of a run, at most
};

/// A peer that was not well after a run.
struct Death {
    std::size_t run = 0;  ///< from 1
    std::vector<Mutation> mutations;
    bool minimal = false;     ///< without any of these it lives
    bool reproduced = false;  ///< these have been seen to do it again
};

struct CampaignResult {
    std::size_t runs = 0;  ///< that were played
    std::vector<Death> deaths;
    std::string ended;  ///< why there are fewer runs than wanted; empty if there are not
};

/// The mutations of run number `run`, from 1: the same whatever came before.
std::vector<Mutation> mutations_of(
    const Conversation& recorded, Side played, const CampaignSettings& settings, std::size_t run);

CampaignResult run_campaign(
    const Conversation& recorded, Side played, const CampaignSettings& settings, const MutatedPeer& peer);

}  // namespace fabricscope::replay
