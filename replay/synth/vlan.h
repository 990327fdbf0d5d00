// SPDX-License-Identifier: GPL-2.0-or-later
// Frames in a VLAN.
#pragma once

#include <vector>

#include "protocols/layout/parts.h"
#include "protocols/net/headers.h"

namespace fabricscope::synth {

/// 4,095 is reserved (IEEE 802.1Q); 0 is a priority without a VLAN.
inline constexpr std::uint64_t last_vlan = 4094;

/// Puts an 802.1Q tag behind the addresses of an Ethernet frame.
inline void insert_vlan_tag(std::vector<std::uint8_t>& frame, std::uint16_t vlan) {
    constexpr std::size_t place = 2 * sizeof(Mac), ether_type = 2;
    if (frame.size() < place + ether_type) return;
    // The tag's type is that of what follows, and its own stands where that was.
    const std::uint16_t type = static_cast<std::uint16_t>(frame[place] << 8 | frame[place + 1]);
    const std::vector<std::uint8_t> tag = layout::octets_of(net::VlanTag{0, false, vlan, type});
    frame[place] = net::ether_type_vlan >> 8;
    frame[place + 1] = net::ether_type_vlan & 0xFF;
    frame.insert(frame.begin() + place + ether_type, tag.begin(), tag.end());
}

}  // namespace fabricscope::synth
