// SPDX-License-Identifier: GPL-2.0-or-later
// Small models, made by hand.
#pragma once

#include "analyzer/engine/engine.h"

namespace fabricscope::report::models {

using namespace engine::smcr;

inline constexpr Time start = 1'795'220'061'283'330'129;

inline SocketAddress address(std::uint8_t last, std::uint16_t port) {
    return {capture::Address::of(Ipv4{{192, 0, 2, last}}), port};
}

/// A connection of its own set-up, 500 octets each way, nothing unusual.
inline Connection connection(std::uint32_t id) {
    Connection connection;
    connection.id = id;
    connection.client = address(10, static_cast<std::uint16_t>(40'000 + id));
    connection.server = address(20, 18'001);
    connection.outcome = Outcome::smc_r;
    connection.version = 2;
    connection.release = 1;
    connection.link_group = 1;
    connection.close = Close::orderly;
    connection.setup.syn = FrameStamp{start, 1};
    connection.setup.confirm = FrameStamp{start + 12 * capture::millisecond, 5};
    for (Direction& direction : connection.from.values) {
        direction.rmbe_size = 16'384;
        direction.cursor_base = 0;
        direction.bytes_announced = direction.bytes_written = direction.bytes_acknowledged = 500;
    }
    return connection;
}

inline Connection declined(std::uint32_t id, std::uint32_t code) {
    Connection connection = models::connection(id);
    connection.outcome = Outcome::fallback;
    connection.decline = DeclineSeen{.by = Side::server, .code = code, .frame = 9};
    connection.from = {};
    return connection;
}

inline LinkGroup link_group() {
    LinkGroup group;
    group.id = 1;
    group.version = 2;
    group.release = 1;
    group.hostname[Side::client] = "guest-a";
    group.peer_id[Side::server] = wire::PeerId{0x8d40, {{0, 0, 0x5e, 0, 0x53, 0x14}}};
    Link link;
    link.number = 1;
    link.end[Side::client].gid = Gid{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 10}};
    link.end[Side::client].qpn = 17;
    link.state = LinkState::active;
    group.links.push_back(link);
    group.rmbs.push_back({Side::client, 16'384, {{0, 0x321, 0xffff'9c5d'0135'0000}}, 12, false});
    group.connections = {1};
    return group;
}

}  // namespace fabricscope::report::models
