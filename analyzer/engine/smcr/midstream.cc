// SPDX-License-Identifier: GPL-2.0-or-later
// Traffic of link groups and connections whose set-up was not captured: only what the packets prove
// is told, and sides have names only once a message shows who is who.
#include "analyzer/engine/smcr/link_groups.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::int32_t kAckReach = 64;  // packets that may be under way when an acknowledgement is sent
constexpr std::size_t kMaxHalves = 256;

bool looks_like_smcr(const capture::Packet& packet) {
    const auto& info = packet.ib.opcode();
    if (info.operation != ib::Operation::send || info.position != ib::Position::only || info.has(ib::immdt))
        return false;
    return wire::looks_like_cdc(packet.ib.payload, packet.ib.payload_length) ||
           wire::looks_like_llc(packet.ib.payload, packet.ib.payload_length);
}

}  // namespace

/// A packet to a queue pair that no message has named.
void LinkGroups::on_unknown(const capture::Packet& packet) {
    if (!admitting_ && awaits_link(packet)) return hold(packet);
    if (packet.ib.opcode().operation == ib::Operation::rdma_write && packet.ib.has_reth) return remember_stray(packet);
    const bool acknowledges = packet.ib.opcode().operation == ib::Operation::acknowledge;
    const auto end = acknowledges              ? acknowledged_link(packet)
                     : looks_like_smcr(packet) ? midstream_link(packet)
                                               : std::nullopt;
    if (!end) return;
    for (UnknownWrite& unknown : unknown_writes_) {
        if (unknown.write.octets.empty() ||
            !(unknown.to == EndpointKey{packet.destination, packet.ib.bth.destination_qpn}))
            continue;
        unknown.write.link = end->link;
        state(end->group).strays[other(end->side)].push_back(std::move(unknown.write));
        unknown.write = {};
    }
    deliver(packet);
}

void LinkGroups::remember_stray(const capture::Packet& packet) {
    UnknownWrite& slot = unknown_writes_[next_unknown_write_++ % unknown_writes_.size()];
    const ib::Reth& reth = packet.ib.reth;
    slot.to = {packet.destination, packet.ib.bth.destination_qpn};
    slot.write.rkey = reth.r_key;
    slot.write.address = reth.virtual_address;
    slot.write.write = {0, packet.ib.payload_length, {}, true, false, packet.time};
    slot.write.octets.assign(packet.ib.payload.begin(), packet.ib.payload.end());
}

LinkGroups::PortPair LinkGroups::ports_of(const capture::Packet& packet) {
    return packet.source.bytes < packet.destination.bytes ? PortPair{packet.source, packet.destination}
                                                          : PortPair{packet.destination, packet.source};
}

/// The group seen midway between these two ports.
std::optional<std::uint32_t> LinkGroups::midstream_group(const capture::Packet& packet) {
    const PortPair ports = ports_of(packet);
    if (const auto known = midstream_groups_.find(ports); known != midstream_groups_.end()) return known->second;
    if (midstream_groups_.size() >= options_.limits.midstream_groups) return std::nullopt;
    const auto id = create_group();
    if (!id) return std::nullopt;
    group(*id).roles_known = false;
    group(*id).from_start = false;
    state(*id).address[Side::client] = packet.source;
    state(*id).address[Side::server] = packet.destination;
    midstream_groups_[ports] = *id;
    return id;
}

/// The link of a SEND that can only be SMC-R's. Its other queue pair may have been seen already.
std::optional<LinkGroups::EndpointRef> LinkGroups::midstream_link(const capture::Packet& packet) {
    const auto id = midstream_group(packet);
    if (!id) return std::nullopt;
    const Side side = state(*id).address[Side::client] == packet.destination ? Side::client : Side::server;
    auto& links = group(*id).links;
    const auto lacks_end = [&](const Link& link) { return !link.end[side].qpn; };
    const bool one = std::count_if(links.begin(), links.end(), lacks_end) == 1;
    const auto index = one ? std::optional(static_cast<std::uint32_t>(
                                 std::find_if(links.begin(), links.end(), lacks_end) - links.begin()))
                           : create_link(*id);
    if (!index) return std::nullopt;
    Link& l = links[*index];
    l.state = LinkState::active;
    l.end[side].gid = Gid{packet.destination.bytes};
    l.end[side].qpn = packet.ib.bth.destination_qpn;
    l.end[other(side)].gid = Gid{packet.source.bytes};
    register_end(*id, *index, side);
    return EndpointRef{*id, *index, side};
}

/// An acknowledgement belongs to the link whose requests it acknowledges.
std::optional<LinkGroups::EndpointRef> LinkGroups::acknowledged_link(const capture::Packet& packet) {
    const auto known = midstream_groups_.find(ports_of(packet));
    if (known == midstream_groups_.end()) return std::nullopt;
    const std::uint32_t id = known->second;
    const Side side = state(id).address[Side::client] == packet.destination ? Side::client : Side::server;
    std::optional<EndpointRef> match;
    for (std::uint32_t index = 0; index < group(id).links.size(); ++index) {
        const auto sent = state(id).links[index]->sent_psn[side];
        if (group(id).links[index].end[side].qpn || !sent) continue;
        const std::int32_t behind = capture::psn_distance(packet.ib.bth.psn, *sent);
        if (behind < 0 || behind > kAckReach) continue;
        if (match) return std::nullopt;  // could be either
        match = EndpointRef{id, index, side};
    }
    if (!match) return std::nullopt;
    LinkEndpoint& end = group(id).links[match->link].end[side];
    end.gid = Gid{packet.destination.bytes};
    end.qpn = packet.ib.bth.destination_qpn;
    register_end(id, match->link, side);
    return match;
}

/// The connection of a token that was assigned before the capture began. Its other direction has
/// another token; which one, the cursors tell.
Session* LinkGroups::half_session(Arrival& a, const wire::Cdc& cdc) {
    const Side to = other(a.from);
    Session* session = other_half(a, cdc, nullptr);
    if (session != nullptr) {
        std::erase(state(a.group).halves, session->connection->id);
    } else {
        session = sessions_.create(a.packet->number, a.packet->time);
        if (session == nullptr) return nullptr;
        Connection& connection = *session->connection;
        connection.midstream = true;
        connection.outcome = Outcome::smc_r;
        connection.link_group = a.group;
        connection.version = group(a.group).version;
        connection.release = group(a.group).release;
        for (Direction& direction : connection.from.values) direction.from_start = false;
        group(a.group).connections.push_back(connection.id);
        keep_youngest(state(a.group).halves, kMaxHalves, connection.id);
        sessions_.open(*session);
        if (const auto base = group(a.group).cursor_base) sessions_.set_base(*session, *base);
    }
    session->connection->alert_token[to] = cdc.alert_token;
    state(a.group).tokens[to][cdc.alert_token] = session->connection->id;
    return session;
}

/// The one connection of which only the other direction is known, and of whose data this message
/// consumes exactly what was announced.
Session* LinkGroups::other_half(const Arrival& a, const wire::Cdc& cdc, const Session* except) {
    if (cdc.flags.failover_validation || cdc.consumer == wire::Cursor{}) return nullptr;
    Session* match = nullptr;
    for (const std::uint32_t id : state(a.group).halves) {
        Session& candidate = sessions_.at(id);
        const Connection& c = *candidate.connection;
        if (&candidate == except || c.alert_token[other(a.from)] || !c.alert_token[a.from]) continue;
        if (c.from[other(a.from)].producer != cdc.consumer) continue;
        if (match != nullptr) return nullptr;  // could be either
        match = &candidate;
    }
    return match;
}

void LinkGroups::join_halves(Arrival& a, Session& kept, Session& gone) {
    const Side to = other(a.from);
    sessions_.join(kept, gone, a.from);
    state(a.group).tokens[to].for_each_value([&](std::uint32_t& id) {
        if (id == gone.connection->id) id = kept.connection->id;
    });
    a.history->element_owners.replace(gone.connection->id, kept.connection->id);
    std::erase(group(a.group).connections, gone.connection->id);
    for (const Session* half : {&kept, &gone}) std::erase(state(a.group).halves, half->connection->id);
}

}  // namespace fabricscope::engine::smcr
