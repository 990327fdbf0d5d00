// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers that look random and are the same everywhere for a seed, which the standard library's distributions are not.
#pragma once

#include <cstdint>

namespace fabricscope::stack {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E37'79B9'7F4A'7C15;
        z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
        z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
        return z ^ (z >> 31);
    }
    /// 0 to `bound` - 1; the bias of the remainder does not matter for the small bounds used here.
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
    /// Both included.
    std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
    /// True in `parts` of a million cases.
    bool chance(std::uint32_t parts_per_million) {
        return parts_per_million != 0 && below(1'000'000) < parts_per_million;
    }
    std::uint32_t bits(unsigned count) { return static_cast<std::uint32_t>(next() >> (64 - count)); }
    /// A generator of its own, so that what one part draws does not depend on what another one does.
    Random split() { return Random(next()); }

private:
    std::uint64_t state_;
};

}  // namespace fabricscope::stack
