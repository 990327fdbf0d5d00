// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/rdma_load.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/ib/cm.h"

namespace fabricscope::replay {

namespace {

using stack::CmEvent;
using stack::CmId;
using stack::CmState;
using stack::CompletionStatus;
using stack::WorkRequest;

constexpr std::uint8_t tcp_port_space = 6;
/// Coded: 0.5 s to answer, and 34 ms on the way.
constexpr std::uint8_t response_timeout = 17, packet_lifetime = 13;
constexpr std::uint8_t cm_retries = 7;
/// Coded: 67 ms without an acknowledgment.
constexpr std::uint8_t ack_timeout = 14;
constexpr std::uint8_t path_mtu = 3;  // 1024 octets
/// Of each session, posted again as they are used.
constexpr unsigned receive_buffers = 4096;
/// At the end nobody waits long for another one.
constexpr std::size_t most_sessions = 100'000;
constexpr std::uint16_t no_resources = 3;

/// A message is its number, in the first 8 octets as far as there are so many, and zeros.
Octets message_octets(std::uint64_t number, std::uint32_t size) {
    Octets octets(size);
    for (std::size_t i = 0; i < std::min<std::size_t>(size, sizeof number); ++i)
        octets[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return octets;
}

bool is_message(ByteView octets, std::uint64_t number) {
    for (std::size_t i = 0; i < std::min(octets.size(), sizeof number); ++i)
        if (octets[i] != static_cast<std::uint8_t>(number >> (8 * i))) return false;
    return true;
}

stack::RdmaHostConfig rdma_config(const LoadPlan& plan, unsigned host, const Gid& own, const Mac& mac) {
    stack::RdmaHostConfig config;
    config.adapter.address = {mac, own};
    config.adapter.guid = 0x02FA'0000'0000'0000 | host;
    config.cm.response_timeout = response_timeout;
    config.cm.packet_lifetime = packet_lifetime;
    config.cm.max_cm_retries = cm_retries;
    config.cm.reject_on_timeout = true;
    config.seed = plan.seed + host;
    return config;
}

std::string rejection_text(const stack::CmRejection& rejection) {
    const auto known = std::ranges::find(ib::reject_reason_names, rejection.reason, &layout::ValueName::value);
    if (known != ib::reject_reason_names.end()) return fmt::format("rejected: {}", known->name);
    return fmt::format("rejected: reason {}", rejection.reason);
}

}  // namespace

// ---- both ----------------------------------------------------------------------------------------

RdmaLoadHost::RdmaLoadHost(const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac)
    : RdmaHost(rdma_config(plan, host, own, mac)), plan_(plan), account_(account) {}

RdmaLoadHost::Session& RdmaLoadHost::add(CmId id, std::uint32_t qpn) {
    by_qpn_.emplace(qpn, id);
    return sessions_.emplace(id, Session{.id = id, .qpn = qpn}).first->second;
}

RdmaLoadHost::Session* RdmaLoadHost::session_of(CmId id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

RdmaLoadHost::Session* RdmaLoadHost::session_with(std::uint32_t qpn) {
    const auto found = by_qpn_.find(qpn);
    return found == by_qpn_.end() ? nullptr : session_of(found->second);
}

void RdmaLoadHost::connect(const Session& session, const stack::CmConnection& connection) {
    stack::RcConfig config;
    config.remote_qpn = connection.remote_qpn();
    config.mtu = ib::mtu_octets(connection.request.path_mtu);
    config.timeout = connection.request.ack_timeout;
    config.window = std::max<std::uint32_t>(config.window, plan_.depth);
    config.joint_acks = true;
    config.send_psn = connection.client ? connection.reply->starting_psn : connection.request.starting_psn;
    config.receive_psn = connection.client ? connection.request.starting_psn : random().bits(24);
    adapter().connect_rc(session.qpn, connection.peer, config);
}

void RdmaLoadHost::remove(const Session& session) {
    adapter().destroy_rc(session.qpn);
    by_qpn_.erase(session.qpn);
    sessions_.erase(session.id);
}

// ---- client --------------------------------------------------------------------------------------

void RdmaLoadClient::start_session(Time now, Time due) {
    stack::CmRequest request;
    request.peer = {plan().peer_mac, plan().peer};
    request.service_id = stack::socket_service_id(tcp_port_space, plan().port);
    request.ip = stack::ip_header(
        adapter().config().address.gid, static_cast<std::uint16_t>(random().between(0x8000, 0xFFFF)), plan().peer);
    request.qpn = adapter().create_rc();
    request.starting_psn = random().bits(24);
    request.path_mtu = path_mtu;
    request.ack_timeout = ack_timeout;
    const std::uint32_t qpn = request.qpn;
    add(cm().connect(now, std::move(request)), qpn).due = due;
    ++account().started;
}

void RdmaLoadClient::on_cm_event(Time now, const CmEvent& event) {
    Session* const session = session_of(event.id);
    if (session == nullptr) return;
    switch (event.kind) {
        case CmEvent::Kind::reply: on_reply(now, *session); break;
        case CmEvent::Kind::rejected: fail(*session, rejection_text(event.rejection)); break;
        case CmEvent::Kind::timed_out: fail(*session, "no answer to REQ"); break;
        case CmEvent::Kind::disconnecting:
            cm().agree(now, event.id);
            fail(*session, "the server disconnected");
            break;
        case CmEvent::Kind::disconnected:
            leave_ready(*session);
            ++account().completed;
            remove(*session);
            break;
        default: break;
    }
}

void RdmaLoadClient::on_reply(Time now, Session& session) {
    if (stopping()) {
        cm().reject(now, session.id, {});
        return fail(session, "not set up before the end");
    }
    connect(session, *cm().find(session.id));
    adapter().rc(session.qpn)->make_ready_to_send(now);
    cm().confirm(now, session.id);
    account().set_ups.add(now - session.due);
    session.ready = true;
    if (plan().kind == LoadKind::cm || plan().messages == 0) return disconnect(now, session);
    session.message_due.resize(plan().depth);
    session.place = ready_.size();
    ready_.push_back(session.id);
    while (plan().rate == 0 && has_room(session)) send(now, now, session);
}

bool RdmaLoadClient::has_room(const Session& session) const {
    return session.ready && !stopping() && session.begun - session.done < plan().depth &&
           (!plan().messages || session.begun < *plan().messages);
}

void RdmaLoadClient::send(Time now, Time due, Session& session) {
    session.message_due[session.begun % plan().depth] = due;
    WorkRequest work;
    work.octets = message_octets(session.begun++, plan().size);
    adapter().rc(session.qpn)->post_send(now, std::move(work));
}

bool RdmaLoadClient::post(Time now, Time due) {
    for (std::size_t tried = 0; tried < ready_.size(); ++tried) {
        turn_ = (turn_ + 1) % ready_.size();
        Session& session = *session_of(ready_[turn_]);
        if (!has_room(session)) continue;
        send(now, due, session);
        return true;
    }
    return false;
}

void RdmaLoadClient::on_completion(Time now, stack::Completion completion) {
    Session* const session = session_with(completion.qpn);
    if (session == nullptr) return;
    if (completion.status != CompletionStatus::success) {
        if (completion.status == CompletionStatus::flushed) return;
        cm().disconnect(now, session->id);
        return fail(*session, name_of(completion.status));
    }
    account().exchanges.add(now - session->message_due[session->done++ % plan().depth]);
    ++account().messages;
    account().octets += completion.length;
    const bool all = session->done == plan().messages || (stopping() && session->done == session->begun);
    if (all) disconnect(now, *session);
    else if (plan().rate == 0 && has_room(*session)) send(now, now, *session);
}

void RdmaLoadClient::disconnect(Time now, Session& session) {
    leave_ready(session);
    cm().disconnect(now, session.id);
}

void RdmaLoadClient::leave_ready(Session& session) {
    const bool listed = session.ready && session.place < ready_.size() && ready_[session.place] == session.id;
    session.ready = false;
    if (!listed) return;
    ready_[session.place] = ready_.back();
    session_of(ready_.back())->place = session.place;
    ready_.pop_back();
}

void RdmaLoadClient::fail(const Session& session, const std::string& reason) {
    leave_ready(*session_of(session.id));
    ++account().failed[reason];
    remove(session);
}

/// Messages under way are waited for; a set-up under way, too, and then refused.
void RdmaLoadClient::stop(Time now) {
    set_stopping();
    std::vector<CmId> connected;
    for (const auto& [id, session] : sessions())
        if (session.ready && session.done == session.begun) connected.push_back(id);
    std::ranges::sort(connected);
    for (const CmId id : connected) disconnect(now, *session_of(id));
}

// ---- server --------------------------------------------------------------------------------------

RdmaLoadServer::RdmaLoadServer(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac)
    : RdmaLoadHost(plan, account, 0, own, mac) {
    cm().listen(stack::socket_service_id(tcp_port_space, plan.port));
}

void RdmaLoadServer::accept(Time now, CmId id) {
    if (stopping()) return cm().reject(now, id, {});
    if (open() >= most_sessions) {
        ++account().failed["more sessions than a server has at once"];
        return cm().reject(now, id, {.reason = no_resources});
    }
    const stack::CmConnection& connection = *cm().find(id);
    const Session& session = add(id, adapter().create_rc());
    ++account().started;
    connect(session, connection);
    adapter().rc(session.qpn)->post_receive(receive_buffers);
    stack::CmReply reply;
    reply.qpn = session.qpn;
    reply.starting_psn = adapter().rc(session.qpn)->config().receive_psn;
    cm().accept(now, id, std::move(reply));
}

void RdmaLoadServer::on_cm_event(Time now, const CmEvent& event) {
    switch (event.kind) {
        case CmEvent::Kind::request: accept(now, event.id); break;
        case CmEvent::Kind::rejected: end(event.id, "rejected by the client"); break;
        case CmEvent::Kind::timed_out: end(event.id, "no answer to REP"); break;
        case CmEvent::Kind::disconnecting: cm().agree(now, event.id); break;
        case CmEvent::Kind::disconnected: end(event.id, nullptr); break;
        default: break;
    }
}

/// `reason`: why it has failed; nullptr if it was completed.
void RdmaLoadServer::end(CmId id, const char* reason) {
    const Session* const session = session_of(id);
    if (session == nullptr) return;
    if (reason == nullptr) ++account().completed;
    else ++account().failed[reason];
    remove(*session);
}

void RdmaLoadServer::on_completion(Time now, stack::Completion completion) {
    Session* const session = session_with(completion.qpn);
    if (session == nullptr) return;
    if (completion.status != CompletionStatus::success) return cm().disconnect(now, session->id);
    if (completion.kind != stack::Completion::Kind::receive) return;
    if (!is_message(completion.octets, session->begun++)) ++account().wrong;
    ++account().messages;
    account().octets += completion.octets.size();
    adapter().rc(session->qpn)->post_receive();
}

void RdmaLoadServer::stop(Time now) {
    set_stopping();
    std::vector<CmId> all;
    for (const auto& [id, session] : sessions()) all.push_back(id);
    std::ranges::sort(all);
    for (const CmId id : all) cm().disconnect(now, id);
}

}  // namespace fabricscope::replay
