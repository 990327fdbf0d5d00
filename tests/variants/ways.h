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

/// Whether an Ethernet frame comes there: what is for the other end of a link (MAC control) passes no router.
bool is_seen_by(Way way, ByteView frame);
/// As it looks there.
std::vector<std::uint8_t> seen_by(Way way, ByteView frame);

}  // namespace fabricscope::variants
