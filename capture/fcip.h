// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel over TCP/IP: frames cut out of TCP streams (RFC 3643, RFC 3821).
#pragma once

#include <functional>
#include <list>
#include <unordered_map>

#include "capture/packet.h"
#include "capture/tcp_stream.h"

namespace fabricscope::capture {

/// One direction of an FCIP connection: TCP segments in, encapsulated frames out, in order. Where octets are
/// missing for good, the next encapsulation header is looked for as RFC 3821 5.6.2.3 tests it.
class FcipStream {
public:
    FcipStream() : stream_(limit) {}

    void insert(const TcpSegment& segment, std::uint64_t frame);
    /// The receiver has acknowledged up to `sequence`: what is still missing before it was not captured.
    void acknowledged(std::uint32_t sequence);
    /// Nothing more comes.
    void finish() { given_up_until_ = UINT64_MAX; }

    struct Encapsulated {
        ByteView octets;       ///< from the encapsulation header on; the part that is there
        std::uint32_t length;  ///< with the EOF word
        std::uint64_t frame;   ///< whose arrival completed it
        bool special = false;  ///< an FCIP Special Frame: no FC frame
    };
    /// The next frame; its octets are valid until the next call that is not const.
    std::optional<Encapsulated> next();

private:
    static constexpr std::size_t limit = 64 * 1024;
    /// So many segments waiting behind a hole are no mere reordering.
    static constexpr std::size_t patience = 64;

    bool find_header();
    bool hole_stays() const;
    std::uint64_t end() const { return stream_.position() + stream_.readable().size(); }

    TcpStream stream_;
    std::uint32_t pending_ = 0;         ///< length of what the last next() returned, to be passed
    std::uint64_t given_up_until_ = 0;  ///< position: a hole before it stays one
};

/// All FCIP connections of a capture, by port 3225 at either end. What a TCP packet completes is handed on as
/// packets of Transport::fc with the number and time of that TCP packet.
class FcipStreams {
public:
    using Sink = std::function<void(const Packet&)>;
    static constexpr std::size_t most_streams = 1024;  ///< directions; the one that was idle longest makes room

    /// Whether the packet is FCIP's to look at.
    static bool takes(const Packet& packet);
    void on_packet(const Packet& packet, const Sink& sink);
    /// What is left behind holes.
    void finish(const Sink& sink);

private:
    struct Ends {
        Address source, destination;
        std::uint16_t source_port, destination_port;
        bool operator==(const Ends&) const = default;
    };
    struct EndsHash {
        std::size_t operator()(const Ends& ends) const noexcept {
            return std::hash<Address>{}(ends.source) * 3 ^ std::hash<Address>{}(ends.destination) ^
                   (std::size_t{ends.source_port} << 16 | ends.destination_port) * 0x9E37'79B9'7F4A'7C15;
        }
    };
    struct Direction {
        Ends ends;
        FcipStream stream;
        Packet last;  ///< without views, for what finish() finds
    };
    using Directions = std::list<Direction>;

    Direction& direction_of(const Ends& ends);
    static void hand_on(FcipStream& stream, const Packet& carrier, const Sink& sink);

    Directions directions_;  ///< the one used last comes first
    std::unordered_map<Ends, Directions::iterator, EndsHash> index_;
};

}  // namespace fabricscope::capture
