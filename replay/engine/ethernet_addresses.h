// SPDX-License-Identifier: GPL-2.0-or-later
// The Ethernet addresses of both sides, as far as a capture has them: a cooked one (-i any) has the sender's only, raw
// IP and what came out of a tunnel have none.
#pragma once

#include "analyzer/engine/sides.h"
#include "capture/packet.h"

namespace fabricscope::replay {

/// `known`: zeros are not known.
inline void learn_addresses(engine::PerSide<Mac>& known, engine::Side from, const capture::Packet& packet) {
    if (packet.source_mac != Mac{}) known[from] = packet.source_mac;
    Mac& peer = known[engine::other(from)];
    if (peer == Mac{}) peer = packet.destination_mac;
}

/// A run needs both: locally administered ones stand in for those that nothing tells.
inline void complete_addresses(engine::PerSide<Mac>& known) {
    for (const engine::Side side : {engine::Side::client, engine::Side::server})
        if (known[side] == Mac{})
            known[side] = {{2, 0, 0, 0, 0, side == engine::Side::client ? std::uint8_t{1} : std::uint8_t{2}}};
}

}  // namespace fabricscope::replay
