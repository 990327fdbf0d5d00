// SPDX-License-Identifier: GPL-2.0-or-later
// Emulated Initiators and Targets of FC-AE-RDMA that do as recorded.
#pragma once

#include "replay/engine/fc/emulated_port.h"
#include "replay/engine/fc/recording.h"

namespace fabricscope::replay::fibre_channel {

/// Throws NotPlayable.
std::unique_ptr<stack::Endpoint> emulated_rdma(
    const Recording& recording, Side side, const stack::fibre_channel::HostConfig& config);

// ---- what emulated ports take from a recording -----------------------------------------------------

/// The other port of a run, as a login would have told it.
stack::fibre_channel::RemotePort remote_of(const Recording& recording, Side side);
/// The messages of an Exchange, in order.
std::vector<std::size_t> messages_of(const Recording& recording, std::size_t lane);
/// How many Sequences the other side had sent before this message, but for those that got lost.
std::size_t heard_before(const Recording& recording, Side side, std::size_t message);
/// Whether a message of the other side got lost: it was not answered, and its Exchange was aborted.
bool is_lost(const Recording& recording, Side side, std::size_t message);
/// All that got lost, by name, and which of that name it is, from 0.
std::set<std::pair<std::string, std::size_t>> lost_on_the_way(const Recording& recording, Side side);

}  // namespace fabricscope::replay::fibre_channel
