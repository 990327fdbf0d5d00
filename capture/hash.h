// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers by which equal octets are found again within one run. They depend on the machine, and are no defence against
// those who make collisions.
#pragma once

#include <bit>
#include <cstring>

#include "protocols/layout/types.h"

namespace fabricscope::capture {

constexpr std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
    return std::rotl(a * 0x9E37'79B9'7F4A'7C15, 31) ^ b;
}

inline std::uint64_t hash_of(ByteView octets) {
    std::uint64_t hash = octets.size(), word = 0;
    for (; octets.size() >= sizeof word; octets = octets.subspan(sizeof word)) {
        std::memcpy(&word, octets.data(), sizeof word);
        hash = combine(hash, word);
    }
    word = 0;
    if (!octets.empty()) std::memcpy(&word, octets.data(), octets.size());
    return combine(hash, word);
}

}  // namespace fabricscope::capture
