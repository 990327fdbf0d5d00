// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/waiting_room.h"

namespace fabricscope::engine::smcr {

bool WaitingRoom::expects(const capture::Packet& packet) const {
    if (packets_.size() >= most_waiting) return false;
    const auto between_same_ports = [&](const HeldPacket& held) {
        return (held.source() == packet.source && held.destination() == packet.destination) ||
               (held.source() == packet.destination && held.destination() == packet.source);
    };
    return std::ranges::any_of(packets_, between_same_ports) || begins_link(packet);
}

void WaitingRoom::hold(WaitingData data) {
    if (data_.size() >= most_waiting) data_.pop_front();
    data_.push_back(std::move(data));
}

}  // namespace fabricscope::engine::smcr
