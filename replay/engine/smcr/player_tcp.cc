// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "protocols/smcr/tcp_option.h"
#include "replay/engine/smcr/formats.h"
#include "replay/engine/smcr/smcr_player.h"
#include "replay/stack/smcr/peer.h"

namespace fabricscope::replay::smcr {

using engine::other;
using stack::TcpConnection;

namespace {

constexpr std::uint8_t smc_hosts_ttl = 64;

}  // namespace

// ---- what there is -------------------------------------------------------------------------------

void SmcrPlayer::create_adapters() {
    std::vector<IbAddress> addresses = links_.recorded_addresses();
    const Mac tcp_mac = options_.addresses ? options_.addresses->own_mac : recorded_.connections[0].mac[played_];
    ports_.push_back(tcp_mac);
    if (options_.addresses && !addresses.empty()) move(addresses[0]);
    if (options_.addresses && options_.addresses->copy) name_copy(*options_.addresses->copy);
    for (const IbAddress& address : addresses) {
        const auto known = std::ranges::find(ports_, address.mac);
        adapter_port_.push_back(static_cast<std::size_t>(known - ports_.begin()));
        if (known == ports_.end()) ports_.push_back(address.mac);
    }
    links_.create_adapters(addresses);
}

/// A peer that has not forgotten an earlier copy's link group yet would go on with it.
void SmcrPlayer::name_copy(std::uint32_t copy) {
    for (const Message& message : recorded_.conversation.messages)
        if (message.from == played_) script_.bindings().bind_number(instance_kind, played_, message, copy);
}

/// The first adapter is where this run is.
void SmcrPlayer::move(IbAddress& address) {
    const LiveAddresses& live = *options_.addresses;
    const Gid gid = recorded_.carrier == capture::IbCarrier::roce_v1 ? stack::smcr::link_local(live.own_mac)
                                                                     : live.own_ip;
    const auto value = [](const auto& name) { return Value(name.octets.begin(), name.octets.end()); };
    Bindings& names = script_.bindings();
    names.bind("gid", played_, value(address.gid), value(gid));
    names.bind("mac", played_, value(address.mac), value(live.own_mac));
    // A PROPOSAL has an IPv4 address without the prefix that makes it a GID.
    const auto bare = [&](const Gid& of) {
        Value octets = value(of);
        std::fill_n(octets.begin(), 12, std::uint8_t{0});
        return octets;
    };
    if (address.gid.is_ipv4()) names.bind("gid", played_, bare(address.gid), bare(gid));
    address = {live.own_mac, gid};
}

void SmcrPlayer::create(const RecordedConnection& recorded) {
    const auto& live = options_.addresses;
    const bool client = played_ == Side::client;
    stack::TcpConfig config;
    config.local_port = port_of(recorded, played_);
    config.remote_port = port_of(recorded, other(played_));
    if (live && live->own_port) config.local_port = *live->own_port;
    if (live && live->peer_port) config.remote_port = *live->peer_port;
    config.initial_sequence = static_cast<std::uint32_t>(0x1000'0000 * (connections_.size() + 1));
    if (recorded.option[played_]) config.syn_option = layout::octets_of(wire::TcpOption{});
    stack::smcr::AppPlan plan{.script = recorded.script[played_], .pace = options_.pace.factor};
    plan.may_end = [this, index = connections_.size()] { return may_end(*connections_[index]); };
    auto connection = std::make_unique<PlayedConnection>(recorded, links_, config, plan, connections_.size() + 1);
    connection->peer_port = {
        live ? live->peer_mac : recorded.mac[other(played_)],
        live ? live->peer_ip : address_of(recorded, other(played_))};
    connection->peer_tcp_port = config.remote_port;
    if (client) by_port_[config.local_port] = connection.get();
    connections_.push_back(std::move(connection));
}

Gid SmcrPlayer::own_ip(const PlayedConnection& connection) const {
    return options_.addresses ? options_.addresses->own_ip : address_of(connection.recorded, played_);
}

// ---- TCP -----------------------------------------------------------------------------------------

void SmcrPlayer::on_tcp(Time now, const capture::Packet& packet) {
    const capture::TcpSegment& segment = packet.tcp;
    PlayedConnection* connection = connection_of(packet);
    if (connection == nullptr) return;
    connection->now = now;
    if (connection->phase != Phase::waiting) return connection->tcp.on_segment(now, segment);
    connection->begin(now);
    connection->peer_port = {packet.source_mac, Gid{packet.source.bytes}};
    connection->peer_tcp_port = segment.source_port;
    Octets option;
    if (const auto found = wire::find_tcp_option(segment.options)) option = layout::octets_of(*found);
    script_.received(now, connection->recorded.channel, "TCP SYN", option);
    connection->tcp.accept(now, segment);
    script_.sent(now, connection->recorded.channel, "TCP SYN-ACK");
}

/// Of a server: the connection that the peer's port was first seen with; a new port gets the recorded connection
/// from that port, else the next one.
PlayedConnection* SmcrPlayer::connection_of(const capture::Packet& packet) {
    const capture::TcpSegment& segment = packet.tcp;
    const bool client = played_ == Side::client;
    const std::uint16_t port = client ? segment.destination_port : segment.source_port;
    if (const auto known = by_port_.find(port); known != by_port_.end()) return known->second;
    if (client || !segment.has(capture::syn) || segment.has(capture::ack)) return nullptr;
    const auto fits = [&](const auto& one) {
        return one->phase == Phase::waiting && port_of(one->recorded, Side::client) == port;
    };
    auto found = std::ranges::find_if(connections_, fits);
    if (found == connections_.end())
        found = std::ranges::find(connections_, Phase::waiting, [](const auto& one) { return one->phase; });
    if (found == connections_.end()) return nullptr;
    (*found)->tcp = TcpConnection(tcp_config(**found, segment));
    return by_port_[port] = found->get();
}

stack::TcpConfig SmcrPlayer::tcp_config(const PlayedConnection& connection, const capture::TcpSegment& request) const {
    stack::TcpConfig config;
    config.local_port = request.destination_port;
    config.remote_port = request.source_port;
    config.initial_sequence = request.sequence ^ 0x5A5A'0000;
    if (connection.recorded.option[played_]) config.syn_option = layout::octets_of(wire::TcpOption{});
    return config;
}

void SmcrPlayer::flush(PlayedConnection& connection) {
    for (const stack::TcpSegmentOut& segment : connection.tcp.take_segments()) {
        const builders::FrameEnds ends{ports_[0],          connection.peer_port.mac,
                                       own_ip(connection), connection.peer_port.gid,
                                       ++identification_,  smc_hosts_ttl};
        const ByteView frame = builder_.tcp(ends, segment.fields, segment.options, segment.payload);
        frames_.push_back({tcp_port, {frame.begin(), frame.end()}, {}});
    }
}

void SmcrPlayer::on_established(Time now, PlayedConnection& connection) {
    connection.established = true;
    const bool wanted = connection.recorded.option[Side::client] && connection.recorded.option[Side::server];
    if (played_ == Side::client) {
        const Octets option = connection.tcp.peer_has_option() ? layout::octets_of(wire::TcpOption{}) : Octets{};
        script_.received(now, connection.recorded.channel, "TCP SYN-ACK", option);
    }
    if (!wanted || !connection.tcp.peer_has_option()) connection.phase = Phase::plain;
    if (wanted && connection.phase == Phase::plain)
        note(connection.recorded.channel + ": the peer does not offer SMC; the data goes over TCP");
}

}  // namespace fabricscope::replay::smcr
