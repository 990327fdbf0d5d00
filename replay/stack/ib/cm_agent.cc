// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/cm_agent.h"

#include <algorithm>

#include "protocols/ib/mad.h"

namespace fabricscope::stack {
namespace {

using ib::CmAttribute;

constexpr std::uint16_t rej_invalid_comm_id = 6;
enum RejectedMessage : std::uint8_t { rejects_req = 0, rejects_rep = 1, rejects_nothing = 2 };
enum IpServiceCode : std::uint8_t {
    bad_major = 1,
    bad_minor = 2,
    bad_ip_version = 3,
    bad_source = 4,
    bad_destination = 5,
    unknown_ip = 6
};
constexpr std::uint8_t apr_not_supported = 2;
constexpr std::uint8_t sidr_no_service = 1, sidr_rejected = 2;
constexpr std::uint16_t no_lid = 0xFFFF;  // as Linux has it on Ethernet
constexpr std::uint8_t rate_25_gbps = 15;

/// Upper 96 bits of zero, as an IPv4 address has to stand in an IPv6 address' place.
bool has_ipv4_form(const Gid& address) {
    return std::all_of(address.octets.begin(), address.octets.begin() + 12, [](std::uint8_t o) { return o == 0; });
}

struct IpPair {
    Gid source, destination;
};
/// As 128 bits each, of either version.
IpPair addresses_of(const cm::IpHeader& header) {
    if (const auto* v6 = std::get_if<cm::Ipv6Addresses>(&header.addresses)) return {v6->source, v6->destination};
    const Octets octets = layout::octets_of(std::get<cm::Ipv4Addresses>(header.addresses));
    IpPair pair;
    std::copy_n(octets.begin(), 16, pair.source.octets.begin());
    std::copy_n(octets.begin() + 16, 16, pair.destination.octets.begin());
    return pair;
}

// IBA 12.6.7, and annex A14 for what has no value of its own.
constexpr std::uint8_t extended_service = 3, extended_xrc = 1;

/// A target asks for nothing: what a REQ tells it for that has no meaning.
void set_service(ib::CmReq& req, ib::Service service) {
    if (service != ib::Service::xrc) {
        req.transport_service = static_cast<std::uint8_t>(service);
        return;
    }
    req.transport_service = extended_service;
    req.extended_transport = extended_xrc;
    req.responder_resources = req.retry_count = req.rnr_retry_count = 0;
}

}  // namespace

ib::Service service_of(const ib::CmReq& req) {
    const bool xrc = req.transport_service == extended_service && req.extended_transport == extended_xrc;
    return xrc ? ib::Service::xrc : static_cast<ib::Service>(req.transport_service);
}

CmRequest request_of(const cm::Req& req, const IbAddress& peer, ByteView private_data) {
    CmRequest request;
    request.peer = peer;
    request.service_id = req.body.service_id;
    request.ip = req.ip;
    request.service = service_of(req.body);
    request.qpn = req.body.local_qpn;
    request.starting_psn = req.body.starting_psn;
    request.path_mtu = req.body.path_mtu;
    request.responder_resources = req.body.responder_resources;
    request.initiator_depth = req.body.initiator_depth;
    request.retry_count = req.body.retry_count;
    request.rnr_retry_count = req.body.rnr_retry_count;
    request.ack_timeout = req.primary.local_ack_timeout;
    request.private_data.assign(private_data.begin(), private_data.end());
    request.like = req;
    return request;
}

cm::Req usual_request() {
    cm::Req req;
    req.primary.packet_rate = rate_25_gbps;
    req.primary.hop_limit = 64;
    return req;
}

CmRejection ip_service_rejection(std::uint8_t code, const Octets& suggested) {
    CmRejection rejection;
    rejection.additional = layout::octets_of(cm::RejectInformation{
        .layer = 0, .code = code, .suggested_length = static_cast<std::uint8_t>(suggested.size())});
    rejection.additional.insert(rejection.additional.end(), suggested.begin(), suggested.end());
    return rejection;
}

cm::IpHeader ip_header(const Gid& source, std::uint16_t source_port, const Gid& destination) {
    cm::IpHeader header;
    header.versions.source_port = source_port;
    if (!source.is_ipv4()) {
        header.versions.ip_version = 6;
        header.addresses = cm::Ipv6Addresses{source, destination};
        return header;
    }
    cm::Ipv4Addresses addresses;
    std::copy_n(source.octets.begin() + 12, 4, addresses.source.octets.begin());
    std::copy_n(destination.octets.begin() + 12, 4, addresses.destination.octets.begin());
    header.addresses = addresses;
    return header;
}

CmAgent::CmAgent(Adapter& adapter, CmConfig config, Random random)
    : adapter_(adapter), config_(std::move(config)), random_(random), transactions_(random_.bits(24)) {}

const CmConnection* CmAgent::find(CmId id) const {
    const auto found = connections_.find(id);
    return found == connections_.end() ? nullptr : &found->second;
}

CmConnection& CmAgent::add(CmId id, const IbAddress& peer) {
    while (id == 0 || connections_.contains(id)) id = random_.bits(32);
    CmConnection& connection = connections_[id];
    connection.id = id;
    connection.peer = peer;
    connection.max_retries = config_.max_cm_retries;
    connection.peer_response_timeout = config_.response_timeout;
    return connection;
}

CmConnection& CmAgent::add_server(const IbAddress& peer, std::uint32_t remote_id) {
    CmConnection& connection = add(random_.bits(32), peer);
    connection.remote_id = remote_id;
    servers_.emplace(remote_id, connection.id);
    return connection;
}

void CmAgent::forget(CmConnection& connection) {
    set_deadline(connection, never);
    const auto [begin, end] = servers_.equal_range(connection.remote_id);
    const auto server = std::find_if(begin, end, [&](const auto& one) { return one.second == connection.id; });
    if (server != end) servers_.erase(server);
    connections_.erase(connection.id);
}

void CmAgent::set_deadline(CmConnection& connection, Time deadline) {
    deadlines_.erase({connection.deadline, connection.id});
    connection.deadline = deadline;
    if (deadline != never) deadlines_.emplace(deadline, connection.id);
}

std::uint64_t CmAgent::new_transaction() { return 2ULL << 32 | (++transactions_ & 0xFFFF'FFFF); }

// ---- sending -------------------------------------------------------------------------------------

template <class Body>
Octets CmAgent::build(
    std::uint64_t transaction_id, CmAttribute attribute, const Body& body, ByteView private_data) const {
    cm::Message message;
    message.mad.transaction_id = transaction_id;
    message.mad.attribute_id = static_cast<std::uint16_t>(attribute);
    message.body = body;
    message.private_data = private_data;
    return cm::build(message);
}

template <class Body>
void CmAgent::send(
    CmConnection& connection, CmAttribute attribute, const Body& body, ByteView private_data, const char* note) {
    connection.last_message = build(connection.transaction_id, attribute, body, private_data);
    connection.last_note = note;
    transmit(connection);
}

void CmAgent::transmit(const CmConnection& connection) {
    adapter_.send_datagram(
        ib::gsi_qpn, connection.peer, ib::gsi_qpn, ib::gsi_q_key, connection.last_message, connection.last_note);
}

/// Repeats the last message when the peer has had its time, and both ways a packet's lifetime (IBA 12.9.8).
void CmAgent::wait_for_answer(Time now, CmConnection& connection, Time more) {
    const Time answer = later(later(now, more), coded_timeout(connection.peer_response_timeout));
    set_deadline(
        connection,
        later(later(answer, coded_timeout(config_.packet_lifetime)), coded_timeout(config_.packet_lifetime)));
}

void CmAgent::finish(Time now, CmConnection& connection) {
    connection.state = CmState::over;
    set_deadline(connection, now + config_.time_wait);
}

void CmAgent::report(CmEvent::Kind kind, const CmConnection& connection) {
    events_.push_back({.kind = kind, .id = connection.id});
}

/// In order of their ids.
void CmAgent::on_timer(Time now) {
    std::set<CmId> due;
    for (auto timer = deadlines_.begin(); timer != deadlines_.end() && timer->first <= now; ++timer)
        due.insert(timer->second);
    for (const CmId id : due) {
        CmConnection& connection = connections_.at(id);
        if (connection.state == CmState::over) {
            forget(connection);
        } else if (connection.repetitions++ < connection.max_retries) {
            if (connection.state == CmState::rep_wait) connection.state = CmState::req_sent;
            if (connection.state == CmState::mra_received) connection.state = CmState::rep_sent;
            wait_for_answer(now, connection);
            transmit(connection);
        } else {
            give_up(now, connection);
        }
    }
}

/// The peer is told that its answer would come too late (IBA 12.9.8.3); a disconnect needs none.
void CmAgent::give_up(Time now, CmConnection& connection) {
    if (connection.state == CmState::dreq_sent) {
        report(CmEvent::Kind::disconnected, connection);
        return finish(now, connection);
    }
    if (config_.reject_on_timeout && connection.state != CmState::sidr_sent) {
        cm::Rej rej;
        rej.body.local_comm_id = connection.id;
        rej.body.remote_comm_id = connection.remote_id;
        rej.body.message = rejects_nothing;
        rej.body.reason = ib::reject_timeout;
        // Without an answer its id is not known: the channel adapter tells who rejects (IBA 12.6.7).
        Octets guid;
        for (int shift = 56; shift >= 0; shift -= 8)
            guid.push_back(static_cast<std::uint8_t>(adapter_.config().guid >> shift));
        rej.body.ari_length = static_cast<std::uint8_t>(guid.size());
        guid.resize(ib::ari_size);
        rej.additional = guid;
        send(connection, CmAttribute::rej, rej, {}, "gives up: no answer");
    }
    report(CmEvent::Kind::timed_out, connection);
    finish(now, connection);
}

// ---- what a consumer asks for --------------------------------------------------------------------

CmId CmAgent::connect(Time now, CmRequest request) {
    CmConnection& connection = add(random_.bits(32), request.peer);
    connection.client = true;
    connection.state = CmState::req_sent;
    connection.service_id = request.service_id;
    connection.transaction_id = new_transaction();
    cm::Req req = request.like;
    req.body.local_comm_id = connection.id;
    req.body.service_id = request.service_id;
    req.body.local_ca_guid = adapter_.config().guid;
    req.body.local_qpn = request.qpn;
    req.body.responder_resources = request.responder_resources;
    req.body.initiator_depth = request.initiator_depth;
    req.body.remote_response_timeout = config_.response_timeout;
    req.body.starting_psn = request.starting_psn;
    req.body.local_response_timeout = config_.response_timeout;
    req.body.retry_count = request.retry_count;
    req.body.path_mtu = request.path_mtu;
    req.body.rnr_retry_count = request.rnr_retry_count;
    req.body.max_cm_retries = config_.max_cm_retries;
    set_service(req.body, request.service);
    req.primary.local_lid = req.primary.remote_lid = no_lid;
    req.primary.local_gid = adapter_.config().address.gid;
    req.primary.remote_gid = request.peer.gid;
    req.primary.local_ack_timeout = request.ack_timeout;
    req.ip = request.ip;
    connection.request = std::move(request);
    send(connection, CmAttribute::req, req, connection.request.private_data, "asks for a connection");
    wait_for_answer(now, connection);
    return connection.id;
}

void CmAgent::confirm(Time /*now*/, CmId id) {
    CmConnection* connection = by_local_id(id, CmState::rep_received);
    if (connection == nullptr) return;
    connection->state = CmState::established;
    set_deadline(*connection, never);
    send(*connection, CmAttribute::rtu, ib::CmRtu{connection->id, connection->remote_id}, {}, "is ready to use it");
}

void CmAgent::accept(Time now, CmId id, CmReply reply) {
    CmConnection* connection = by_local_id(id, CmState::req_received);
    if (connection == nullptr) return;
    ib::CmRep rep = reply.like;
    rep.local_comm_id = connection->id;
    rep.remote_comm_id = connection->remote_id;
    const bool xrc = connection->request.service == ib::Service::xrc;
    (xrc ? rep.local_eecn : rep.local_qpn) = reply.qpn;
    rep.srq |= xrc;
    rep.starting_psn = reply.starting_psn;
    rep.responder_resources = reply.responder_resources;
    rep.initiator_depth = xrc ? 0 : reply.initiator_depth;
    rep.rnr_retry_count = reply.rnr_retry_count;
    rep.local_ca_guid = adapter_.config().guid;
    connection->reply = std::move(reply);
    connection->state = CmState::rep_sent;
    connection->repetitions = 0;
    send(*connection, CmAttribute::rep, rep, connection->reply->private_data, "accepts the connection");
    wait_for_answer(now, *connection);
}

void CmAgent::reject(Time now, CmId id, CmRejection rejection) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    CmConnection& connection = found->second;
    cm::Rej rej;
    // A server that rejects a REQ has no communication id for it (IBA 12.6.7).
    rej.body.local_comm_id = connection.client ? connection.id : 0;
    rej.body.remote_comm_id = connection.remote_id;
    rej.body.message = connection.client ? rejects_rep : rejects_req;
    rej.body.reason = rejection.reason;
    rejection.additional.resize(std::min(rejection.additional.size(), ib::ari_size));
    rej.body.ari_length = static_cast<std::uint8_t>(rejection.additional.size());
    rejection.additional.resize(ib::ari_size);
    rej.additional = rejection.additional;
    send(connection, CmAttribute::rej, rej, rejection.private_data, "rejects the connection");
    finish(now, connection);
}

void CmAgent::delay(Time /*now*/, CmId id, std::uint8_t service_timeout) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    CmConnection& connection = found->second;
    const ib::CmMra mra{
        .local_comm_id = connection.id,
        .remote_comm_id = connection.remote_id,
        .message = connection.client ? rejects_rep : rejects_req,
        .service_timeout = service_timeout};
    send(connection, CmAttribute::mra, mra, {}, "will take longer to answer");
}

void CmAgent::disconnect(Time now, CmId id) {
    CmConnection* connection = by_local_id(id, CmState::established);
    if (connection == nullptr) connection = by_local_id(id, CmState::rep_sent);
    if (connection == nullptr) return;
    connection->state = CmState::dreq_sent;
    connection->repetitions = 0;
    connection->transaction_id = new_transaction();
    const ib::CmDreq dreq{connection->id, connection->remote_id, connection->remote_qpn()};
    send(*connection, CmAttribute::dreq, dreq, {}, "disconnects");
    wait_for_answer(now, *connection);
}

void CmAgent::agree(Time now, CmId id) {
    CmConnection* connection = by_local_id(id, CmState::dreq_received);
    if (connection == nullptr) return;
    send(*connection, CmAttribute::drep, ib::CmDrep{connection->id, connection->remote_id}, {}, "agrees to disconnect");
    report(CmEvent::Kind::disconnected, *connection);
    finish(now, *connection);
}

CmId CmAgent::resolve(Time now, CmRequest request) {
    CmConnection& connection = add(random_.bits(32), request.peer);
    connection.client = true;
    connection.state = CmState::sidr_sent;
    connection.service_id = request.service_id;
    connection.transaction_id = new_transaction();
    cm::SidrReq body;
    body.body.request_id = connection.id;
    body.body.service_id = request.service_id;
    body.ip = request.ip;
    connection.request = std::move(request);
    send(connection, CmAttribute::sidr_req, body, connection.request.private_data, "asks for a datagram service");
    wait_for_answer(now, connection);
    return connection.id;
}

void CmAgent::answer_sidr(Time now, CmId id, std::uint8_t status, std::uint32_t qpn, std::uint32_t q_key) {
    CmConnection* connection = by_local_id(id, CmState::sidr_received);
    if (connection == nullptr) return;
    cm::SidrRep reply;
    reply.body.request_id = connection->remote_id;
    reply.body.status = status;
    reply.body.service_id = connection->service_id;
    if (status == 0) {
        reply.body.qpn = qpn;
        reply.body.q_key = q_key;
    }
    const Octets nothing(ib::ari_size);
    reply.additional = nothing;
    send(
        *connection, CmAttribute::sidr_rep, reply, {},
        status == 0 ? "names its queue pair" : "refuses the datagram service");
    finish(now, *connection);
}

// ---- receiving -----------------------------------------------------------------------------------

void CmAgent::on_datagram(Time now, const Completion& datagram) {
    if (!cm::is_cm(datagram.octets, datagram.octets.size())) return;
    const cm::Message message = cm::parse(datagram.octets);
    if (message.error || message.mad.method != ib::mad_send) return;
    const Incoming in{message, {datagram.source_mac, datagram.source}};
    if (const auto* req = std::get_if<cm::Req>(&message.body)) on_req(now, in, *req);
    else if (const auto* mra = std::get_if<ib::CmMra>(&message.body)) on_mra(now, *mra);
    else if (const auto* rej = std::get_if<cm::Rej>(&message.body)) on_rej(now, in, *rej);
    else if (const auto* rep = std::get_if<ib::CmRep>(&message.body)) on_rep(in, *rep);
    else if (const auto* rtu = std::get_if<ib::CmRtu>(&message.body)) on_rtu(*rtu);
    else if (const auto* dreq = std::get_if<ib::CmDreq>(&message.body)) on_dreq(now, in, *dreq);
    else if (const auto* drep = std::get_if<ib::CmDrep>(&message.body)) on_drep(now, *drep);
    else if (const auto* sidr = std::get_if<cm::SidrReq>(&message.body)) on_sidr_req(now, in, *sidr);
    else if (const auto* resolved = std::get_if<cm::SidrRep>(&message.body)) on_sidr_rep(now, in, *resolved);
    else if (const auto* lap = std::get_if<ib::CmLap>(&message.body)) on_lap(in, *lap);
}

CmConnection* CmAgent::by_local_id(std::uint32_t id, CmState state) {
    const auto found = connections_.find(id);
    return found != connections_.end() && found->second.state == state ? &found->second : nullptr;
}

/// The connection that a message with both ids means.
CmConnection* CmAgent::answered(std::uint32_t local_id, std::uint32_t remote_id) {
    const auto found = connections_.find(local_id);
    return found != connections_.end() && found->second.remote_id == remote_id ? &found->second : nullptr;
}

CmConnection* CmAgent::by_remote(std::uint32_t remote_id, const IbAddress& peer, bool sidr) {
    const auto [begin, end] = servers_.equal_range(remote_id);
    for (auto server = begin; server != end; ++server) {
        CmConnection& connection = connections_.at(server->second);
        const bool is_sidr = connection.reply == std::nullopt && connection.request.qpn == 0;
        if (connection.peer.gid == peer.gid && is_sidr == sidr) return &connection;
    }
    return nullptr;
}

bool CmAgent::is_own_ip(const Gid& ip) const {
    return ip == adapter_.config().address.gid || std::ranges::find(config_.own_ips, ip) != config_.own_ips.end();
}

/// What annex A11 finds wrong, versions first (CA11-11).
std::optional<CmRejection> CmAgent::objection(const std::optional<cm::IpHeader>& ip, std::uint64_t service_id) const {
    if (!cm::is_socket_service(service_id)) return std::nullopt;
    if (!config_.ip_service || !ip) return CmRejection{.reason = ib::invalid_service_id};
    const cm::IpVersions& versions = ip->versions;
    if (versions.major_version != config_.major_version)
        return ip_service_rejection(bad_major, {config_.major_version});
    if (versions.minor_version > config_.minor_version) return ip_service_rejection(bad_minor, {config_.minor_version});
    const bool v4 = versions.ip_version == 4;
    if (!(v4 ? config_.ipv4 : versions.ip_version == 6 && config_.ipv6))
        return ip_service_rejection(bad_ip_version, {static_cast<std::uint8_t>(config_.ipv4 ? 4 : 6)});
    if (std::holds_alternative<std::monostate>(ip->addresses)) return std::nullopt;
    const IpPair pair = addresses_of(*ip);
    if (has_ipv4_form(pair.source) != v4) return ip_service_rejection(bad_source);
    if (has_ipv4_form(pair.destination) != v4) return ip_service_rejection(bad_destination);
    Gid destination = pair.destination;
    if (v4) destination.octets[10] = destination.octets[11] = 0xFF;
    if (!is_own_ip(destination)) return ip_service_rejection(unknown_ip);
    return std::nullopt;
}

void CmAgent::on_req(Time now, const Incoming& in, const cm::Req& req) {
    if (CmConnection* known = by_remote(req.body.local_comm_id, in.from, false); known != nullptr) {
        // The client has not got the answer: REP, REJ or MRA. As long as there is none, it has to wait.
        if (known->state == CmState::rep_sent || known->state == CmState::over || !known->last_message.empty())
            if (known->state != CmState::established) transmit(*known);
        return;
    }
    CmConnection& connection = add_server(in.from, req.body.local_comm_id);
    connection.state = CmState::req_received;
    connection.service_id = req.body.service_id;
    connection.transaction_id = in.message.mad.transaction_id;
    connection.max_retries = req.body.max_cm_retries;
    connection.peer_response_timeout = req.body.local_response_timeout;
    connection.request = request_of(req, in.from, in.message.private_data);
    if (const auto rejection = objection(req.ip, req.body.service_id)) return reject(now, connection.id, *rejection);
    if (!listening_.contains(req.body.service_id))
        return reject(now, connection.id, {.reason = ib::invalid_service_id});
    report(CmEvent::Kind::request, connection);
}

void CmAgent::on_mra(Time now, const ib::CmMra& mra) {
    const auto found = connections_.find(mra.remote_comm_id);
    if (found == connections_.end()) return;
    CmConnection& connection = found->second;
    if (connection.state == CmState::req_sent) connection.state = CmState::rep_wait;
    else if (connection.state == CmState::rep_sent) connection.state = CmState::mra_received;
    else return;
    set_deadline(
        connection, later(later(now, coded_timeout(mra.service_timeout)), coded_timeout(config_.packet_lifetime)));
    report(CmEvent::Kind::delayed, connection);
}

void CmAgent::on_rej(Time now, const Incoming& in, const cm::Rej& rej) {
    // A client that gives up names itself only: it does not know the server's id.
    CmConnection* connection = rej.body.remote_comm_id == 0 ? by_remote(rej.body.local_comm_id, in.from, false)
                                                            : nullptr;
    if (rej.body.remote_comm_id != 0) {
        const auto found = connections_.find(rej.body.remote_comm_id);
        if (found != connections_.end() && found->second.peer.gid == in.from.gid) connection = &found->second;
    }
    if (connection == nullptr || connection->state == CmState::over || connection->state == CmState::established)
        return;
    CmEvent event{.kind = CmEvent::Kind::rejected, .id = connection->id};
    event.rejection.reason = rej.body.reason;
    event.rejection.additional = cm::additional_information(rej);
    event.rejection.private_data.assign(in.message.private_data.begin(), in.message.private_data.end());
    events_.push_back(std::move(event));
    connection->last_message.clear();
    finish(now, *connection);
}

void CmAgent::on_rep(const Incoming& in, const ib::CmRep& rep) {
    const auto found = connections_.find(rep.remote_comm_id);
    if (found == connections_.end()) return reject_unknown(in, rep.local_comm_id, rejects_rep);
    CmConnection& connection = found->second;
    if (connection.state == CmState::established && connection.remote_id == rep.local_comm_id)
        return transmit(connection);  // the RTU was lost
    if (connection.state == CmState::over && !connection.last_message.empty()) return transmit(connection);
    if (connection.state != CmState::req_sent && connection.state != CmState::rep_wait) return;
    connection.remote_id = rep.local_comm_id;
    connection.state = CmState::rep_received;
    set_deadline(connection, never);
    connection.reply = CmReply{
        .qpn = ib::queue_pair_of(rep),
        .starting_psn = rep.starting_psn,
        .responder_resources = rep.responder_resources,
        .initiator_depth = rep.initiator_depth,
        .rnr_retry_count = rep.rnr_retry_count,
        .private_data = {in.message.private_data.begin(), in.message.private_data.end()}};
    report(CmEvent::Kind::reply, connection);
}

void CmAgent::reject_unknown(const Incoming& in, std::uint32_t remote_id, std::uint8_t which) {
    cm::Rej rej;
    rej.body.remote_comm_id = remote_id;
    rej.body.message = which;
    rej.body.reason = rej_invalid_comm_id;
    const Octets nothing(ib::ari_size);
    rej.additional = nothing;
    adapter_.send_datagram(
        ib::gsi_qpn, in.from, ib::gsi_qpn, ib::gsi_q_key,
        build(in.message.mad.transaction_id, CmAttribute::rej, rej, {}), "does not know that connection");
}

void CmAgent::on_rtu(const ib::CmRtu& rtu) {
    CmConnection* connection = answered(rtu.remote_comm_id, rtu.local_comm_id);
    if (connection == nullptr) return;
    if (connection->state != CmState::rep_sent && connection->state != CmState::mra_received) return;
    connection->state = CmState::established;
    set_deadline(*connection, never);
    report(CmEvent::Kind::established, *connection);
}

/// A DREQ is always answered, so that the peer can stop.
void CmAgent::on_dreq(Time now, const Incoming& in, const ib::CmDreq& dreq) {
    CmConnection* connection = answered(dreq.remote_comm_id, dreq.local_comm_id);
    const ib::CmDrep drep{dreq.remote_comm_id, dreq.local_comm_id};
    const auto answer = [&] {
        adapter_.send_datagram(
            ib::gsi_qpn, in.from, ib::gsi_qpn, ib::gsi_q_key,
            build(in.message.mad.transaction_id, CmAttribute::drep, drep, {}), "agrees to disconnect");
    };
    if (connection == nullptr) return answer();
    switch (connection->state) {
        case CmState::established:
        case CmState::rep_sent:
        case CmState::mra_received:
            connection->state = CmState::dreq_received;
            set_deadline(*connection, never);
            connection->transaction_id = in.message.mad.transaction_id;
            report(CmEvent::Kind::disconnecting, *connection);
            return;
        case CmState::dreq_received: return;  // the consumer takes its time
        case CmState::dreq_sent:              // both at once: each answers the other
            answer();
            report(CmEvent::Kind::disconnected, *connection);
            return finish(now, *connection);
        default: answer();
    }
}

void CmAgent::on_drep(Time now, const ib::CmDrep& drep) {
    CmConnection* connection = answered(drep.remote_comm_id, drep.local_comm_id);
    if (connection == nullptr || connection->state != CmState::dreq_sent) return;
    report(CmEvent::Kind::disconnected, *connection);
    finish(now, *connection);
}

void CmAgent::on_sidr_req(Time now, const Incoming& in, const cm::SidrReq& request) {
    if (CmConnection* known = by_remote(request.body.request_id, in.from, true); known != nullptr) {
        if (!known->last_message.empty()) transmit(*known);
        return;
    }
    CmConnection& connection = add_server(in.from, request.body.request_id);
    connection.state = CmState::sidr_received;
    connection.service_id = request.body.service_id;
    connection.transaction_id = in.message.mad.transaction_id;
    connection.request.peer = in.from;
    connection.request.service_id = request.body.service_id;
    connection.request.ip = request.ip;
    connection.request.private_data.assign(in.message.private_data.begin(), in.message.private_data.end());
    if (objection(request.ip, request.body.service_id)) return answer_sidr(now, connection.id, sidr_rejected, 0, 0);
    if (!listening_.contains(request.body.service_id)) return answer_sidr(now, connection.id, sidr_no_service, 0, 0);
    report(CmEvent::Kind::sidr_request, connection);
}

void CmAgent::on_sidr_rep(Time now, const Incoming& in, const cm::SidrRep& reply) {
    CmConnection* connection = by_local_id(reply.body.request_id, CmState::sidr_sent);
    if (connection == nullptr || connection->peer.gid != in.from.gid) return;
    events_.push_back(
        {.kind = CmEvent::Kind::sidr_reply,
         .id = connection->id,
         .rejection = {},
         .sidr_status = reply.body.status,
         .q_key = reply.body.q_key,
         .qpn = reply.body.qpn});
    finish(now, *connection);
}

/// There is no second path.
void CmAgent::on_lap(const Incoming& in, const ib::CmLap& lap) {
    cm::Apr apr;
    apr.body.local_comm_id = lap.remote_comm_id;
    apr.body.remote_comm_id = lap.local_comm_id;
    apr.body.status = apr_not_supported;
    const Octets nothing(ib::ari_size);
    apr.additional = nothing;
    adapter_.send_datagram(
        ib::gsi_qpn, in.from, ib::gsi_qpn, ib::gsi_q_key,
        build(in.message.mad.transaction_id, CmAttribute::apr, apr, {}), "has no alternate path");
}

}  // namespace fabricscope::stack
