// SPDX-License-Identifier: GPL-2.0-or-later
// What else a frame may look like where it is captured.
#pragma once

#include <vector>

#include "protocols/layout/types.h"

namespace fabricscope::variants {

enum class Way : std::uint8_t {
    as_sent,
    routed,  ///< behind a router: other MAC addresses, a hop less
    tagged,  ///< on a trunk: with a VLAN tag
    vxlan,   ///< mirrored in a tunnel
    erspan,
};

/// An Ethernet frame as it looks on that way.
std::vector<std::uint8_t> seen_by(Way way, ByteView frame);

}  // namespace fabricscope::variants
