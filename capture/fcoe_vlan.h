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

/// Which VLAN of FCoE came first: frames that have no tag belong to it.
class FcoeVlans {
public:
    /// The VLAN that the packet came in, if another one came first; 0: it came in that one, or in none that is known.
    std::uint16_t further(const Packet& packet) {
        const std::uint16_t vlan = fcoe_vlan(packet);
        if (first_ == 0) first_ = vlan;
        return vlan == first_ ? std::uint16_t{0} : vlan;
    }

private:
    std::uint16_t first_ = 0;  ///< 0 = none so far
};

}  // namespace fabricscope::capture
