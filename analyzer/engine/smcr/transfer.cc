// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/transfer.h"

#include "analyzer/engine/smcr/doubt.h"

namespace fabricscope::engine::smcr {

namespace {

/// The first message has nothing before it, if all was captured from the connection's begin on.
const char* doubt_of_first(const Connection& connection, const Arrival& a, Side side) {
    if (!connection.from[side].from_start) return doubt::began_before;
    if (a.gaps[side] != 0) return doubt::missing;
    return a.one_interface ? nullptr : doubt::unsure_order;
}

}  // namespace

const char* Transfer::doubt_of_sender() const {
    if (late()) return doubt::out_of_order;
    if (mine.frame == 0) return doubt_of_first(connection, a, a.from);
    return a.gaps[a.from] == mine.gaps ? nullptr : doubt::missing;
}

// Whatever the sender knows of its peer has passed the point of capture before, wherever that is.
const char* Transfer::doubt_of_peer() const {
    const Side peer = other(a.from);
    if (!connection.setup.confirm && !connection.midstream) return "CONFIRM had not been captured";
    if (peers.frame == 0) return doubt_of_first(connection, a, peer);
    if (!connection.from[peer].from_start) return doubt::began_before;
    if (peers.moves()) return "the peer was moving to another link";
    if (a.gaps[peer] != peers.gaps) return doubt::missing;
    return a.packet->interface == peers.interface ? nullptr : doubt::unsure_order;
}

}  // namespace fabricscope::engine::smcr
