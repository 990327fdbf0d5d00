// SPDX-License-Identifier: GPL-2.0-or-later
// SMC-R traffic of any size in which nothing is wrong: for measuring, and for knowing what the engine
// should have found. No scenario takes its place: of its frames none is kept, however many they are, and what the
// engine should find is known without the emulated stack.
#pragma once

#include <functional>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::traffic {

using engine::smcr::PerSide;
using engine::smcr::Side;

struct TrafficOptions {
    std::uint64_t roce_frames = 1'000'000;  ///< at least
    std::uint32_t connections = 120;
    std::uint64_t seed = 1;
    std::uint8_t tap = 0;  ///< with another number the hosts have other addresses: 256 link groups at most
};

/// What one side sent on a connection.
struct DirectionTruth {
    std::uint64_t bytes = 0;
    std::uint64_t writes = 0;
    std::uint64_t cdcs = 0;
    std::uint64_t wraps = 0;
    std::uint64_t retransmissions = 0;
    std::uint64_t acknowledged = 0;    ///< by the peer's last consumer cursor
    std::uint64_t peak_in_flight = 0;  ///< announced and not acknowledged
    std::uint64_t rmbe_size = 0;
};

struct ConnectionTruth {
    std::uint32_t group = 0;  ///< from 1, in the order in which they come to be
    bool first_contact = false;
    std::uint8_t version = 0;
    std::uint16_t client_port = 0;
    PerSide<DirectionTruth> from;
};

struct GroupTruth {
    std::uint8_t version = 0;
    std::size_t links = 0;
    std::uint64_t llc_requests = 0;
};

struct Truth {
    std::uint64_t frames = 0;
    std::uint64_t roce_frames = 0;
    std::vector<ConnectionTruth> connections;  ///< in order of their SYNs
    std::vector<GroupTruth> groups;            ///< in order of their first ACCEPT
};

/// The octet at a position of a connection's stream (`connection` from 1, in order of SYNs).
constexpr std::uint8_t stream_octet(std::uint32_t connection, Side from, std::uint64_t position) {
    return static_cast<std::uint8_t>(
        position * 131 + (position >> 8) + connection * 7 + (from == Side::client ? 1 : 2));
}

using FrameSink = std::function<void(engine::smcr::Time, ByteView)>;

/// Link groups of both versions, with one link and with two; connections that open, send WRITEs of up to
/// 1024 octets in both directions, wrap, and close in order, at most some hundred at a time. Some packets
/// are sent twice. The same options give the same frames.
Truth generate(const TrafficOptions& options, const FrameSink& sink);

}  // namespace fabricscope::traffic
