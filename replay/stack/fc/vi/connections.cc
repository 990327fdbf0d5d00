// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/connections.h"

#include <algorithm>

namespace fabricscope::stack::vi {
namespace {

using fcvi::IuType;
using fcvi::Reason;

constexpr std::size_t most_setups = 256;  ///< that are remembered when they are over
constexpr std::size_t most_past = 4096;   ///< connections that are remembered when they are over
constexpr unsigned most_goodbyes = 2;     ///< attempts of a Disconnect

/// Reasons that leave the endpoint Idle (5.9.7.2.1).
bool is_error(Reason reason) {
    return reason == Reason::invalid_service_parameter || reason == Reason::reject_protocol_error ||
           reason == Reason::reject_transport_error;
}

bool nobody_there(Reason reason) {
    return reason == Reason::no_discriminator_match || reason == Reason::no_waiting_connectionpoint;
}

Return result_of(Reason reason) {
    if (nobody_there(reason)) return Return::no_match;
    return is_error(reason) ? Return::not_reachable : Return::reject;
}

void set_status(fcvi::DeviceHeader& header, Reason reason) {
    const std::uint8_t code = fcvi::reason_code(header.version, reason);
    if (header.version == fcvi::Version::iso) header.parameter = fcvi::ConnectionStatus{{0, code, 0, 0}};
    else header.parameter = fcvi::ConnectionStatusRev10{{0, code, 0, 0}};
    std::visit(
        [](auto& head) {
            if constexpr (requires { head.conn_sts; }) head.conn_sts = true;
            if constexpr (requires { head.conn_err; }) head.conn_err = true;
        },
        header.head);
}

void set_connection_id(fcvi::DeviceHeader& header, std::uint32_t id) {
    if (auto* target = std::get_if<fcvi::ConnectionTarget>(&header.target)) target->connection_id = id;
}

const fcvi::DisconnectHead* disconnect_flags(const fcvi::DeviceHeader& header) {
    return std::get_if<fcvi::DisconnectHead>(&header.head);
}

}  // namespace

// ---- both sides --------------------------------------------------------------------------------------

Connections::Setup* Connections::find(ExchangeHandle exchange) {
    const auto found = std::ranges::find_if(
        setups_, [&](const Setup& setup) { return setup.exchange == exchange && !setup.over; });
    return found == setups_.end() ? nullptr : &*found;
}

Connections::Setup* Connections::own_setup(const Vi& vi) {
    const auto found = std::ranges::find_if(
        setups_, [&](const Setup& setup) { return setup.own && vi_of(setup) == &vi && !setup.over; });
    return found == setups_.end() ? nullptr : &*found;
}

Vi* Connections::vi_of(const Setup& setup) {
    Vi* vi = shared_.find(setup.vi);
    return vi != nullptr && vi->handle == setup.handle ? vi : nullptr;
}

Connections::Pending* Connections::pending(ViHandle vi) {
    const auto found = std::ranges::find(pending_, vi, &Pending::vi);
    return found == pending_.end() ? nullptr : &*found;
}

void Connections::finish(Vi& vi, Return result) {
    std::erase_if(pending_, [&](const Pending& one) { return one.vi == vi.id; });
    vi.connect_result = result;
}

void Connections::forget_over() {
    while (setups_.size() > most_setups && setups_.front().over) setups_.pop_front();
    while (past_.size() > most_past) past_.erase(past_.begin());
}

/// A new connection has a new handle: nothing of an earlier one can be taken for it.
void Connections::prepare(Vi& vi) {
    vi.handle = next_handle_++;
    vi.remote_handle = fcvi::unassigned_handle;
    vi.next_msg_id = vi.expected = shared_.first_msg_id();
    vi.highest_completed = 0;
    vi.incoming.clear();
    vi.discarded.clear();
    vi.discards_all = vi.may_send = vi.may_complete = false;
    vi.failed_setup.reset();
    vi.error.reset();
    vi.asked_as_peer = false;
    vi.connect_result.reset();
    vi.disconnect_result.reset();
    vi.state = EndpointState::pending_connect;
    for (const ErrorDescriptor& error : vi.held_errors) shared_.report(error);
    vi.held_errors.clear();
}

fcvi::ConnectPayload Connections::payload_for(
    const Vi* vi, const NetAddress& local, const NetAddress& remote, bool refused) const {
    const auto fill = [&](auto& body) {
        body.head.handle = vi == nullptr || refused ? fcvi::unassigned_handle : vi->handle;
        static_cast<NetAddress&>(body.local) = local;
        static_cast<NetAddress&>(body.remote) = remote;
        const Attributes attributes = vi == nullptr ? Attributes{} : vi->attributes;
        body.attributes.reliability_level = fcvi::reliability_code(shared_.config.version, attributes.level);
        body.attributes.max_trans_size = attributes.max_transfer_size;
        body.attributes.en_rdma_wr = attributes.enable_rdma_write;
        body.attributes.en_rdma_rd = attributes.enable_rdma_read;
        if (attributes.preference) body.attributes.qos.preference = shared_.iso() ? 0x80 : 0x01;
        if (shared_.iso()) body.attributes.qos.pipeline_depth = attributes.pipeline_depth;
        body.attributes.qos.max_bandwidth = attributes.max_bandwidth;
        body.attributes.qos.min_bandwidth = attributes.min_bandwidth;
        body.attributes.qos.max_delay = attributes.max_delay;
    };
    fcvi::ConnectPayload payload;
    if (shared_.iso()) {
        fcvi::ConnectIso body;
        fill(body);
        if (shared_.config.connect_info) body.info.emplace();
        payload.body = body;
    } else {
        fcvi::ConnectRev10 body;
        fill(body);
        payload.body = body;
    }
    return payload;
}

void Connections::respond(
    Time now, Setup& setup, IuType type, std::uint32_t handle, std::optional<Reason> reason, bool last,
    std::string note) {
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, type);
    header.common().handle = handle;
    set_connection_id(header, setup.connection_id);
    if (auto* head = std::get_if<fcvi::ConnectResponseHead>(&header.head)) head->retry = setup.retry;
    if (reason) set_status(header, *reason);
    shared_.send(now, setup.exchange, header, {}, last, std::move(note));
}

void Connections::learn_peer(Vi& vi, const Setup& setup, std::uint32_t handle, const fcvi::ConnectPayload& theirs) {
    vi.peer = setup.port_id;
    vi.remote_handle = handle;
    const fcvi::CommonAttributes& attributes = theirs.attributes();
    vi.remote_attributes = Attributes{
        theirs.reliability().value_or(vi.attributes.level),
        attributes.max_trans_size,
        0,
        attributes.en_rdma_wr,
        attributes.en_rdma_rd,
        attributes.qos.pipeline_depth,
        attributes.qos.preference != 0,
        attributes.qos.max_bandwidth,
        attributes.qos.min_bandwidth,
        attributes.qos.max_delay};
    past_[vi.handle] = {.remote_handle = handle, .port_id = vi.peer};
}

/// 5.6
bool Connections::login_is_sufficient(std::uint32_t port_id) const {
    const fibre_channel::RemotePort* port = shared_.port.remote(port_id);
    return port != nullptr && port->increasing_seq_cnt && port->increasing_relative_offset;
}

// ---- asking for a connection -------------------------------------------------------------------------

Return Connections::request(
    Time now, Vi& vi, const NetAddress& local, const NetAddress& remote, Time timeout, bool as_peer) {
    if (timeout <= 0 || local.host != shared_.port.config().ip) return Return::invalid_parameter;
    if (!is_address(local) || !is_address(remote)) return Return::invalid_parameter;
    if (vi.state != EndpointState::idle) return Return::invalid_state;
    prepare(vi);
    vi.asked_as_peer = as_peer;
    forget_over();
    pending_.push_back({vi.id, as_peer, local, remote, later(now, timeout)});
    Setup setup;
    setup.own = true;
    setup.as_peer = as_peer;
    setup.vi = vi.id;
    setup.handle = vi.handle;
    setup.local = local;
    setup.remote = remote;
    setups_.push_back(setup);
    const auto host = hosts_.find(remote.host);
    if (host == hosts_.end()) {
        shared_.port.reach(now, remote.host);
    } else {
        setups_.back().port_id = host->second;
        ask(now, setups_.back());
    }
    return Return::success;
}

void Connections::learn(Time now, const Gid& host, std::uint32_t port_id) {
    hosts_[host] = port_id;
    for (std::size_t i = 0; i < setups_.size(); ++i) {
        Setup& setup = setups_[i];
        if (!setup.own || setup.over || setup.exchange != 0 || setup.remote.host != host) continue;
        setup.port_id = port_id;
        ask(now, setup);
    }
}

bool Connections::is_address(const NetAddress& address) const {
    return address.discriminator_length <= shared_.config.nic.max_discriminator;
}

std::vector<Gid> Connections::known_hosts() const {
    std::vector<Gid> hosts;
    for (const auto& [host, port] : hosts_)
        if (port != shared_.exchanges.port_id()) hosts.push_back(host);
    return hosts;
}

void Connections::unreachable(const Gid& host) {
    for (Setup& setup : setups_) {
        if (!setup.own || setup.over || setup.exchange != 0 || setup.remote.host != host) continue;
        setup.over = true;
        if (Vi* vi = vi_of(setup); vi != nullptr && vi->pending()) partitioned(*vi);
    }
}

/// VI-DG 3.3.4: on a reliable level the VI goes to Error, and what is posted comes back flushed.
void Connections::partitioned(Vi& vi) {
    if (vi.reliable()) shared_.fail(vi, std::nullopt);
    else shared_.stop_asking(vi);
    finish(vi, Return::not_reachable);
}

void Connections::ask(Time now, Setup& setup) {
    Vi* asking = vi_of(setup);
    if (asking == nullptr || !asking->pending()) {
        setup.over = true;
        return;
    }
    Vi& vi = *asking;
    if (!login_is_sufficient(setup.port_id)) {
        setup.over = true;
        return partitioned(vi);
    }
    vi.peer = setup.port_id;
    setup.connection_id = next_connection_id_++;
    setup.exchange = shared_.exchanges.open(fcvi::fc_type, setup.port_id, shared_.config.service_class);
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, IuType::connect_rqst);
    set_connection_id(header, setup.connection_id);
    const auto mode = static_cast<std::uint8_t>(
        setup.as_peer ? fcvi::ConnectMode::peer_to_peer : fcvi::ConnectMode::client_server);
    if (auto* head = std::get_if<fcvi::ConnectRequestHead>(&header.head)) {
        head->mode = mode;
        head->retry = setup.retry;
        head->conn_info = shared_.config.connect_info;
    } else if (auto* draft = std::get_if<fcvi::ConnectRequestHeadRev10>(&header.head)) {
        draft->mode = mode;
    }
    setup.t3 = now + shared_.ulp_timeout();
    shared_.send(
        now, setup.exchange, header, fcvi::build(payload_for(&vi, setup.local, setup.remote)), false,
        setup.retry ? "asks once more" : "asks for a connection");
}

void Connections::on_response1(
    Time now, Setup& setup, const fcvi::DeviceHeader& header, const fcvi::ConnectPayload& payload) {
    if (setup.answered) return;
    setup.answered = true;
    if (const fcvi::Status* status = header.status(); status != nullptr) {
        setup.answer = fcvi::reason_of(shared_.config.version, status->reason);
        respond(now, setup, IuType::connect_resp2, payload.handle(), {}, !shared_.iso(), "takes the refusal");
        if (!shared_.iso()) setup.over = true;
        on_refusal(now, setup, *setup.answer, payload);
    } else {
        on_acceptance(now, setup, payload);
    }
    settle(now, setup);
}

/// RESP2 is sent and the call completes in one step (C.5.3).
void Connections::on_acceptance(Time now, Setup& setup, const fcvi::ConnectPayload& payload) {
    Vi* waiting = vi_of(setup);
    if (waiting == nullptr || pending(waiting->id) == nullptr || !waiting->pending() || is_promised(*waiting)) {
        respond(
            now, setup, IuType::connect_resp2, payload.handle(), Reason::connect_timeout, !shared_.iso(),
            "the application waits no more");
        setup.over = !shared_.iso();
        return;
    }
    Vi& vi = *waiting;
    setup.accepted = true;
    learn_peer(vi, setup, payload.handle(), payload);
    vi.state = EndpointState::connected;
    vi.may_send = true;
    respond(now, setup, IuType::connect_resp2, vi.remote_handle, {}, !shared_.iso(), "is connected");
    if (!shared_.iso()) {
        vi.may_complete = true;
        setup.over = true;
    }
    finish(vi, Return::success);
}

void Connections::on_refusal(Time now, Setup& setup, Reason reason, const fcvi::ConnectPayload& payload) {
    Vi* asking = vi_of(setup);
    const Pending* waits = asking == nullptr ? nullptr : pending(asking->id);
    if (waits == nullptr) return;
    Vi& vi = *asking;
    if (waits->as_peer && (nobody_there(reason) || reason == Reason::concurrent_peer_requests)) {
        const bool accepts_the_other = std::ranges::any_of(setups_, [&](const Setup& one) {
            return !one.own && vi_of(one) == asking && !one.over && (one.accepted || one.held);
        });
        if (nobody_there(reason) || accepts_the_other) return;  // the peer's own request will do, or does
    }
    if (reason == Reason::reject_transport_error && shared_.iso() && !setup.retry) return retry(now, setup);
    if (is_error(reason)) {
        vi.failed_setup = setup.connection_id;
        shared_.fail(vi, reason == Reason::reject_transport_error ? Reason::transport_error : Reason::protocol_error);
        return finish(vi, Return::not_reachable);
    }
    const Return result = waits->as_peer ? result_for_peer(vi, reason, payload) : result_of(reason);
    shared_.stop_asking(vi);
    finish(vi, result);
}

/// VipConnectPeerDone has no VIP_REJECT: no application has said no, the attributes differ. Of a refusal that has
/// another cause, the document does not say what it returns.
Return Connections::result_for_peer(const Vi& vi, Reason reason, const fcvi::ConnectPayload& theirs) {
    const auto held = std::ranges::find_if(
        setups_, [&](const Setup& one) { return one.held && !one.over && vi_of(one) == &vi; });
    const Return wrong = mismatch(held == setups_.end() ? theirs : held->request, vi);
    return reason == Reason::connect_reject && wrong != Return::success ? wrong : Return::error_resource;
}

/// Without a handle the server has given the connection up (5.3.3).
void Connections::on_response3(Setup& setup, const fcvi::DeviceHeader& header) {
    setup.over = true;
    setup.t3 = never;
    Vi* vi = vi_of(setup);
    if (!setup.accepted || vi == nullptr || !vi->connected()) return;
    if (header.handle() == vi->handle) vi->may_complete = true;
    else shared_.fail(*vi, std::nullopt, AsyncError::conn_lost);
}

/// One time, in a new Exchange with a new FCVI_CONNECTION_ID (8.5.4).
void Connections::retry(Time now, Setup& setup) {
    Setup again;
    again.own = true;
    again.as_peer = setup.as_peer;
    again.retry = true;
    again.vi = setup.vi;
    again.handle = setup.handle;
    again.port_id = setup.port_id;
    again.local = setup.local;
    again.remote = setup.remote;
    shared_.find(setup.vi)->state = EndpointState::pending_connect_retry;
    setups_.push_back(again);
    ask(now, setups_.back());
}

/// C.3, rules 2 to 5.
void Connections::on_t3(Time now, Setup& setup) {
    setup.t3 = never;
    setup.over = true;
    shared_.exchanges.abort(now, setup.exchange, "the setup takes too long");
    Vi* vi = vi_of(setup);
    if (vi == nullptr) return;
    if (setup.accepted) {
        if (vi->connected()) shared_.fail(*vi, Reason::transport_error, AsyncError::conn_lost);
        return;
    }
    if (setup.answered || pending(vi->id) == nullptr) return;
    if (vi->state == EndpointState::pending_connect && shared_.iso()) retry(now, setup);
    else if (!vi->connected()) give_up(setup, *vi);
}

void Connections::give_up(Setup& setup, Vi& vi) {
    shared_.fail(vi, Reason::setup_timeout);
    vi.failed_setup = setup.connection_id;
    finish(vi, Return::not_reachable);
}

// ---- answering ---------------------------------------------------------------------------------------

Return Connections::wait(Time now, const NetAddress& local, Time timeout) {
    if (local.host != shared_.port.config().ip || !is_address(local) || timeout < 0) return Return::invalid_parameter;
    if (timeout == 0) return Return::timeout;  // requests that find nobody waiting are refused, and none is kept
    waits_.push_back({local, later(now, timeout)});
    return Return::success;
}

std::optional<ConnectionRequest> Connections::next_request() {
    if (requests_.empty()) return std::nullopt;
    const ConnectionRequest request = requests_.front();
    requests_.pop_front();
    return request;
}

void Connections::on_request(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    if (find(iu.exchange) != nullptr) return;
    fcvi::ConnectPayload payload = fcvi::parse_connect(iu.payload, iu.payload.size(), shared_.config.version);
    if (payload.error) return;
    payload.rest = {};
    Setup setup;
    setup.exchange = iu.exchange;
    setup.connection_id = header.connection_id().value_or(fcvi::unassigned_connection_id);
    setup.port_id = iu.first.s_id;
    setup.retry = header.retry();
    setup.local = payload.local();
    setup.remote = payload.remote();
    setup.their_handle = payload.handle();
    std::uint8_t mode = 0;
    if (const auto* head = std::get_if<fcvi::ConnectRequestHead>(&header.head)) mode = head->mode;
    if (const auto* head = std::get_if<fcvi::ConnectRequestHeadRev10>(&header.head)) mode = head->mode;
    setup.as_peer = mode == static_cast<std::uint8_t>(fcvi::ConnectMode::peer_to_peer);
    setup.request = payload;
    forget_over();
    setups_.push_back(setup);
    Setup& stored = setups_.back();
    if (stored.retry && answer_again(now, stored)) return;
    if (shared_.iso() && !login_is_sufficient(stored.port_id))
        return send_response1(now, stored, Reason::invalid_service_parameter);
    std::erase_if(waits_, [&](const Wait& wait) { return wait.until <= now; });
    if (stored.as_peer) match_peer(now, stored);
    else match_wait(now, stored);
}

/// C.4.1, rules 8 and 9: the answer is what it was before.
bool Connections::answer_again(Time now, Setup& setup) {
    const auto former = std::ranges::find_if(setups_, [&](const Setup& one) {
        return &one != &setup && !one.own && one.port_id == setup.port_id && one.their_handle == setup.their_handle;
    });
    if (former == setups_.end()) return false;
    former->over = true;
    former->t2 = never;
    setup.vi = former->vi;
    setup.handle = former->handle;
    setup.conn = former->conn;
    former->conn.reset();
    if (!former->answered) return setup.conn.has_value();
    setup.accepted = former->accepted;
    send_response1(now, setup, former->answer, former->shows_vi ? vi_of(setup) : nullptr);
    return true;
}

/// Servers and peers that wait are Connectionpoints alike (5.9.7.2.1).
Reason Connections::why_no_match() const {
    const auto waits_as_peer = [&](const Pending& one) { return one.as_peer && shared_.find(one.vi)->pending(); };
    const bool waits = !waits_.empty() || std::ranges::any_of(pending_, waits_as_peer);
    return waits ? Reason::no_discriminator_match : Reason::no_waiting_connectionpoint;
}

void Connections::match_wait(Time now, Setup& setup) {
    const auto wait = std::ranges::find_if(
        waits_, [&](const Wait& one) { return fcvi::same_discriminator(one.local, setup.remote); });
    if (wait == waits_.end()) return send_response1(now, setup, why_no_match());
    waits_.erase(wait);
    setup.conn = ++last_conn_;
    ConnectionRequest request;
    request.conn = *setup.conn;
    request.local = setup.remote;
    request.remote = setup.local;
    request.attributes.level = setup.request.reliability().value_or(Reliability::unreliable_delivery);
    request.attributes.max_transfer_size = setup.request.attributes().max_trans_size;
    request.attributes.pipeline_depth = setup.request.attributes().qos.pipeline_depth;
    request.attributes.max_bandwidth = setup.request.attributes().qos.max_bandwidth;
    request.attributes.min_bandwidth = setup.request.attributes().qos.min_bandwidth;
    request.attributes.max_delay = setup.request.attributes().qos.max_delay;
    request.attributes.enable_rdma_write = setup.request.attributes().en_rdma_wr;
    request.attributes.enable_rdma_read = setup.request.attributes().en_rdma_rd;
    requests_.push_back(request);
}

/// Level, transfer size and QoS must be equal (VI-DG 3.3.2).
Return Connections::mismatch(const fcvi::ConnectPayload& theirs, const Vi& vi) const {
    if (theirs.reliability() != vi.attributes.level) return Return::invalid_reliability_level;
    if (theirs.attributes().max_trans_size != vi.attributes.max_transfer_size) return Return::invalid_mtu;
    const fcvi::Qos& qos = theirs.attributes().qos;  // preference is each side's own (5.8.2)
    const Attributes& own = vi.attributes;
    const bool agrees = qos.max_bandwidth == own.max_bandwidth && qos.min_bandwidth == own.min_bandwidth &&
                        qos.max_delay == own.max_delay && (!shared_.iso() || qos.pipeline_depth == own.pipeline_depth);
    return agrees ? Return::success : Return::invalid_qos;
}

Return Connections::accept(Time now, ConnHandle conn, Vi& vi) {
    const auto setup = std::ranges::find(setups_, std::optional(conn), &Setup::conn);
    if (setup == setups_.end()) return Return::invalid_parameter;
    if (vi.state != EndpointState::idle) return Return::invalid_state;
    if (setup->over) {  // the client does not wait any more
        setup->conn.reset();
        return Return::timeout;
    }
    if (const Return wrong = mismatch(setup->request, vi); wrong != Return::success) return wrong;
    prepare(vi);
    setup->conn.reset();
    accept_setup(now, *setup, vi);
    return Return::success;
}

Return Connections::reject(Time now, ConnHandle conn) {
    const auto setup = std::ranges::find(setups_, std::optional(conn), &Setup::conn);
    if (setup == setups_.end()) return Return::invalid_parameter;
    setup->conn.reset();
    if (!setup->over) send_response1(now, *setup, Reason::connect_reject);
    return Return::success;
}

/// The endpoint takes Messages from now on (C.5.5).
void Connections::accept_setup(Time now, Setup& setup, Vi& vi) {
    setup.vi = vi.id;
    setup.handle = vi.handle;
    setup.accepted = true;
    learn_peer(vi, setup, setup.their_handle, setup.request);
    send_response1(now, setup, std::nullopt);
}

void Connections::send_response1(Time now, Setup& setup, std::optional<Reason> reason, const Vi* vi) {
    setup.answered = true;
    setup.answer = reason;
    setup.accepted = !reason;
    setup.held = false;
    setup.t2 = now + 2 * shared_.ulp_timeout();
    setup.shows_vi = vi != nullptr;
    if (!reason) vi = vi_of(setup);
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, IuType::connect_resp1);
    set_connection_id(header, setup.connection_id);
    if (auto* head = std::get_if<fcvi::ConnectResponseHead>(&header.head)) {
        head->retry = setup.retry;
        head->conn_info = shared_.config.connect_info;
    }
    if (reason) set_status(header, *reason);
    shared_.send(
        now, setup.exchange, header, fcvi::build(payload_for(vi, setup.remote, setup.local, reason.has_value())), false,
        reason ? "refuses the connection" : "accepts the connection");
}

/// RESP3 is sent and the call completes in one step (C.5.4).
void Connections::on_response2(Time now, Setup& setup, const fcvi::DeviceHeader& header) {
    if (!setup.answered) return;
    setup.t2 = never;
    setup.over = true;
    Vi* vi = setup.accepted ? vi_of(setup) : nullptr;
    if (vi != nullptr && vi->state == EndpointState::idle) vi = nullptr;
    const bool given_up = header.tells_status();
    if (shared_.iso()) {
        const std::uint32_t handle = setup.accepted ? setup.their_handle : fcvi::unassigned_handle;
        respond(now, setup, IuType::connect_resp3, handle, {}, true, vi == nullptr ? "" : "is connected");
    }
    if (setup.accepted && vi == nullptr && !given_up) return disown(now, setup);
    if (vi == nullptr || vi->connected() || vi->remote_handle != setup.their_handle) return;
    if (given_up) {
        vi->remote_handle = fcvi::unassigned_handle;
        if (setup.as_peer && pending(vi->id) != nullptr) return;  // another peer may still come
        shared_.stop_asking(*vi);
        return finish(*vi, Return::timeout);
    }
    if (vi->state == EndpointState::error) return;
    vi->state = EndpointState::connected;
    vi->may_send = vi->may_complete = true;
    finish(*vi, Return::success);
}

/// The application has disconnected before the connection was there (VI Architecture 5.2): the other side's is ended at
/// once, and nobody waits for the answer.
void Connections::disown(Time now, const Setup& setup) {
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, IuType::disconnect_rqst);
    header.common().handle = setup.their_handle;
    header.common().msg_id = 0;
    set_connection_id(header, 0);
    if (auto* head = std::get_if<fcvi::DisconnectHead>(&header.head)) head->vi_app_discon = true;
    else if (auto* draft = std::get_if<fcvi::ConnectRequestHeadRev10>(&header.head))
        draft->mode = fcvi::rev_1_0_application_disconnect;
    const ExchangeHandle exchange = shared_.exchanges.open(fcvi::fc_type, setup.port_id, shared_.config.service_class);
    shared_.send(now, exchange, header, {}, false, "nobody wants the connection any more");
}

/// C.4, rule 6.
void Connections::on_t2(Setup& setup) {
    setup.t2 = never;
    setup.over = true;
    Vi* vi = setup.accepted ? vi_of(setup) : nullptr;
    if (vi == nullptr || !vi->pending()) return;
    shared_.fail(*vi, Reason::transport_error, AsyncError::conn_lost);
    finish(*vi, Return::timeout);
}

// ---- peers -------------------------------------------------------------------------------------------

bool Connections::is_from_here(const Setup& theirs) const { return theirs.port_id == shared_.exchanges.port_id(); }

/// Of two VIs of one port the handles decide, as its name cannot (5.3.4).
int Connections::compare_with(const Setup& theirs, const Setup& own) const {
    if (is_from_here(theirs)) return own.handle < theirs.their_handle ? -1 : 1;
    if (!shared_.iso()) {
        const Gid& mine = shared_.port.config().ip;
        return mine < theirs.local.host ? -1 : mine > theirs.local.host ? 1 : 0;
    }
    const fibre_channel::RemotePort* peer = shared_.port.remote(theirs.port_id);
    const std::uint64_t name = peer == nullptr ? 0 : peer->port_name;
    const std::uint64_t mine = shared_.port.config().port_name;
    return mine < name ? -1 : mine > name ? 1 : 0;
}

bool Connections::is_promised(const Vi& vi) {
    return std::ranges::any_of(
        setups_, [&](const Setup& one) { return !one.own && one.accepted && !one.over && vi_of(one) == &vi; });
}

/// Hosts match crosswise, and the discriminators of both remote addresses (VI-DG 6.7).
void Connections::match_peer(Time now, Setup& setup) {
    const Pending* match = nullptr;
    for (const Pending& one : pending_) {
        if (!one.as_peer || one.remote.host != setup.local.host || one.local.host != setup.remote.host) continue;
        const Vi& vi = *shared_.find(one.vi);
        if (!vi.pending()) continue;  // in Error, its application does not know yet
        if (is_from_here(setup) && vi.handle == setup.their_handle) continue;  // no VI is its own peer
        const bool taken = is_promised(vi) || std::ranges::any_of(setups_, [&](const Setup& other) {
                               return other.held && !other.over && vi_of(other) == &vi;
                           });
        if (!taken && match == nullptr && fcvi::same_discriminator(one.remote, setup.remote)) match = &one;
    }
    if (match == nullptr) return send_response1(now, setup, why_no_match());
    setup.vi = match->vi;
    Vi& vi = *shared_.find(match->vi);
    setup.handle = vi.handle;
    Setup* own = own_setup(vi);
    if (own != nullptr && own->exchange != 0 && !own->answered) return arbitrate(now, setup, *own);
    agree(now, setup, vi);
}

/// The attributes decide. A refusal tells which ones this peer has, so that both know why.
void Connections::agree(Time now, Setup& setup, Vi& vi) {
    const Return wrong = mismatch(setup.request, vi);
    if (wrong == Return::success) return accept_setup(now, setup, vi);
    send_response1(now, setup, Reason::connect_reject, &vi);
    shared_.stop_asking(vi);
    finish(vi, wrong);
}

/// Both have asked, and neither has an answer: 5.3.4.
void Connections::arbitrate(Time now, Setup& theirs, Setup& own) {
    if (shared_.config.wrong_answer) return send_response1(now, theirs, *shared_.config.wrong_answer);
    const int order = compare_with(theirs, own);
    if (order > 0) return agree(now, theirs, *vi_of(own));
    if (!shared_.iso())
        return send_response1(now, theirs, order < 0 ? Reason::concurrent_peer_requests : Reason::duplicate_addresses);
    if (order == 0) return send_response1(now, theirs, Reason::reject_protocol_error);
    theirs.held = true;
}

/// The lower Port_Name has its answer, and answers by it (table 2).
void Connections::settle(Time now, Setup& own) {
    const auto held = std::ranges::find_if(setups_, [&](const Setup& one) {
        return one.held && one.vi == own.vi && one.handle == own.handle && !one.over;
    });
    if (held == setups_.end()) return;
    Vi* asking = vi_of(own);
    if (!own.answer) return send_response1(now, *held, Reason::concurrent_peer_requests);
    if (nobody_there(*own.answer) && asking != nullptr && asking->pending()) return agree(now, *held, *asking);
    send_response1(
        now, *held,
        own.answer == Reason::concurrent_peer_requests ? Reason::reject_protocol_error : Reason::connect_reject,
        asking);
    if (asking == nullptr || pending(asking->id) == nullptr || asking->state == EndpointState::pending_connect_retry)
        return;
    const Return result = result_for_peer(*asking, *own.answer, held->request);
    shared_.stop_asking(*asking);
    finish(*asking, result);
}

// ---- ends --------------------------------------------------------------------------------------------

Return Connections::disconnect(Time now, Vi& vi, By by) {
    const bool is_asked = std::ranges::any_of(
        disconnects_, [&](const OwnDisconnect& one) { return one.vi == vi.id && one.by == By::application; });
    if (is_asked && vi.remote_handle != fcvi::unassigned_handle) return Return::success;
    vi.disconnect_result.reset();
    std::erase_if(disconnects_, [&](const OwnDisconnect& one) { return one.vi == vi.id; });
    const bool aborts_setup = vi.failed_setup.has_value();
    const bool known_to_peer = vi.remote_handle != fcvi::unassigned_handle;
    std::erase_if(pending_, [&](const Pending& one) { return one.vi == vi.id; });  // an error may have come before
    if (vi.state == EndpointState::idle || vi.pending() || !(aborts_setup || known_to_peer)) {
        shared_.go_idle(vi);
        vi.disconnect_result = Return::success;
        return Return::success;
    }
    const std::optional<Reason> why = vi.error;
    shared_.fail(vi, Reason::transport_error);
    vi.error = why;
    disconnects_.push_back({.vi = vi.id, .by = by});
    send_disconnect(now, disconnects_.back());
    return Return::success;
}

/// D.1, rules 1 and 2. FCVI_CONNECTION_ID is what 6.12.2 says, not annex D.
void Connections::send_disconnect(Time now, OwnDisconnect& disconnect) {
    Vi& vi = *shared_.find(disconnect.vi);
    const bool aborts_setup = vi.failed_setup.has_value();
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, IuType::disconnect_rqst);
    header.common().handle = aborts_setup ? fcvi::unassigned_handle : vi.remote_handle;
    // In revision 1.0 a Disconnect counts like a Message (5.7.5).
    if (!shared_.iso()) header.common().msg_id = vi.next_msg_id++;
    else header.common().msg_id = aborts_setup ? 0 : vi.highest_completed;
    set_connection_id(header, vi.failed_setup.value_or(0));
    if (auto* head = std::get_if<fcvi::DisconnectHead>(&header.head)) {
        head->vi_app_discon = disconnect.by == By::application;
        head->conn_setup_abort = aborts_setup;
        if (vi.error) set_status(header, *vi.error);
    } else if (auto* draft = std::get_if<fcvi::ConnectRequestHeadRev10>(&header.head)) {
        draft->mode = disconnect.by == By::application ? fcvi::rev_1_0_application_disconnect
                                                       : fcvi::rev_1_0_kernel_disconnect;
    }
    disconnect.exchange = shared_.exchanges.open(fcvi::fc_type, vi.peer, shared_.config.service_class);
    disconnect.deadline = now + shared_.ulp_timeout();
    ++disconnect.attempts;
    shared_.send(now, disconnect.exchange, header, {}, false, "ends the connection");
}

void Connections::on_disconnect_response(Time /*now*/, ExchangeHandle exchange) {
    const auto disconnect = std::ranges::find(disconnects_, exchange, &OwnDisconnect::exchange);
    if (disconnect == disconnects_.end()) return;
    Vi& vi = *shared_.find(disconnect->vi);  // in Error until now, so that nobody could destroy it
    Past& past = past_[vi.handle];
    past.highest_completed = vi.highest_completed;
    past.ended_here = true;
    if (disconnect->by == By::application) {
        shared_.go_idle(vi);
        vi.disconnect_result = Return::success;
    } else {
        vi.remote_handle = fcvi::unassigned_handle;
    }
    disconnects_.erase(disconnect);
}

void Connections::on_disconnect_request(
    Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    fcvi::DeviceHeader response = fcvi::make_device_header(shared_.config.version, IuType::disconnect_resp);
    const fcvi::DisconnectHead* flags = disconnect_flags(header);
    const bool aborts_setup = flags != nullptr && flags->conn_setup_abort;
    if (auto* head = std::get_if<fcvi::DisconnectHead>(&response.head)) {
        head->vi_app_discon = flags->vi_app_discon;
        head->conn_setup_abort = aborts_setup;
    }
    set_connection_id(response, header.connection_id().value_or(0));
    if (!shared_.iso()) response.common().msg_id = header.msg_id();
    Vi* vi = shared_.by_handle(header.handle());
    const auto past = past_.find(header.handle());
    if (aborts_setup) {
        const auto setup = std::ranges::find_if(setups_, [&](const Setup& one) {
            return !one.own && one.port_id == iu.first.s_id && one.connection_id == header.connection_id();
        });
        if (setup == setups_.end()) {
            const bool known = past != past_.end();
            response.common().handle = known ? past->second.remote_handle : fcvi::unassigned_handle;
            set_status(response, known ? Reason::protocol_error : Reason::connection_does_not_exist);
        } else {
            setup->over = true;
            response.common().handle = setup->their_handle;
            vi = setup->accepted ? vi_of(*setup) : nullptr;
            set_status(response, Reason::disconnect_accept);  // C.5.8
        }
    } else if (past != past_.end()) {
        for (Setup& setup : setups_)  // nobody waits for RESP2 any more (C.5.9.2)
            if (!setup.own && vi != nullptr && vi_of(setup) == vi) setup.t2 = never;
        past->second.ended_there = true;
        response.common().handle = past->second.remote_handle;
        if (shared_.iso())
            response.common().msg_id = vi != nullptr ? vi->highest_completed : past->second.highest_completed;
    } else {
        set_status(response, Reason::connection_does_not_exist);
    }
    const bool was_there = vi != nullptr && vi->state != EndpointState::idle && vi->state != EndpointState::error;
    if (was_there) {
        shared_.fail(*vi, Reason::disconnect_accept, AsyncError::conn_lost);
        vi->error.reset();
        if (pending(vi->id) != nullptr) finish(*vi, Return::timeout);
    }
    shared_.send(now, iu.exchange, response, {}, true, "takes the end");
}

bool Connections::is_disconnecting(ViHandle vi) const {
    return std::ranges::find(disconnects_, vi, &OwnDisconnect::vi) != disconnects_.end();
}

bool Connections::awaits_disconnects() const {
    return std::ranges::any_of(
        past_, [](const auto& entry) { return entry.second.ended_here && !entry.second.ended_there; });
}

void Connections::logged_out(std::uint32_t port_id) {
    for (auto& [id, vi] : shared_.vis) {
        if (vi.peer != port_id || vi.state == EndpointState::idle) continue;
        const bool waits = vi.pending();
        shared_.fail(vi, Reason::transport_error, AsyncError::conn_lost);
        if (waits) finish(vi, Return::not_reachable);
        vi.remote_handle = fcvi::unassigned_handle;  // the peer that would have to be told has gone
        vi.failed_setup.reset();
    }
    for (const OwnDisconnect& disconnect : disconnects_)  // nobody is left to answer, and nobody to be told
        if (Vi& vi = *shared_.find(disconnect.vi); vi.peer == port_id && disconnect.by == By::application) {
            shared_.go_idle(vi);
            vi.disconnect_result = Return::success;
        }
    std::erase_if(disconnects_, [&](const OwnDisconnect& one) { return shared_.find(one.vi)->peer == port_id; });
    for (auto& [handle, past] : past_)
        if (past.port_id == port_id) past.ended_here = past.ended_there = true;
    for (Setup& setup : setups_)
        if (setup.port_id == port_id) setup.over = true;
    std::erase_if(hosts_, [&](const auto& entry) { return entry.second == port_id; });
}

// ---- what comes in, and timers -----------------------------------------------------------------------

void Connections::on_iu(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    const IuType type = header.iu()->type;
    if (type == IuType::connect_rqst) return on_request(now, iu, header);
    if (type == IuType::disconnect_rqst) return on_disconnect_request(now, iu, header);
    if (type == IuType::disconnect_resp) return on_disconnect_response(now, iu.exchange);
    Setup* setup = find(iu.exchange);
    if (setup == nullptr) return;
    if (setup->own && type == IuType::connect_resp1) {
        fcvi::ConnectPayload payload = fcvi::parse_connect(iu.payload, iu.payload.size(), shared_.config.version);
        if (!payload.error) on_response1(now, *setup, header, payload);
    } else if (setup->own && type == IuType::connect_resp3) {
        on_response3(*setup, header);
    } else if (!setup->own && type == IuType::connect_resp2) {
        on_response2(now, *setup, header);
    }
}

/// Failed Exchanges of a setup are taken care of by its timers; those of a Disconnect by TD.
void Connections::on_failure(Time now, ExchangeHandle exchange, fibre_channel::Failure failure) {
    if (failure == fibre_channel::Failure::aborted) return;
    if (Setup* setup = find(exchange); setup != nullptr && setup->own) return on_t3(now, *setup);
    const auto disconnect = std::ranges::find(disconnects_, exchange, &OwnDisconnect::exchange);
    if (disconnect != disconnects_.end()) disconnect->deadline = now;
}

Time Connections::wakeup() const {
    Time earliest = never;
    for (const Setup& setup : setups_)
        if (!setup.over) earliest = std::min({earliest, setup.t2, setup.t3});
    for (const Pending& one : pending_) earliest = std::min(earliest, one.until);
    for (const Wait& one : waits_) earliest = std::min(earliest, one.until);
    for (const OwnDisconnect& disconnect : disconnects_) earliest = std::min(earliest, disconnect.deadline);
    return earliest;
}

void Connections::on_timer(Time now) {
    for (std::size_t i = 0; i < setups_.size(); ++i) {
        Setup& setup = setups_[i];
        if (!setup.over && setup.t3 <= now) on_t3(now, setup);
        if (!setup.over && setup.t2 <= now) on_t2(setup);
    }
    for (const Wait& one : waits_)  // T0
        if (one.until <= now) {
            ConnectionRequest none;
            none.result = Return::timeout;
            none.local = one.local;
            requests_.push_back(none);
        }
    std::erase_if(waits_, [&](const Wait& one) { return one.until <= now; });
    std::vector<ViHandle> late;  // T1
    for (const Pending& one : pending_)
        if (one.until <= now) late.push_back(one.vi);
    for (const ViHandle id : late) {
        Vi& vi = *shared_.find(id);
        if (vi.pending()) shared_.go_idle(vi);  // C.5.5: what is posted comes back
        finish(vi, Return::timeout);
    }
    for (std::size_t i = 0; i < disconnects_.size(); ++i) {
        if (disconnects_[i].deadline > now) continue;
        shared_.exchanges.abort(now, disconnects_[i].exchange, "no answer to the Disconnect");
        if (disconnects_[i].attempts < most_goodbyes) {
            send_disconnect(now, disconnects_[i]);
            continue;
        }
        if (disconnects_[i].by == By::application)
            shared_.find(disconnects_[i].vi)->disconnect_result = Return::not_reachable;
        disconnects_[i].deadline = never;
    }
    std::erase_if(disconnects_, [](const OwnDisconnect& disconnect) { return disconnect.deadline == never; });
}

}  // namespace fabricscope::stack::vi
