// SPDX-License-Identifier: GPL-2.0-or-later
// What an emulated port is to do, taken from a recording: a part for each protocol.
#pragma once

#include "replay/engine/believable.h"
#include "replay/engine/fc/emulated_port.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

// ---- what all parts need ---------------------------------------------------------------------------

/// What a side has received in the recording.
class Heard {
public:
    Heard(const Recording& recording, Side side);

    /// How many Sequences the other side had sent before this message (up to their number), but for those that got
    /// lost.
    std::size_t before(std::size_t message) const { return before_[message]; }
    /// Whether a message of the other side got lost: it was not answered, and its Exchange was aborted.
    bool is_lost(std::size_t message) const { return lost_[message]; }

private:
    std::vector<bool> lost_;
    std::vector<std::size_t> before_;
};

/// Adds steps of one side to a port. `track`: the next one that is free. All throw NotPlayable.
struct Plan {
    const Recording& recording;
    Side side{};
    EmulatedPort& port;
    const Heard& heard;
    std::vector<Step> steps{};
    std::size_t track = 0;
    std::uint64_t room = believable_octets(recording.conversation);  ///< for what is read

    void take_room(std::uint64_t octets) {
        if (octets > room) throw NotPlayable("what is read is too large to be emulated");
        room -= octets;
    }
};
void add_rdma(Plan& plan);
void add_vis(Plan& plan, const std::vector<std::vector<FcviExchange>>& connections);
void add_logins(Plan& plan, const Gid& remote_ip);

// ---- before the port is there ----------------------------------------------------------------------

/// The service parameters of both ports in recorded logins.
void configure_logins(
    const Recording& recording, Side side, stack::fibre_channel::NPortConfig& port,
    stack::fibre_channel::RemotePort& remote);
/// Whether the recording has the login that all else in it needs.
bool begins_with_login(const Recording& recording);
/// Port_Name and IP address of both, and what the Provider is like. `connections` are not empty.
void configure_vi(
    const Recording& recording, Side side, const std::vector<std::vector<FcviExchange>>& connections,
    EmulatedPortConfig& config, stack::fibre_channel::RemotePort& remote, Gid& remote_ip);

}  // namespace fabricscope::replay::fibre_channel
