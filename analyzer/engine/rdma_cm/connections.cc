// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/connections.h"

#include <algorithm>
#include <utility>

#include "capture/hash.h"

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::uint8_t sidr_valid = 0;  // IBA 12.11.2

/// Octets of a MAD without which its message means nothing.
constexpr std::size_t ids_end = layout::layout_of<ib::CmRtu>.extent.end;
template <class Body> constexpr std::size_t end_of = layout::layout_of<Body>.extent.end;
constexpr std::size_t addresses_size = layout::size_of<wire::IpVersions> + layout::size_of<wire::Ipv6Addresses>;
constexpr std::size_t req_paths_end = end_of<ib::CmReq> + 2 * layout::size_of<ib::CmPath>;

Service service_of(const ib::CmReq& req) {
    switch (req.transport_service) {
        case 0: return Service::rc;
        case 1: return Service::uc;
        case 2: return Service::rd;
        default: return req.extended_transport == 1 ? Service::xrc : Service::unknown;
    }
}

std::vector<std::uint8_t> without_padding(ByteView octets) {
    const auto last = std::find_if(octets.rbegin(), octets.rend(), [](std::uint8_t octet) { return octet != 0; });
    return {octets.begin(), last.base()};
}

Address address_of(const Ipv4& ipv4) { return Address::of(ipv4); }
Address address_of(const Gid& gid) {
    Address address = Address::of(gid);
    address.kind = Address::Kind::ipv6;
    return address;
}

bool fits(const wire::Ipv4Addresses& addresses, bool source) {
    return is_padded(source ? addresses.source_padding : addresses.destination_padding);
}
bool fits(const wire::Ipv6Addresses&, bool) { return true; }

void note_service(Connection& connection, std::uint64_t service_id) {
    connection.service_id = service_id;
    if (wire::is_socket_service(service_id)) connection.protocol = wire::socket_service(service_id).protocol;
}

/// The head of the private data, and the sockets where their format is known.
void note_sockets(const Arrival& a, Connection& connection, const std::optional<wire::IpHeader>& ip, std::size_t at) {
    if (!ip || !a.has(at + layout::size_of<wire::IpVersions>)) return;
    if (std::holds_alternative<std::monostate>(ip->addresses)) {
        connection.header = AddressHeader{ip->versions};
        return;
    }
    if (!a.has(at + addresses_size)) return;
    const auto note = [&](const auto& addresses) {
        const std::uint16_t port = wire::socket_service(*connection.service_id).port;
        connection.client = {address_of(addresses.source), ip->versions.source_port};
        connection.server = {address_of(addresses.destination), port};
        connection.header = {ip->versions, fits(addresses, true), fits(addresses, false)};
    };
    if (const auto* ipv4 = std::get_if<wire::Ipv4Addresses>(&ip->addresses)) note(*ipv4);
    if (const auto* ipv6 = std::get_if<wire::Ipv6Addresses>(&ip->addresses)) note(*ipv6);
}

/// 4.096 us * 2^code
Time duration_of(std::uint8_t code) { return Time{4096} << code; }

std::optional<std::uint64_t> content_of(const Arrival& a) {
    const ByteView mad = a.packet.ib.payload;
    if (mad.size() < ib::mad_size) return std::nullopt;
    return capture::hash_of(mad.first(ib::mad_size).subspan(layout::layout_of<ib::MadHeader>.extent.end));
}

/// The packet is another transmission of the message, unless it is the same one, captured twice.
void note_sent(const Arrival& a, Sent& last, bool answered) {
    const bool another = last.times == 0 || last.psn != a.packet.ib.bth.psn;
    if (last.times == 0) last.content = content_of(a);
    last.time = a.packet.time;
    last.frame = a.packet.number;
    last.psn = a.packet.ib.bth.psn;
    last.times += another ? 1 : 0;
    last.times_answered += another && answered ? 1 : 0;
}

bool is_over(const Connection& c) { return c.reject || c.dreq || c.drep; }

/// Where the addresses could not be read, what the consumer's own data are is not known either.
bool knows_private_data(const std::optional<wire::IpHeader>& ip) {
    return !ip || !std::holds_alternative<std::monostate>(ip->addresses);
}

std::optional<RejectInformation> information_of(const wire::Rej& rej) {
    const auto first = [&](std::size_t octets) {
        const ByteView taken = rej.additional.first(std::min(octets, rej.additional.size()));
        return std::vector<std::uint8_t>(taken.begin(), taken.end());
    };
    if (rej.information)
        return RejectInformation{
            rej.information->layer, rej.information->code, first(rej.information->suggested_length), {}};
    if (rej.layer) return RejectInformation{rej.layer->layer, {}, {}, first(rej.body.ari_length - std::size_t{1})};
    return std::nullopt;
}

std::optional<ib::CmPath> path_if_any(const ib::CmPath& path) {
    if (path.local_lid == 0 && path.local_gid == Gid{}) return std::nullopt;
    return path;
}

/// On native InfiniBand packets within a subnet have LIDs only, whatever the MADs had.
void note_lids(Connection& connection, const capture::Packet& packet) {
    if (packet.ib.carrier != capture::IbCarrier::native || !connection.path) return;
    const auto note = [](Endpoint& end, std::uint16_t lid) {
        if (lid != 0 && end.address.kind != Address::Kind::lid) end.lid = Address::of_lid(lid);
    };
    note(connection.end[Side::client], connection.path->local_lid);
    note(connection.end[Side::server], connection.path->remote_lid);
}

}  // namespace

// ---- finding a message's connection ---------------------------------------------------------------

Connection* Connections::create(const Arrival& a) {
    if (model_.connections.size() >= options_.limits.connections) {
        ++model_.dropped_connections;
        return nullptr;
    }
    Connection& connection = model_.connections.emplace_back();
    connection.id = static_cast<std::uint32_t>(model_.connections.size());
    connection.first_frame = a.packet.number;
    return &connection;
}

/// With unknown set-up. Who is the client, some messages tell.
Connection* Connections::create_begun_before(const Arrival& a, std::optional<Side> from, Ids ids) {
    if (ids.local == 0 && ids.remote == 0) return nullptr;
    Connection* connection = create(a);
    if (connection == nullptr) return nullptr;
    connection->began_before = true;
    connection->roles_known = from.has_value();
    const Side side = from.value_or(Side::client);
    connection->end[side].address = a.packet.source;
    connection->end[other(side)].address = a.packet.destination;
    for (Endpoint& end : connection->end.values) end.private_data.reset();
    const std::uint64_t transaction_id = a.message.mad.transaction_id;
    if (ids.local != 0) name_party(a.packet.source, ids.local, {connection->id, side, transaction_id});
    if (ids.remote != 0) name_party(a.packet.destination, ids.remote, {connection->id, other(side), transaction_id});
    a.facts.from = side;
    return connection;
}

/// Who has had the id, the youngest first.
std::vector<Connections::Party> Connections::parties(const Address& owner, std::uint32_t id, bool sidr) const {
    const auto found = parties_.find({owner, id, sidr});
    if (found == parties_.end()) return {};
    return {found->second.rbegin(), found->second.rend()};
}

std::optional<Connections::Party> Connections::find(const Address& owner, std::uint32_t id, bool sidr) const {
    const auto found = parties_.find({owner, id, sidr});
    if (found == parties_.end() || found->second.empty()) return std::nullopt;
    return found->second.back();
}

void Connections::name_party(const Address& owner, std::uint32_t id, Party party, bool sidr) {
    constexpr std::size_t most = 8;
    at(party.connection).end[party.side].comm_id = id;
    std::vector<Party>& named = parties_[{owner, id, sidr}];
    std::erase_if(named, [&](const Party& known) { return known.connection == party.connection; });
    if (named.size() >= most) named.erase(named.begin());
    named.push_back(party);
}

/// Whether the message's transaction id is one of the connection's.
bool Connections::is_about(const Arrival& a, const Party& party) const {
    const std::uint64_t id = a.message.mad.transaction_id;
    const auto& messages = model_.connections[party.connection - 1].of_many;
    return party.transaction_id == id ||
           std::ranges::find(messages, id, &MessageOfMany::transaction_id) != messages.end();
}

/// Who sent a message with both communication ids. Where ids are used again, the transaction id tells; the
/// sender's own id is not known yet if this is its first message.
std::optional<Connections::Party> Connections::sender_of(const Arrival& a, Ids ids) const {
    std::vector<Party> fitting;
    const auto add_fitting = [&](Party party, std::uint32_t sender_id, std::uint32_t receiver_id) {
        const Connection& connection = model_.connections[party.connection - 1];
        const auto fits = [](const std::optional<std::uint32_t>& known, std::uint32_t id) {
            return !known || id == 0 || *known == id;
        };
        if (connection.merged || !fits(connection.end[party.side].comm_id, sender_id)) return;
        if (fits(connection.end[other(party.side)].comm_id, receiver_id)) fitting.push_back(party);
    };
    for (const Party& sender : parties(a.packet.source, ids.local)) add_fitting(sender, ids.local, ids.remote);
    for (Party party : parties(a.packet.destination, ids.remote)) {
        party.side = other(party.side);
        add_fitting(party, ids.local, ids.remote);
    }
    if (fitting.empty()) return std::nullopt;
    const auto exact = std::ranges::find_if(fitting, [&](const Party& party) { return is_about(a, party); });
    return exact != fitting.end() ? *exact : fitting.front();
}

Connection* Connections::known(const Arrival& a, Ids ids) {
    const std::optional<Party> sender = sender_of(a, ids);
    if (!sender) return nullptr;
    Connection& connection = at(sender->connection);
    a.facts.from = sender->side;
    const auto name = [&](const Address& owner, std::uint32_t id, Side side) {
        if (id != 0 && !connection.end[side].comm_id)
            name_party(owner, id, {connection.id, side, sender->transaction_id});
    };
    name(a.packet.source, ids.local, sender->side);
    name(a.packet.destination, ids.remote, other(sender->side));
    return &connection;
}

/// `from` is who sends such a message, if that is certain.
Connection* Connections::known_or_before(const Arrival& a, std::optional<Side> from, Ids ids) {
    Connection* connection = known(a, ids);
    return connection != nullptr ? connection : create_begun_before(a, from, ids);
}

/// Peer to peer (IBA 12.9): both sent REQ with the same service id, and one answers the other's
/// with the id of its own. From here on there is one connection, that of the REQ which was answered.
void Connections::merge_peers(const Arrival& a, Ids ids) {
    const std::optional<Party> own = find(a.packet.source, ids.local);
    const std::optional<Party> asked = find(a.packet.destination, ids.remote);
    if (!own || !asked || own->connection == asked->connection) return;
    if (own->side != Side::client || asked->side != Side::client) return;
    Connection& given_up = at(own->connection);
    Connection& kept = at(asked->connection);
    const bool crossed = given_up.service_id && given_up.service_id == kept.service_id && !given_up.rep && !kept.rep &&
                         given_up.end[Side::server].address == a.packet.destination;
    if (!crossed) return;
    given_up.merged = true;
    kept.peer_to_peer = true;
    kept.req_transmissions += given_up.req_transmissions;
    kept.first_frame = std::min(kept.first_frame, given_up.first_frame);
    for (MessageSeen message : given_up.messages) {
        message.from = other(message.from);
        kept.messages.push_back(message);
    }
    std::ranges::sort(kept.messages, {}, &MessageSeen::frame);
    kept.messages.resize(std::min(kept.messages.size(), options_.limits.messages));
    kept.message_count += std::exchange(given_up.message_count, 0);
    given_up.messages.clear();
    name_party(a.packet.source, ids.local, {kept.id, Side::server, asked->transaction_id});
}

/// The connection that a REQ or SIDR_REQ asks for once more. With another content it may ask for another one: under
/// the ids of one that is over, or that nobody waits for any more.
Connection* Connections::repeated(const Arrival& a, std::uint32_t id, bool sidr) {
    const std::optional<Party> party = find(a.packet.source, id, sidr);
    const bool same = party && party->side == Side::client && party->transaction_id == a.message.mad.transaction_id;
    if (!same || (!sidr && !at(party->connection).req)) return nullptr;
    Connection& connection = at(party->connection);
    Sent& last = connection.last_req;
    const std::optional<std::uint64_t> content = content_of(a);
    const bool differs = content && last.content && *content != *last.content;
    const Time wait = 2 * connection.answer_timeout;
    if (differs && (is_over(connection) || (wait != 0 && a.packet.time - last.time > wait))) return nullptr;
    if (!sidr) request_rules_.on_repetition(a, connection);
    course_rules_.on_repetition(a, connection, last, content);
    ++connection.req_transmissions;
    note_sent(a, last, connection.rep.has_value());
    if (!sidr) course_rules_.on_transmission(a, connection, last, "REQ");
    a.facts.retransmission = true;
    return &connection;
}

/// The connection of which an answer was captured before this REQ: they come out of order, or the REQ comes again.
Connection* Connections::answered_before(const Arrival& a, std::uint32_t id) {
    const std::optional<Party> party = find(a.packet.source, id);
    if (!party || party->side != Side::client || party->transaction_id != a.message.mad.transaction_id) return nullptr;
    Connection& connection = at(party->connection);
    if (!connection.began_before || connection.req) return nullptr;
    connection.began_before = false;
    return &connection;
}

// ---- what every message does -----------------------------------------------------------------------

void Connections::on_mad(const capture::Packet& packet) {
    course_rules_.on_mad(packet);
    if (wire::claims_cm(packet.ib.payload)) {
        const bool readable = packet_rules_.is_readable(packet);
        packet_rules_.judge(packet, readable ? on_cm(packet, wire::parse(packet.ib.payload)) : 0);
    }
    course_rules_.after_mad(packet);
}

/// Gives the message's connection.
std::uint32_t Connections::on_cm(const capture::Packet& packet, const wire::Message& message) {
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.message = true;
    const Arrival a{packet, message, facts};
    if (!a.has(ids_end)) return 0;
    Connection* connection = std::visit([&](const auto& body) { return on(a, body); }, message.body);
    if (connection == nullptr) return 0;
    connection->last_time = std::max(connection->last_time, packet.time);
    ++connection->message_count;
    if (connection->messages.size() < options_.limits.messages)
        connection->messages.push_back(
            {packet.time, packet.number, message.attribute(), facts.from, facts.retransmission, facts.request_frame,
             facts.request_time});
    facts.connection = connection->id;
    observer_.on_facts(facts);
    observer_.on_packet(facts, packet);
    return connection->id;
}

/// Whether this is the first message of its kind.
bool Connections::first(const Arrival& a, std::optional<FrameStamp>& step) {
    if (step) a.facts.retransmission = true;
    else step = a.step();
    return !a.facts.retransmission;
}

/// The message's place among those that a connection may see several of; a new one, if it was not sent before.
/// nullptr: there are too many.
MessageOfMany* Connections::one_of_many(const Arrival& a, Connection& connection, std::optional<std::uint8_t> about) {
    const ib::CmAttribute attribute = a.message.attribute();
    const std::uint64_t transaction_id = a.message.mad.transaction_id;
    const auto is_same = [&](const MessageOfMany& m) {
        return m.attribute == attribute && m.from == a.facts.from && m.transaction_id == transaction_id &&
               (!m.about || !about || m.about == about);
    };
    auto found = std::ranges::find_if(connection.of_many, is_same);
    a.facts.retransmission = found != connection.of_many.end();
    if (!a.facts.retransmission) {
        if (connection.of_many.size() >= options_.limits.messages) return nullptr;
        connection.of_many.push_back({attribute, a.facts.from, transaction_id, about, a.step(), {}, false});
        found = std::prev(connection.of_many.end());
    }
    note_sent(a, found->last, found->answered);
    return &*found;
}

/// What a message answers: the other side's with the same transaction id.
MessageOfMany* Connections::asked_by(const Arrival& a, Connection& connection, ib::CmAttribute attribute) {
    const auto is_request = [&](const MessageOfMany& m) {
        return m.attribute == attribute && m.from == other(a.facts.from) &&
               m.transaction_id == a.message.mad.transaction_id;
    };
    const auto found = std::ranges::find_if(connection.of_many, is_request);
    if (found == connection.of_many.end()) return nullptr;
    answer(a, found->first);
    return &*found;
}

void Connections::keep_private_data(const Arrival& a, Endpoint& end) {
    if (a.has(ib::mad_size)) end.private_data = without_padding(a.message.private_data);
    else end.private_data.reset();
}

/// A REQ or SIDR_REQ.
void Connections::begin(const Arrival& a, Connection& connection) {
    connection.req = a.step();
    connection.req_transmissions = 1;
    note_sent(a, connection.last_req, false);
    connection.end[Side::client].address = a.packet.source;
    connection.end[Side::server].address = a.packet.destination;
}

void Connections::answer(const Arrival& a, const std::optional<FrameStamp>& request) {
    if (!request) return;
    a.facts.request_frame = request->frame;
    a.facts.request_time = request->time;
}

// ---- connections -----------------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::Req& req) {
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, req.body.local_comm_id, false)) return again;
    Connection* connection = answered_before(a, req.body.local_comm_id);
    if (connection == nullptr) connection = create(a);
    if (connection == nullptr) return nullptr;
    begin(a, *connection);
    name_party(a.packet.source, req.body.local_comm_id, {connection->id, Side::client, a.message.mad.transaction_id});
    take_request(a, *connection, req);
    return connection;
}

/// As far as it was captured.
void Connections::take_request(const Arrival& a, Connection& connection, const wire::Req& req) {
    const ib::CmReq& body = req.body;
    Endpoint& client = connection.end[Side::client];
    if (!a.has(end_of<ib::CmReq>)) {
        client.private_data.reset();
        return;
    }
    connection.service = service_of(body);
    note_service(connection, body.service_id);
    note_sockets(a, connection, req.ip, req_paths_end);
    connection.p_key = body.p_key;
    if (const std::uint32_t mtu = ib::mtu_octets(body.path_mtu); mtu != 0) connection.mtu = mtu;
    if (a.has(req_paths_end)) {
        connection.path = req.primary;
        connection.alternate_path = path_if_any(req.alternate);
    }
    note_lids(connection, a.packet);
    // The server's end of an XRC connection is a target: it asks for nothing that it could retry (annex A14).
    const bool server_asks = connection.service != Service::xrc;
    if (server_asks) connection.retry_count = body.retry_count;
    connection.max_cm_retries = body.max_cm_retries;
    connection.answer_timeout = duration_of(body.remote_response_timeout);
    connection.dreq_timeout = std::max(connection.answer_timeout, duration_of(body.local_response_timeout));
    client.qpn = body.local_qpn;
    client.starting_psn = body.starting_psn;
    client.q_key = body.local_q_key;
    client.ca_guid = body.local_ca_guid;
    if (server_asks) client.responder_resources = body.responder_resources;
    client.initiator_depth = body.initiator_depth;
    if (server_asks) client.rnr_retry_count = body.rnr_retry_count;
    keep_private_data(a, client);
    if (!knows_private_data(req.ip)) client.private_data.reset();
    traffic_.register_end(connection, Side::client);
    request_rules_.on_req(a, connection);
}

Connection* Connections::on(const Arrival& a, const ib::CmRep& rep) {
    const Ids ids{rep.local_comm_id, rep.remote_comm_id};
    merge_peers(a, ids);
    Connection* connection = known_or_before(a, Side::server, ids);
    if (connection == nullptr) return nullptr;
    ++connection->rep_transmissions;
    answer(a, connection->req);
    if (connection->rep) {
        course_rules_.on_repetition(a, *connection, connection->last_rep, content_of(a));
        a.facts.retransmission = true;
    } else {
        course_rules_.on_rep(a, *connection);
        answer_rules_.on_rep(a, *connection);
        connection->rep = a.step();
        take_reply(a, *connection, rep);
    }
    note_sent(a, connection->last_rep, connection->rtu.has_value());
    return connection;
}

/// As far as it was captured.
void Connections::take_reply(const Arrival& a, Connection& connection, const ib::CmRep& rep) {
    Endpoint& server = connection.end[Side::server];
    keep_private_data(a, server);
    if (!a.has(end_of<ib::CmRep>)) return;
    server.qpn = queue_pair_of(rep);
    server.starting_psn = rep.starting_psn;
    server.q_key = rep.local_q_key;
    server.ca_guid = rep.local_ca_guid;
    server.responder_resources = rep.responder_resources;
    server.initiator_depth = rep.initiator_depth;
    server.rnr_retry_count = rep.rnr_retry_count;
    traffic_.register_end(connection, Side::server);
}

Connection* Connections::on(const Arrival& a, const ib::CmRtu& rtu) {
    Connection* connection = known_or_before(a, Side::client, {rtu.local_comm_id, rtu.remote_comm_id});
    if (connection == nullptr) return nullptr;
    answer(a, connection->rep);
    if (!connection->rtu) course_rules_.on_rtu(a, *connection);
    first(a, connection->rtu);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmMra& mra) {
    const bool whole = a.has(end_of<ib::CmMra>);
    const auto about = whole ? std::optional(mra.message) : std::nullopt;
    std::optional<Side> from;
    if (about == ib::mra_req) from = Side::server;
    if (about == ib::mra_rep) from = Side::client;
    Connection* connection = known_or_before(a, from, {mra.local_comm_id, mra.remote_comm_id});
    if (connection == nullptr) return nullptr;
    if (about == ib::mra_lap) asked_by(a, *connection, ib::CmAttribute::lap);
    else if (about) answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    if (about) course_rules_.on_mra(a, *connection, *about);
    one_of_many(a, *connection, about);
    if (!connection->mra) connection->mra = a.step();
    const bool for_req = a.facts.from == Side::server && about.value_or(ib::mra_req) == ib::mra_req;
    if (for_req && !whole) connection->answer_timeout = 0;
    if (for_req && connection->answer_timeout != 0)
        connection->answer_timeout = std::max(connection->answer_timeout, duration_of(mra.service_timeout));
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::Rej& rej) {
    const bool whole = a.has(end_of<ib::CmRej>);
    std::optional<Side> from;
    if (whole && rej.body.message == ib::rejects_req) from = Side::server;
    if (whole && rej.body.message == ib::rejects_rep) from = Side::client;
    Connection* connection = known_or_before(a, from, {rej.body.local_comm_id, rej.body.remote_comm_id});
    if (connection == nullptr) return nullptr;
    answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    if (whole) course_rules_.on_information(a, *connection, rej.body.ari_length);
    if (connection->reject) a.facts.retransmission = true;
    else if (whole) take_rejection(a, *connection, rej);
    else connection->unread_reject = true;
    return connection;
}

void Connections::take_rejection(const Arrival& a, Connection& connection, const wire::Rej& rej) {
    answer_rules_.on_rej(a, connection, rej);
    RejectSeen seen;
    seen.by = a.facts.from;
    seen.message = rej.body.message;
    seen.reason = rej.body.reason;
    seen.frame = a.packet.number;
    seen.time = a.packet.time;
    if (has_ip_header(connection)) seen.information = information_of(rej);
    connection.reject = std::move(seen);
    Endpoint& by = connection.end[a.facts.from];
    if (!by.private_data || by.private_data->empty()) keep_private_data(a, by);
}

Connection* Connections::on(const Arrival& a, const ib::CmDreq& dreq) {
    Connection* connection = known_or_before(a, std::nullopt, {dreq.local_comm_id, dreq.remote_comm_id});
    if (connection == nullptr) return nullptr;
    ++connection->dreq_transmissions;
    if (const MessageOfMany* message = one_of_many(a, *connection))
        course_rules_.on_transmission(a, *connection, message->last, "DREQ");
    if (!connection->dreq) {
        connection->dreq = a.step();
        connection->disconnected_by = a.facts.from;
    } else if (connection->disconnected_by != a.facts.from) connection->both_disconnect = true;
    if (!a.has(end_of<ib::CmDreq>)) return connection;
    course_rules_.on_dreq(a, *connection, dreq);
    const Side receiver = other(a.facts.from);
    if (connection->began_before && !connection->end[receiver].qpn) {
        connection->end[receiver].qpn = dreq.remote_qpn;
        traffic_.register_end(*connection, receiver);
    }
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmDrep& drep) {
    Connection* connection = known_or_before(a, std::nullopt, {drep.local_comm_id, drep.remote_comm_id});
    if (connection == nullptr) return nullptr;
    if (MessageOfMany* request = asked_by(a, *connection, ib::CmAttribute::dreq)) request->answered = true;
    one_of_many(a, *connection);
    if (connection->drep) return connection;
    connection->drep = a.step();
    traffic_.leave(*connection, a.packet.time);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmLap& lap) {
    Connection* connection = known_or_before(a, std::nullopt, {lap.local_comm_id, lap.remote_comm_id});
    if (connection == nullptr) return nullptr;
    one_of_many(a, *connection);
    if (!connection->lap) connection->lap = a.step();
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::Apr& apr) {
    Connection* connection = known_or_before(a, std::nullopt, {apr.body.local_comm_id, apr.body.remote_comm_id});
    if (connection == nullptr) return nullptr;
    asked_by(a, *connection, ib::CmAttribute::lap);
    one_of_many(a, *connection);
    const bool whole = a.has(end_of<ib::CmApr>);
    if (whole) course_rules_.on_information(a, *connection, apr.body.information_length);
    if (connection->apr) return connection;
    connection->apr = a.step();
    if (whole) connection->apr_status = apr.body.status;
    return connection;
}

// ---- service id resolution -------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::SidrReq& request) {
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, request.body.request_id, true)) return again;
    Connection* connection = create(a);
    if (connection == nullptr) return nullptr;
    begin(a, *connection);
    connection->service = Service::ud;
    const std::uint64_t transaction_id = a.message.mad.transaction_id;
    name_party(a.packet.source, request.body.request_id, {connection->id, Side::client, transaction_id}, true);
    resolutions_[{a.packet.source, static_cast<std::uint32_t>(transaction_id), true}] = connection->id;
    Endpoint& client = connection->end[Side::client];
    keep_private_data(a, client);
    if (!knows_private_data(request.ip)) client.private_data.reset();
    if (!a.has(end_of<ib::CmSidrReq>)) return connection;
    note_service(*connection, request.body.service_id);
    note_sockets(a, *connection, request.ip, end_of<ib::CmSidrReq>);
    connection->p_key = request.body.p_key;
    request_rules_.on_sidr_req(a, *connection);
    return connection;
}

/// Of a request that was sent before the capture began; or the request id is not the one that was asked with.
Connection* Connections::unknown_resolution(const Arrival& a, const wire::SidrRep& reply) {
    const std::uint64_t transaction_id = a.message.mad.transaction_id;
    const auto asked = resolutions_.find({a.packet.destination, static_cast<std::uint32_t>(transaction_id), true});
    if (asked != resolutions_.end()) {
        Connection& connection = at(asked->second);
        const auto& id = connection.end[Side::client].comm_id;
        const std::optional<Party> client = id ? find(a.packet.destination, *id, true) : std::nullopt;
        const bool is_latest = client && client->connection == connection.id &&
                               client->transaction_id == transaction_id;
        if (is_latest && !connection.rep && connection.end[Side::server].address == a.packet.source) {
            course_rules_.on_unknown_resolution(a, connection);
            return &connection;
        }
    }
    Connection* connection = create(a);
    if (connection == nullptr) return nullptr;
    connection->began_before = true;
    connection->service = Service::ud;
    connection->end[Side::client].address = a.packet.destination;
    connection->end[Side::client].private_data.reset();
    connection->end[Side::server].address = a.packet.source;
    name_party(a.packet.destination, reply.body.request_id, {connection->id, Side::client, transaction_id}, true);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::SidrRep& reply) {
    a.facts.from = Side::server;
    std::optional<Party> client = find(a.packet.destination, reply.body.request_id, true);
    Connection* const found = client ? &at(client->connection) : unknown_resolution(a, reply);
    if (found == nullptr) return nullptr;
    Connection& connection = *found;
    const bool whole = a.has(end_of<ib::CmSidrRep>);
    if (whole) course_rules_.on_information(a, connection, reply.body.information_length);
    if (connection.end[Side::client].comm_id != reply.body.request_id) return &connection;
    ++connection.rep_transmissions;
    answer(a, connection.req);
    if (!first(a, connection.rep)) return &connection;
    Endpoint& server = connection.end[Side::server];
    keep_private_data(a, server);
    if (!whole) {
        connection.unread_reject = true;
        return &connection;
    }
    if (connection.began_before) note_service(connection, reply.body.service_id);
    if (reply.body.status != sidr_valid) {
        connection.reject = RejectSeen{Side::server, 0, reply.body.status, true, a.packet.number, a.packet.time, {}};
        return &connection;
    }
    server.qpn = reply.body.qpn;
    server.q_key = reply.body.q_key;
    traffic_.register_end(connection, Side::server);
    return &connection;
}

// ---- at the end ------------------------------------------------------------------------------------

namespace {

/// All retries are used up. Who asks no more before that may have had an answer that was not captured.
bool gave_up(const Connection& c) {
    return c.req && !c.unread_reject && c.service != Service::ud && c.max_cm_retries &&
           c.req_transmissions > *c.max_cm_retries;
}

/// The RTU was captured, but did not arrive: the server waited for it in vain.
bool rtu_was_lost(const Connection& c) {
    return c.reject && c.reject->by == Side::server && c.reject->message == ib::rejects_rep &&
           c.from[Side::server].packets == 0;
}

}  // namespace

Outcome outcome_so_far(const Connection& c) {
    if (rtu_was_lost(c)) return Outcome::rejected;
    const bool resolved = c.service == Service::ud && c.rep && !c.reject && !c.unread_reject;
    const bool used = c.rep && c.from[Side::client].packets != 0;
    if (c.rtu || resolved || used) return Outcome::connected;
    if (c.reject) return has_timed_out(c) ? Outcome::timeout : Outcome::rejected;
    if (!c.rep && gave_up(c)) return Outcome::timeout;
    return Outcome::unknown;
}

void Connections::finish(Time now) {
    for (Connection& connection : model_.connections) {
        if (connection.merged) continue;
        connection.outcome = outcome_so_far(connection);
        course_rules_.finish(connection, now);
    }
    course_rules_.finish();
    packet_rules_.finish();
}

}  // namespace fabricscope::engine::rdma_cm
