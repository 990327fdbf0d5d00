// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/connections.h"

#include <algorithm>
#include <utility>

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::uint16_t kReasonTimeout = 4;  // IBA 12.6.7.2
constexpr std::uint8_t kSidrValid = 0;       // IBA 12.11.2

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

void note_service(Connection& connection, std::uint64_t service_id, const std::optional<wire::IpHeader>& ip) {
    connection.service_id = service_id;
    const wire::SocketService service = wire::socket_service(service_id);
    if (wire::is_socket_service(service_id)) connection.protocol = service.protocol;
    if (!ip) return;
    std::visit(
        [&](const auto& addresses) {
            connection.client = {address_of(addresses.source), ip->versions.source_port};
            connection.server = {address_of(addresses.destination), service.port};
        },
        ip->addresses);
}

/// 4.096 us * 2^code
Time duration_of(std::uint8_t code) { return Time{4096} << code; }

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

/// The connection that a REQ or SIDR_REQ asks for once more.
Connection* Connections::repeated(const Arrival& a, std::uint32_t id, bool sidr) {
    const Party* party = find(a.packet.source, id, sidr);
    const bool same = party != nullptr && party->side == Side::client &&
                      party->transaction_id == a.message.mad.transaction_id;
    if (!same) return nullptr;
    Connection& connection = at(party->connection);
    ++connection.req_transmissions;
    connection.last_req = a.packet.time;
    a.facts.retransmission = true;
    return &connection;
}

// ---- what every message does -----------------------------------------------------------------------

void Connections::on_mad(const capture::Packet& packet, const wire::Message& message) {
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.message = true;
    const Arrival a{packet, message, facts};
    Connection* connection = std::visit([&](const auto& body) { return on(a, body); }, message.body);
    if (connection == nullptr) return;
    connection->last_time = std::max(connection->last_time, packet.time);
    ++connection->message_count;
    if (connection->messages.size() < options_.limits.messages)
        connection->messages.push_back(
            {packet.time, packet.number, message.attribute(), facts.from, facts.retransmission});
    facts.connection = connection->id;
    observer_.on_facts(facts);
}

/// Whether this is the first message of its kind.
bool Connections::first(const Arrival& a, std::optional<Step>& step) {
    if (step) a.facts.retransmission = true;
    else step = Step{a.packet.time, a.packet.number};
    return !a.facts.retransmission;
}

void Connections::answer(const Arrival& a, const std::optional<Step>& request) {
    if (!request) return;
    a.facts.request_frame = request->frame;
    a.facts.request_time = request->time;
}

// ---- connections -----------------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::Req& req) {
    const ib::CmReq& body = req.body;
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, body.local_comm_id, false)) return again;
    Connection* connection = create(a);
    if (connection == nullptr) return nullptr;
    connection->service = service_of(body);
    note_service(*connection, body.service_id, req.ip);
    connection->req = Step{a.packet.time, a.packet.number};
    connection->req_transmissions = 1;
    connection->last_req = a.packet.time;
    connection->p_key = body.p_key;
    if (const std::uint32_t mtu = ib::mtu_octets(body.path_mtu); mtu != 0) connection->mtu = mtu;
    connection->path = req.primary;
    connection->retry_count = body.retry_count;
    connection->max_cm_retries = body.max_cm_retries;
    connection->answer_timeout = duration_of(body.remote_response_timeout);
    Endpoint& client = connection->end[Side::client];
    client.address = a.packet.source;
    client.qpn = body.local_qpn;
    client.starting_psn = body.starting_psn;
    client.q_key = body.local_q_key;
    client.ca_guid = body.local_ca_guid;
    client.responder_resources = body.responder_resources;
    client.initiator_depth = body.initiator_depth;
    client.rnr_retry_count = body.rnr_retry_count;
    client.private_data = without_padding(a.message.private_data);
    connection->end[Side::server].address = a.packet.destination;
    name_party(a.packet.source, body.local_comm_id, {connection->id, Side::client, a.message.mad.transaction_id});
    traffic_.register_end(*connection, Side::client);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmRep& rep) {
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
    first(a, connection->rtu);
    return connection;
}

Connection* Connections::on(const Arrival& a, const ib::CmMra& mra) {
    Connection* connection = known(a, mra.local_comm_id, mra.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    connection->answer_timeout = std::max(connection->answer_timeout, duration_of(mra.service_timeout));
    first(a, connection->mra);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::Rej& rej) {
    Connection* connection = known(a, rej.body.local_comm_id, rej.body.remote_comm_id);
    if (connection == nullptr) return nullptr;
    answer(a, a.facts.from == Side::server ? connection->req : connection->rep);
    if (connection->reject) {
        a.facts.retransmission = true;
        return connection;
    }
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
    return known(a, lap.local_comm_id, lap.remote_comm_id);
}

Connection* Connections::on(const Arrival& a, const wire::Apr& apr) {
    return known(a, apr.body.local_comm_id, apr.body.remote_comm_id);
}

// ---- service id resolution -------------------------------------------------------------------------

Connection* Connections::on(const Arrival& a, const wire::SidrReq& request) {
    a.facts.from = Side::client;
    if (Connection* again = repeated(a, request.body.request_id, true)) return again;
    Connection* connection = create(a);
    if (connection == nullptr) return nullptr;
    connection->service = Service::ud;
    note_service(*connection, request.body.service_id, request.ip);
    connection->req = Step{a.packet.time, a.packet.number};
    connection->req_transmissions = 1;
    connection->last_req = a.packet.time;
    connection->p_key = request.body.p_key;
    Endpoint& client = connection->end[Side::client];
    client.address = a.packet.source;
    client.private_data = without_padding(a.message.private_data);
    connection->end[Side::server].address = a.packet.destination;
    name_party(
        a.packet.source, request.body.request_id, {connection->id, Side::client, a.message.mad.transaction_id}, true);
    return connection;
}

Connection* Connections::on(const Arrival& a, const wire::SidrRep& reply) {
    a.facts.from = Side::server;
    const Party* client = find(a.packet.destination, reply.body.request_id, true);
    if (client == nullptr) return nullptr;
    Connection& connection = at(client->connection);
    ++connection.rep_transmissions;
    answer(a, connection.req);
    if (!first(a, connection.rep)) return &connection;
    Endpoint& server = connection.end[Side::server];
    server.private_data = without_padding(a.message.private_data);
    if (reply.body.status != kSidrValid) {
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
    return c.answer_timeout != 0 && now - c.last_req > 2 * c.answer_timeout;
}

}  // namespace

Outcome outcome_so_far(const Connection& c, Time now) {
    const bool resolved = c.service == Service::ud && c.rep && !c.reject;
    const bool used = c.rep && c.from[Side::client].packets != 0;
    if (c.rtu || resolved || used) return Outcome::connected;
    if (c.reject) return c.reject->reason == kReasonTimeout && !c.reject->sidr ? Outcome::timeout : Outcome::rejected;
    if (!c.rep && gave_up(c, now)) return Outcome::timeout;
    return Outcome::unknown;
}

void Connections::finish(Time now) {
    for (Connection& connection : model_.connections) connection.outcome = outcome_so_far(connection, now);
}

}  // namespace fabricscope::engine::rdma_cm
