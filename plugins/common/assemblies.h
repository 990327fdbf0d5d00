// SPDX-License-Identifier: GPL-2.0-or-later
// Messages put together from the data of their frames.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "protocols/layout/types.h"

namespace fabricscope::plugin {

/// A message's data, in place; zeros stand where none was seen.
struct Assembly {
    struct Piece {
        std::uint32_t frame;
        std::uint64_t offset;
        std::uint32_t length;
    };
    std::vector<std::uint8_t> octets;
    std::vector<Piece> pieces;      ///< in order of capture
    std::uint32_t complete_in = 0;  ///< frame with which nothing is missing any more; 0 = none so far
};

class Assemblies {
public:
    void add(std::uint64_t message, std::uint32_t frame, std::uint64_t offset, ByteView octets);
    /// Nothing of the message is missing any more. False if it has no data, or an earlier frame has completed it.
    bool complete(std::uint64_t message, std::uint32_t frame);

    /// nullptr for a message without data, or one that was too large to keep.
    const Assembly* find(std::uint64_t message) const;

private:
    // More than any capture holds that Wireshark can open in ordinary memory; a hostile one shall not get more.
    static constexpr std::uint64_t most_octets_of_one = 256ULL << 20;
    static constexpr std::uint64_t most_octets = 1ULL << 30;

    std::unordered_map<std::uint64_t, Assembly> assemblies_;
    std::uint64_t octets_ = 0;
};

}  // namespace fabricscope::plugin
