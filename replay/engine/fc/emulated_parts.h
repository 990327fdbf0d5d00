// SPDX-License-Identifier: GPL-2.0-or-later
// What an emulated port is to do, taken from a recording: a part for each protocol.
#pragma once

#include "replay/engine/fc/emulated_port.h"

namespace fabricscope::replay::fibre_channel {

// ---- what all parts need ---------------------------------------------------------------------------

/// The messages of an Exchange, in order.
std::vector<std::size_t> messages_of(const Recording& recording, std::size_t exchange);
/// How many Sequences the other side had sent before this message, but for those that got lost.
std::size_t received_before(const Recording& recording, Side side, std::size_t message);
/// Whether a message of the other side got lost: it was not answered, and its Exchange was aborted.
bool is_lost(const Recording& recording, Side side, std::size_t message);

/// Adds steps of one side to a port. `track`: the next one that is free. All throw NotPlayable.
struct Plan {
    const Recording& recording;
    Side side{};
    EmulatedPort& port;
    std::vector<Step> steps{};
    std::size_t track = 0;
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
