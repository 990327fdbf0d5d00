// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "capture/packet.h"
#include "protocols/fc/encapsulation.h"

namespace fabricscope::capture {

/// The VLAN in which a frame of FCoE or FIP came; 0: it has no tag, or is neither. Each such VLAN carries one fabric
/// (FC-BB-5), but the same frame may be seen with its tag and without it.
inline std::uint16_t fcoe_vlan(const Packet& packet) {
    return packet.ether_type == fc::fcoe_ether_type || packet.ether_type == fc::fip_ether_type ? packet.vlan
                                                                                               : std::uint16_t{0};
}

}  // namespace fabricscope::capture
