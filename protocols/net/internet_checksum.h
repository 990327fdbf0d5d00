// SPDX-License-Identifier: GPL-2.0-or-later
// The checksum of IPv4, TCP and UDP (RFC 1071).
#pragma once

#include <cstdint>

#include "protocols/layout/types.h"

namespace fabricscope::net {

/// The sum of big-endian 16-bit words, added to `begin`; an odd octet at the end counts as the high one. `octets`
/// are at most 65,535, as many as IP can carry: the sum does not overflow.
constexpr std::uint32_t checksum_sum(ByteView octets, std::uint32_t begin = 0) {
    for (std::size_t i = 0; i < octets.size(); ++i)
        begin += i % 2 == 0 ? static_cast<std::uint32_t>(octets[i] << 8) : octets[i];
    return begin;
}

/// What a header carries for a `sum` over everything that its checksum covers.
constexpr std::uint16_t checksum_of(std::uint32_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

}  // namespace fabricscope::net
