// SPDX-License-Identifier: GPL-2.0-or-later
// How often a requester asks again, and when.
#pragma once

#include <array>
#include <cstdint>

namespace fabricscope::ib {

/// After timeouts in a row: a retry count has three bits (IBA 9.9.2.1.3).
inline constexpr std::uint32_t most_retries = 7;

/// How long an RNR NAK asks the requester to wait, by AethSyndrome::value (IBA 9.7.5.2.8, table 45).
constexpr std::uint32_t rnr_timer_microseconds(std::uint8_t code) {
    constexpr std::array<std::uint32_t, 32> tens{
        65'536, 1,   2,   3,   4,     6,     8,     12,    16,    24,    32,    48,     64,     96,     128,    192,
        256,    384, 512, 768, 1'024, 1'536, 2'048, 3'072, 4'096, 6'144, 8'192, 12'288, 16'384, 24'576, 32'768, 49'152};
    return tens[code & 0x1F] * 10;
}

}  // namespace fabricscope::ib
