// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/midstream.h"

#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::int32_t ack_reach = 64;  // packets that may be under way when an acknowledgement is sent

bool looks_like_smcr(const capture::Packet& packet) {
    const auto& info = packet.ib.opcode();
    if (info.operation != ib::Operation::send || info.position != ib::Position::only || info.has(ib::immdt))
        return false;
    return wire::looks_like_cdc(packet.ib.payload, packet.ib.payload_length) ||
           wire::looks_like_llc(packet.ib.payload, packet.ib.payload_length);
}

/// The side that is at the port to which the packet goes.
Side receiver_of(const TrackedGroup& group, const capture::Packet& packet) {
    return group.address[Side::client] == packet.destination ? Side::client : Side::server;
}

}  // namespace

// ---- links ---------------------------------------------------------------------------------------

std::optional<QueuePairRef> Midstream::identify(const capture::Packet& packet) {
    const ib::OpcodeInfo& info = packet.ib.opcode();
    if (info.operation == ib::Operation::rdma_write && packet.ib.has_reth) {
        remember(packet);
        return std::nullopt;
    }
    const bool acknowledges = info.operation == ib::Operation::acknowledge;
    const auto end = acknowledges              ? link_of_acknowledgement(packet)
                     : looks_like_smcr(packet) ? link_of_send(packet)
                                               : std::nullopt;
    if (end) hand_over_writes(packet, *end);
    return end;
}

void Midstream::remember(const capture::Packet& write) {
    UnknownWrite& slot = unknown_writes_[next_unknown_write_++ % unknown_writes_.size()];
    const ib::Reth& reth = write.ib.reth;
    slot.port = write.destination;
    slot.qpn = write.ib.bth.destination_qpn;
    slot.write.rkey = reth.r_key;
    slot.write.address = reth.virtual_address;
    slot.write.write.hold(
        {0, write.ib.payload_length, write.ib.payload, /* first */ true, /* late */ false, write.time});
    slot.used = !write.ib.payload.empty();
}

void Midstream::hand_over_writes(const capture::Packet& packet, const QueuePairRef& to) {
    for (UnknownWrite& unknown : unknown_writes_) {
        if (!unknown.used || !(unknown.port == packet.destination) || unknown.qpn != packet.ib.bth.destination_qpn)
            continue;
        unknown.write.link = to.link;
        links_.at(to.group).strays[other(to.side)].adopt(std::move(unknown.write));
        unknown = {};
    }
}

Midstream::PortPair Midstream::ports_of(const capture::Packet& packet) {
    return packet.source.bytes < packet.destination.bytes ? PortPair{packet.source, packet.destination}
                                                          : PortPair{packet.destination, packet.source};
}

/// The group seen midway between these two ports.
std::optional<std::uint32_t> Midstream::group_between(const capture::Packet& packet) {
    const PortPair ports = ports_of(packet);
    if (const auto known = groups_.find(ports); known != groups_.end()) return known->second;
    if (groups_.size() >= most_groups_) return std::nullopt;
    const auto id = links_.create_group();
    if (!id) return std::nullopt;
    TrackedGroup& made = links_.at(*id);
    made.group.roles_known = false;
    made.began_before();
    made.address[Side::client] = packet.source;
    made.address[Side::server] = packet.destination;
    groups_[ports] = *id;
    return id;
}

/// The link of a SEND that can only be SMC-R's. Its other queue pair may have been seen already.
std::optional<QueuePairRef> Midstream::link_of_send(const capture::Packet& packet) {
    const auto id = group_between(packet);
    if (!id) return std::nullopt;
    TrackedGroup& tracked = links_.at(*id);
    const Side side = receiver_of(tracked, packet);
    auto& links = tracked.group.links;
    const auto lacks_end = [&](const Link& link) { return !link.end[side].qpn; };
    const auto index = std::ranges::count_if(links, lacks_end) == 1
                           ? std::optional(
                                 static_cast<std::uint32_t>(std::ranges::find_if(links, lacks_end) - links.begin()))
                           : links_.create_link(tracked);
    if (!index) return std::nullopt;
    Link& link = links[*index];
    happen(link, LinkEvent::met_in_use);
    link.end[side].gid = Gid{packet.destination.bytes};
    link.end[side].qpn = packet.ib.bth.destination_qpn;
    link.end[other(side)].gid = Gid{packet.source.bytes};
    const QueuePairRef end{*id, *index, side};
    links_.bind(end);
    return end;
}

std::optional<QueuePairRef> Midstream::link_of_acknowledgement(const capture::Packet& packet) {
    const auto known = groups_.find(ports_of(packet));
    if (known == groups_.end()) return std::nullopt;
    TrackedGroup& tracked = links_.at(known->second);
    auto& links = tracked.group.links;
    const Side side = receiver_of(tracked, packet);
    std::optional<std::uint32_t> match;
    for (std::uint32_t index = 0; index < links.size(); ++index) {
        const auto sent = tracked.queue_pairs[index]->sent_psn(side);
        if (links[index].end[side].qpn || !sent) continue;
        const std::int32_t behind = capture::psn_distance(packet.ib.bth.psn, *sent);
        if (behind < 0 || behind > ack_reach) continue;
        if (match) return std::nullopt;  // could be either
        match = index;
    }
    if (!match) return std::nullopt;
    LinkEndpoint& endpoint = links[*match].end[side];
    endpoint.gid = Gid{packet.destination.bytes};
    endpoint.qpn = packet.ib.bth.destination_qpn;
    const QueuePairRef end{known->second, *match, side};
    links_.bind(end);
    return end;
}

// ---- connections ---------------------------------------------------------------------------------

Session* Midstream::begin_connection(const Arrival& a, const wire::Cdc& cdc) {
    const Side to = other(a.from);
    TrackedGroup& tracked = links_.at(a.group);
    Session* session = tracked.halves.match(sessions_, a.from, cdc, nullptr);
    if (session != nullptr) tracked.halves.remove(session->connection->id);
    else session = lacking_token(tracked.group, to);
    if (session == nullptr) session = new_connection(tracked, a);
    if (session == nullptr) return nullptr;
    session->connection->alert_token[to] = cdc.alert_token;
    tracked.rmbs.assign_token(to, cdc.alert_token, session->connection->id);
    return session;
}

/// The one connection of the group whose set-up was captured but for the message that assigned this side's token, if
/// the ACCEPT of the first contact is missing, so that nothing waits for it: the group has no connection that is older,
/// to which the token could belong.
Session* Midstream::lacking_token(const LinkGroup& group, Side side) {
    if (group.from_start) return nullptr;
    bool from_first_contact = false;
    Session* match = nullptr;
    for (const std::uint32_t id : youngest_connections(group)) {
        Session& candidate = sessions_.at(id);
        const Connection& c = *candidate.connection;
        from_first_contact |= c.first_contact.value_or(false);
        if (c.alert_token[side] || c.decline) continue;
        if (match != nullptr || !c.setup.hears_both()) return nullptr;  // could be either, or any
        match = &candidate;
    }
    return from_first_contact && !sessions_.any_without_group() ? match : nullptr;
}

Session* Midstream::new_connection(TrackedGroup& tracked, const Arrival& a) {
    Session* session = sessions_.create(a.packet->number, a.packet->time);
    if (session == nullptr) return nullptr;
    Connection& connection = *session->connection;
    LinkGroup& group = tracked.group;
    connection.midstream = true;
    connection.outcome = Outcome::smc_r;
    connection.link_group = group.id;
    connection.version = group.version;
    connection.release = group.release;
    for (Direction& direction : connection.from.values) direction.from_start = false;
    group.connections.push_back(connection.id);
    tracked.halves.add(connection.id);
    sessions_.open(*session, group.cursor_base);
    return session;
}

Session& Midstream::whole(const Arrival& a, const wire::Cdc& cdc, Session& session) {
    const bool half = session.connection->midstream && !session.connection->alert_token[a.from];
    Session* rest = half ? links_.at(a.group).halves.match(sessions_, a.from, cdc, &session) : nullptr;
    if (rest == nullptr) return session;
    join(a, *rest, session);
    return *rest;
}

void Midstream::join(const Arrival& a, Session& kept, Session& gone) {
    TrackedGroup& tracked = links_.at(a.group);
    sessions_.join(kept, gone, a.from);
    tracked.rmbs.replace(gone.connection->id, kept.connection->id, other(a.from));
    std::erase(tracked.group.connections, gone.connection->id);
    for (const Session* half : {&kept, &gone}) tracked.halves.remove(half->connection->id);
}

}  // namespace fabricscope::engine::smcr
