// SPDX-License-Identifier: GPL-2.0-or-later
// Packet sequence numbers: 24 bits, serial arithmetic (IBA 9.7.1).
#pragma once

#include <cstdint>

namespace fabricscope::ib {

inline constexpr std::uint32_t psn_mask = 0xFF'FFFF;

/// b - a in [-2^23 .. 2^23): how far `b` is ahead of `a`; negative if it is behind.
constexpr std::int32_t psn_distance(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>((b - a) << 8) >> 8;
}
constexpr std::uint32_t psn_after(std::uint32_t psn, std::uint32_t count = 1) { return (psn + count) & psn_mask; }

}  // namespace fabricscope::ib
