// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/connections.h"

#include <algorithm>
#include <utility>

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

void note_sockets(Connection& connection, const std::optional<wire::IpHeader>& ip) {
    if (!ip) return;
    const wire::SocketService service = wire::socket_service(connection.service_id);
    std::visit(
        [&](const auto& addresses) {
            connection.client = {address_of(addresses.source), ip->versions.source_port};
            connection.server = {address_of(addresses.destination), service.port};
            connection.header = {ip->versions, fits(addresses, true), fits(addresses, false)};
        },
        ip->addresses);
}

/// 4.096 us * 2^code
Time duration_of(std::uint8_t code) { return Time{4096} << code; }

Sent sent(const capture::Packet& packet) { return {packet.time, packet.number, packet.ib.bth.psn}; }

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

const Connections::Party* Connections::find(const Address& owner, std::uint32_t id, bool sidr) const {
    const auto found = parties_.find({owner, id, sidr});
    return found == parties_.end() ? nullptr : &found->second;
}

void Connections::name_party(const Address& owner, std::uint32_t id, Party party, bool sidr) {
    at(party.connection).end[party.side].comm_id = id;
    parties_[{owner, id, sidr}] = party;
}

/// The connection whose other side a message goes to, by the id that side chose.
Connection* Connections::of_receiver(const Arrival& a, std::uint32_t local, std::uint32_t remote) {
    const Party* receiver = find(a.packet.destination, remote);
    if (receiver == nullptr) return nullptr;
    const Party party{receiver->connection, other(receiver->side), receiver->transaction_id};
    Connection& connection = at(party.connection);
    const auto& sender_id = connection.end[party.side].comm_id;
    if (sender_id && local != 0 && *sender_id != local) return nullptr;  // of another connection
    if (local != 0) name_party(a.packet.source, local, party);
    a.facts.from = party.side;
    return &connection;
}

/// The connection of a message with both communication ids; tells who sent it. The sender's own id is
/// not known yet if this is its first message.
Connection* Connections::known(const Arrival& a, std::uint32_t local, std::uint32_t remote) {
    if (const Party* sender = find(a.packet.source, local)) {
        const Connection& connection = at(sender->connection);
        const auto& peer = connection.end[other(sender->side)].comm_id;
        if (!peer || remote == 0 || *peer == remote) {
            a.facts.from = sender->side;
            return &at(sender->connection);
        }
    }
    return of_receiver(a, local, remote);
}

/// Peer to peer (IBA 12.9): both sent REQ with the same service id, and one answers the other's
/// with the id of its own. From here on there is one connection, that of the REQ which was answered.
void Connections::merge_peers(const Arrival& a, std::uint32_t local, std::uint32_t remote) {
    const Party* own = find(a.packet.source, local);
    const Party* asked = find(a.packet.destination, remote);
    if (own == nullptr || asked == nullptr || own->connection == asked->connection) return;
    if (own->side != Side::client || asked->side != Side::client) return;
    Connection& given_up = at(own->connection);
    Connection& kept = at(asked->connection);
    const bool crossed = given_up.service_id == kept.service_id && !given_up.rep && !kept.rep &&
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
    name_party(a.packet.source, local, {kept.id, Side::server, asked->transaction_id});
}

/// The connection that a REQ or SIDR_REQ asks for once more.
Connection* Connections::repeated(const Arrival& a, std::uint32_t id, bool sidr) {
    const Party* party = find(a.packet.source, id, sidr);
    const bool same = party != nullptr && party->side == Side::client &&
                      party->transaction_id == a.message.mad.transaction_id;
    if (!same) return nullptr;
    Connection& connection = at(party->connection);
    if (!sidr) request_rules_.on_repetition(a, connection);
    ++connection.req_transmissions;
    connection.last_req = sent(a.packet);
    a.facts.retransmission = true;
    return &connection;
}

// ---- what every message does -----------------------------------------------------------------------

void Connections::on_mad(const capture::Packet& packet) {
    course_rules_.on_mad(packet);
    if (wire::is_cm(packet.ib.payload, packet.ib.payload_length)) on_cm(packet, wire::parse(packet.ib.payload));
}

void Connections::on_cm(const capture::Packet& packet, const wire::Message& message) {
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.message = true;
    const Arrival a{packet, message, facts};
    if (!a.has(ids_end)) return;
    Connection* connection = std::visit([&](const auto& body) { return on(a, body); }, message.body);
    if (connection == nullptr) return;
    course_rules_.on_message(a, *connection);
    connection->last_time = std::max(connection->last_time, packet.time);
    ++connection->message_count;
    if (connection->messages.size() < options_.limits.messages)
        connection->messages.push_back(
            {packet.time, packet.number, message.attribute(), facts.from, facts.retransmission});
    facts.connection = connection->id;
    observer_.on_facts(facts);
    observer_.on_packet(facts, packet);
}

/// Whether this is the first message of its kind.
bool Connections::first(const Arrival& a, std::optional<FrameStamp>& step) {
    if (step) a.facts.retransmission = true;
    else step = a.step();
    return !a.facts.retransmission;
}

/// A REQ or SIDR_REQ.
void Connections::begin(const Arrival& a, Connection& connection) {
    connection.req = a.step();
    connection.req_transmissions = 1;
    connection.last_req = sent(a.packet);
    connection.end[Side::client].address = a.packet.source;
    connection.end[Side::client].private_data = without_padding(a.message.private_data);
    connection.end[Side::server].address = a.packet.destination;
}

void Connections::answer(const Arrival& a, const std::optional<FrameStamp>& request) {
    if (!request) return;
    a.facts.request_frame = request->frame;
    a.facts.request_time = request->time;
}

// ---- connections -----------------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::Req& req) {
    const ib::CmReq& body = req.body;
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, body.local_comm_id, false)) return again;
    Connection* connection = a.has(end_of<ib::CmReq>) ? create(a) : nullptr;
    if (connection == nullptr) return nullptr;
    begin(a, *connection);
    connection->service = service_of(body);
    note_service(*connection, body.service_id);
    if (a.has(req_paths_end + addresses_size)) note_sockets(*connection, req.ip);
    connection->p_key = body.p_key;
    if (const std::uint32_t mtu = ib::mtu_octets(body.path_mtu); mtu != 0) connection->mtu = mtu;
    if (a.has(req_paths_end)) {
        connection->path = req.primary;
        connection->alternate_path = path_if_any(req.alternate);
    }
    note_lids(*connection, a.packet);
    connection->retry_count = body.retry_count;
    connection->max_cm_retries = body.max_cm_retries;
    connection->answer_timeout = duration_of(body.remote_response_timeout);
    Endpoint& client = connection->end[Side::client];
    client.qpn = body.local_qpn;
    client.starting_psn = body.starting_psn;
    client.q_key = body.local_q_key;
    client.ca_guid = body.local_ca_guid;
    client.responder_resources = body.responder_resources;
    client.initiator_depth = body.initiator_depth;
    client.rnr_retry_count = body.rnr_retry_count;
    name_party(a.packet.source, body.local_comm_id, {connection->id, Side::client, a.message.mad.transaction_id});
    traffic_.register_end(*connection, Side::client);
    request_rules_.on_req(a, *connection);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmRep& rep) {
    if (!a.has(end_of<ib::CmRep>)) return nullptr;
    merge_peers(a, rep.local_comm_id, rep.remote_comm_id);
    Connection* connection = known(a, rep.local_comm_id, rep.remote_comm_id);
    if (connection == nullptr) {  // its REQ was sent before the capture began
        connection = create(a);
        if (connection == nullptr) return nullptr;
        connection->end[Side::client].address = a.packet.destination;
        connection->end[Side::server].address = a.packet.source;
        name_party(a.packet.destination, rep.remote_comm_id, {connection->id, Side::client, 0});
        name_party(a.packet.source, rep.local_comm_id, {connection->id, Side::server, 0});
        a.facts.from = Side::server;
    }
    ++connection->rep_transmissions;
    answer(a, connection->req);
    if (!connection->rep) {
        course_rules_.on_rep(a, *connection);
        answer_rules_.on_rep(a, *connection);
    }
    if (!first(a, connection->rep)) return connection;
    Endpoint& server = connection->end[Side::server];
    server.qpn = rep.local_qpn;
    server.starting_psn = rep.starting_psn;
    server.q_key = rep.local_q_key;
    server.ca_guid = rep.local_ca_guid;
    server.responder_resources = rep.responder_resources;
    server.initiator_depth = rep.initiator_depth;
    server.rnr_retry_count = rep.rnr_retry_count;
    server.private_data = without_padding(a.message.private_data);
    traffic_.register_end(*connection, Side::server);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmRtu& rtu) {
    Connection* connection = known(a, rtu.local_comm_id, rtu.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, connection->rep);
    if (!connection->rtu) course_rules_.on_rtu(a, *connection);
    first(a, connection->rtu);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmMra& mra) {
    Connection* connection = known(a, mra.local_comm_id, mra.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    if (a.has(end_of<ib::CmMra>))
        connection->answer_timeout = std::max(connection->answer_timeout, duration_of(mra.service_timeout));
    first(a, connection->mra);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::Rej& rej) {
    if (!a.has(end_of<ib::CmRej>)) return nullptr;
    Connection* connection = known(a, rej.body.local_comm_id, rej.body.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    if (connection->reject) {
        a.facts.retransmission = true;
        return connection;
    }
    answer_rules_.on_rej(a, *connection, rej);
    RejectSeen seen;
    seen.by = a.facts.from;
    seen.message = rej.body.message;
    seen.reason = rej.body.reason;
    seen.frame = a.packet.number;
    seen.time = a.packet.time;
    if (rej.information) {
        const std::size_t length = std::min<std::size_t>(rej.information->suggested_length, rej.additional.size());
        seen.information = RejectInformation{
            rej.information->layer,
            rej.information->code,
            {rej.additional.begin(), rej.additional.begin() + static_cast<std::ptrdiff_t>(length)}};
    }
    connection->reject = std::move(seen);
    Endpoint& by = connection->end[a.facts.from];
    if (by.private_data.empty()) by.private_data = without_padding(a.message.private_data);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmDreq& dreq) {
    Connection* connection = known(a, dreq.local_comm_id, dreq.remote_comm_id);
    if (connection == nullptr) return nullptr;
    ++connection->dreq_transmissions;
    connection->last_dreq = sent(a.packet);
    if (first(a, connection->dreq)) connection->disconnected_by = a.facts.from;
    else if (connection->disconnected_by != a.facts.from && !std::exchange(connection->both_disconnect, true))
        a.facts.retransmission = false;  // both at once
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmDrep& drep) {
    Connection* connection = known(a, drep.local_comm_id, drep.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, connection->dreq);
    if (first(a, connection->drep)) traffic_.release(*connection);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmLap& lap) {
    Connection* connection = known(a, lap.local_comm_id, lap.remote_comm_id);
    if (connection != nullptr) first(a, connection->lap);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::Apr& apr) {
    Connection* connection = known(a, apr.body.local_comm_id, apr.body.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, connection->lap);
    if (first(a, connection->apr) && a.has(end_of<ib::CmApr>)) connection->apr_status = apr.body.status;
    return connection;
}

// ---- service id resolution -------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::SidrReq& request) {
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, request.body.request_id, true)) return again;
    Connection* connection = a.has(end_of<ib::CmSidrReq>) ? create(a) : nullptr;
    if (connection == nullptr) return nullptr;
    begin(a, *connection);
    connection->service = Service::ud;
    note_service(*connection, request.body.service_id);
    if (a.has(end_of<ib::CmSidrReq> + addresses_size)) note_sockets(*connection, request.ip);
    connection->p_key = request.body.p_key;
    name_party(
        a.packet.source, request.body.request_id, {connection->id, Side::client, a.message.mad.transaction_id}, true);
    request_rules_.on_sidr_req(a, *connection);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::SidrRep& reply) {
    a.facts.from = Side::server;
    const Party* client = find(a.packet.destination, reply.body.request_id, true);
    if (client == nullptr || !a.has(end_of<ib::CmSidrRep>)) return nullptr;
    Connection& connection = at(client->connection);
    ++connection.rep_transmissions;
    answer(a, connection.req);
    if (!first(a, connection.rep)) return &connection;
    Endpoint& server = connection.end[Side::server];
    server.private_data = without_padding(a.message.private_data);
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

/// All retries are used up, or the capture went on for longer than the client waits.
bool gave_up(const Connection& c, Time now) {
    if (!c.req) return false;
    if (c.service != Service::ud && c.req_transmissions > c.max_cm_retries) return true;
    return c.answer_timeout != 0 && now - c.last_req.time > 2 * c.answer_timeout;
}

}  // namespace

Outcome outcome_so_far(const Connection& c, Time now) {
    const bool resolved = c.service == Service::ud && c.rep && !c.reject;
    const bool used = c.rep && c.from[Side::client].packets != 0;
    if (c.rtu || resolved || used) return Outcome::connected;
    if (c.reject)
        return c.reject->reason == ib::reject_timeout && !c.reject->sidr ? Outcome::timeout : Outcome::rejected;
    if (!c.rep && gave_up(c, now)) return Outcome::timeout;
    return Outcome::unknown;
}

void Connections::finish(Time now) {
    for (Connection& connection : model_.connections) {
        if (connection.merged) continue;
        connection.outcome = outcome_so_far(connection, now);
        if (!connection.rep && !connection.reject) answer_rules_.on_silence(connection);
        course_rules_.finish(connection, now);
    }
    course_rules_.finish();
}

}  // namespace fabricscope::engine::rdma_cm
