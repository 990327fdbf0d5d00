// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as captures show them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fabricscope::test {

/// "0a FF 01": two digits an octet, blanks anywhere.
inline std::vector<std::uint8_t> from_hex(std::string_view text) {
    std::vector<std::uint8_t> octets;
    int high = -1;
    for (const char c : text) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c - 'A' + 10;
        if (c == ' ') continue;
        if (high < 0) high = digit;
        else octets.push_back(static_cast<std::uint8_t>(high * 16 + digit)), high = -1;
    }
    return octets;
}

}  // namespace fabricscope::test
