// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/midstream.h"

#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::int32_t ack_reach = 64;            // packets that may be under way when an acknowledgement is sent
constexpr std::size_t most_guesses = 64;          // the youngest; an acknowledgement follows at once, if at all
constexpr std::size_t most_groups_between = 256;  // the same two ports: the youngest, whose ends may be unnamed

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

/// Whether the packet may go to this end of the link, whose queue pair is not known.
bool may_be_named_by(const capture::Packet& packet, const Link& link, Side side) {
    const auto& sender = link.end[other(side)].gid;
    return !link.end[side].qpn && (!sender || Address::of(*sender) == packet.source);
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

/// The ends of links seen midway between the packet's two ports whose queue pair it may name.
std::vector<QueuePairRef> Midstream::unnamed_ends(const capture::Packet& packet) const {
    std::vector<QueuePairRef> ends;
    const auto known = groups_.find(ports_of(packet));
    if (known == groups_.end()) return ends;
    for (const std::uint32_t id : known->second) {
        const TrackedGroup& tracked = links_.at(id);
        const Side side = receiver_of(tracked, packet);
        const auto& links = tracked.group.links;
        for (std::uint32_t index = 0; index < links.size(); ++index)
            if (may_be_named_by(packet, links[index], side) && !is_taken({id, index, other(side)}))
                ends.push_back({id, index, side});
    }
    return ends;
}

/// Whether the queue pair of this end has turned out to be another link's: CONFIRM has named it since.
bool Midstream::is_taken(const QueuePairRef& end) const {
    const LinkEndpoint& named = links_.at(end.group).group.links[end.link].end[end.side];
    if (!named.gid || !named.qpn) return false;
    const QueuePairRef* known = links_.find(Address::of(*named.gid), *named.qpn);
    return known == nullptr || known->group != end.group || known->link != end.link;
}

/// A link group has one link between the same two ports at most (RFC 7609, 2.2.1), so each further pair of queue pairs
/// there is another group's, unless ADD LINK has named it.
std::optional<QueuePairRef> Midstream::begin_group(const capture::Packet& packet) {
    if (groups_made_ >= most_groups_) return std::nullopt;
    const auto id = links_.create_group();
    if (!id) return std::nullopt;
    ++groups_made_;
    TrackedGroup& made = links_.at(*id);
    made.group.roles_known = false;
    made.began_before();
    made.address[Side::client] = packet.source;
    made.address[Side::server] = packet.destination;
    keep_youngest(groups_[ports_of(packet)], most_groups_between, *id);
    const auto index = links_.create_link(made);
    if (!index) return std::nullopt;
    return QueuePairRef{*id, *index, receiver_of(made, packet)};
}

/// The one of the ends whose link carries the connection that a CDC message goes on with.
std::optional<QueuePairRef> Midstream::continued(
    const std::vector<QueuePairRef>& ends, const capture::Packet& packet) const {
    if (!wire::looks_like_cdc(packet.ib.payload, packet.ib.payload_length)) return std::nullopt;
    wire::Cdc cdc;
    layout::parse_into(cdc, packet.ib.payload);
    std::optional<QueuePairRef> match;
    for (const QueuePairRef& end : ends) {
        if (links_.at(end.group).half_of(sessions_, other(end.side), cdc, nullptr) == nullptr) continue;
        if (match) return std::nullopt;  // could be either
        match = end;
    }
    return match;
}

/// The link of a SEND that can only be SMC-R's. Its other queue pair may have been seen already; if it may be one of
/// several, acknowledgements will tell. If it can be one only, that is a guess: the first packet on another link may
/// have come before the acknowledgement.
std::optional<QueuePairRef> Midstream::link_of_send(const capture::Packet& packet) {
    const std::vector<QueuePairRef> ends = unnamed_ends(packet);
    const auto end = ends.empty() ? begin_group(packet) : ends.size() == 1 ? ends.front() : continued(ends, packet);
    if (!end) return std::nullopt;
    if (ends.size() == 1) keep_youngest(guesses_, most_guesses, Guess{end->group, end->link, packet.destination});
    Link& link = links_.at(end->group).group.links[end->link];
    happen(link, LinkEvent::met_in_use);
    link.end[other(end->side)].gid = Gid{packet.source.bytes};
    name(*end, packet);
    return end;
}

/// The one of the ends whose requests the packet acknowledges.
std::optional<QueuePairRef> Midstream::acknowledged(
    const std::vector<QueuePairRef>& ends, const capture::Packet& packet) const {
    std::optional<QueuePairRef> match;
    for (const QueuePairRef& end : ends) {
        const auto sent = links_.at(end.group).queue_pairs[end.link]->sent_psn(end.side);
        if (!sent) continue;
        const std::int32_t behind = capture::psn_distance(packet.ib.bth.psn, *sent);
        if (behind < 0 || behind > ack_reach) continue;
        if (match) return std::nullopt;  // could be either
        match = end;
    }
    return match;
}

std::optional<QueuePairRef> Midstream::link_of_acknowledgement(const capture::Packet& packet) {
    auto match = acknowledged(unnamed_ends(packet), packet);
    if (!match) {
        match = acknowledged(guessed_ends(packet), packet);
        if (match) withdraw(*match);
    }
    if (match) name(*match, packet);
    return match;
}

/// The ends at which the packet arrives, as far as it was guessed which queue pair they have.
std::vector<QueuePairRef> Midstream::guessed_ends(const capture::Packet& packet) const {
    std::vector<QueuePairRef> ends;
    for (const Guess& guess : guesses_) {
        const TrackedGroup& tracked = links_.at(guess.group);
        const Side side = receiver_of(tracked, packet);
        const auto& sender = tracked.group.links[guess.link].end[other(side)].gid;
        if (guess.port == packet.destination && sender && Address::of(*sender) == packet.source)
            ends.push_back({guess.group, guess.link, side});
    }
    return ends;
}

/// The queue pair that was guessed is another link's; what was seen on it tells nothing of this one.
void Midstream::withdraw(const QueuePairRef& end) {
    TrackedGroup& tracked = links_.at(end.group);
    const LinkEndpoint& guessed = tracked.group.links[end.link].end[end.side];
    if (guessed.gid && guessed.qpn) links_.release(Address::of(*guessed.gid), *guessed.qpn);
    tracked.queue_pairs[end.link] = std::make_unique<QueuePairs>();
    std::erase_if(guesses_, [&](const Guess& guess) { return guess.group == end.group && guess.link == end.link; });
}

/// The packet goes to this end.
void Midstream::name(const QueuePairRef& end, const capture::Packet& packet) {
    LinkEndpoint& endpoint = links_.at(end.group).group.links[end.link].end[end.side];
    endpoint.gid = Gid{packet.destination.bytes};
    endpoint.qpn = packet.ib.bth.destination_qpn;
    links_.bind(end);
}

// ---- connections ---------------------------------------------------------------------------------

Session* Midstream::begin_connection(const Arrival& a, const wire::Cdc& cdc) {
    const Side to = other(a.from);
    TrackedGroup& tracked = links_.at(a.group);
    Session* session = tracked.half_of(sessions_, a.from, cdc, nullptr);
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
    Session* rest = half ? links_.at(a.group).half_of(sessions_, a.from, cdc, &session) : nullptr;
    if (rest == nullptr) return session;
    const bool older = session.connection->id < rest->connection->id;
    if (older) join(a.group, session, *rest, other(a.from));
    else join(a.group, *rest, session, a.from);
    return older ? session : *rest;
}

/// `gone` is what `sender` sent.
void Midstream::join(std::uint32_t group, Session& kept, Session& gone, Side sender) {
    TrackedGroup& tracked = links_.at(group);
    sessions_.join(kept, gone, sender);
    tracked.rmbs.replace(gone.connection->id, kept.connection->id, other(sender));
    std::erase(tracked.group.connections, gone.connection->id);
    for (const Session* half : {&kept, &gone}) tracked.halves.remove(half->connection->id);
}

}  // namespace fabricscope::engine::smcr
