// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "protocols/net/headers.h"

namespace fabricscope::replay {

/// Where what an Ethernet frame carries begins.
inline constexpr std::size_t frame_offset = layout::size_of<net::Ethernet>;

inline bool is_of_a_host(const Mac& mac) { return (mac.octets[0] & 1) == 0 && mac != Mac{}; }

/// Of a frame that is as long as the header, at least.
inline net::Ethernet header_of(ByteView frame) {
    net::Ethernet header{};
    layout::parse_into(header, frame);
    return header;
}

}  // namespace fabricscope::replay
