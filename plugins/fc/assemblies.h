// SPDX-License-Identifier: GPL-2.0-or-later
// Messages put together from the data of their frames. The data stay in the capture file where Wireshark can read
// there again (in its window, sharkd, tshark -2). A tshark that reads a file just once has copies, if anybody is to see
// them, until the message is complete and that frame has been shown.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plugins/shell/wireshark_compat.h"
#include "protocols/layout/types.h"

namespace fabricscope::plugin {

/// The data of a message.
struct Assembly {
    struct Piece {
        std::uint32_t frame;
        std::uint32_t length;
        std::uint64_t offset;
        tvbuff_t* source;  ///< its octets
    };
    std::vector<Piece> pieces;      ///< in order of capture; none once nobody can ask for them
    std::uint64_t length = 0;       ///< from the message's beginning to the last octet that was seen
    std::uint64_t captured = 0;     ///< octets that the pieces hold
    std::uint32_t complete_in = 0;  ///< frame with which nothing is missing any more; 0 = none so far

    /// All of it, in place; zeros stand where nothing was seen. It lives as long as what comes from `pool`.
    ByteView octets(wmem_allocator_t* pool) const;
};

class Assemblies {
public:
    Assemblies() = default;
    Assemblies(const Assemblies&) = delete;
    Assemblies& operator=(const Assemblies&) = delete;
    ~Assemblies();

    /// The capture's next packet; `octets` are what `tvb` holds, if it is not nullptr. What is not `wanted` now is not
    /// kept; where no frame comes again, nobody can ask for it later.
    void on_packet(tvbuff_t* tvb, ByteView octets, bool wanted);
    /// Data of the packet, or, with FCIP, of packets up to this one.
    void add(std::uint64_t message, std::uint32_t frame, std::uint64_t offset, ByteView octets);
    /// No frame of the message, which has so many octets, is missing any more. False if not all of them were captured,
    /// if it has none, or if an earlier frame has completed it. Who needs the data with a later frame, too, says so,
    /// and then release().
    bool complete(std::uint64_t message, std::uint64_t octets, std::uint32_t frame, bool needed_later = false);
    /// Behind this packet nobody asks for the data of a message that is complete.
    void release(std::uint64_t message);

    /// nullptr for a message without data, one that was too large to keep, or whose data nobody wants.
    const Assembly* find(std::uint64_t message) const;

private:
    // More than any capture holds whose messages Wireshark can list in ordinary memory; a hostile one shall not get
    // more.
    static constexpr std::uint64_t most_octets_of_one = 256ULL << 20;
    static constexpr std::uint64_t most_octets = 1ULL << 30;

    tvbuff_t* source_of(ByteView octets) const;
    static void free_sources(Assembly& assembly);

    std::unordered_map<std::uint64_t, Assembly> assemblies_;
    std::uint64_t octets_ = 0;  ///< lengths of all
    tvbuff_t* packet_ = nullptr;
    ByteView packet_octets_;
    bool wanted_ = true;
    std::vector<std::uint64_t> completed_;  ///< by this packet, if no frame comes again
};

}  // namespace fabricscope::plugin
