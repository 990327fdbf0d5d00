// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/rdma_peer.h"

#include <algorithm>

#include "protocols/ib/mtu.h"
#include "replay/stack/core/timers.h"

namespace fabricscope::stack {
namespace {

constexpr std::uint64_t memory_address = 0x5500'0000'0000;
constexpr std::size_t nobody = SIZE_MAX;
constexpr std::uint32_t shared_receive_queue = 1;  ///< a target has one; applications tell each other its number
constexpr std::size_t completion_size = 16;        ///< octets with which a command is answered, as in NVMe

Octets rdma_message(unsigned message, std::size_t size) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = rdma_octet(message, i);
    return octets;
}

/// With which a server's memory begins.
std::uint64_t first_number() { return number_in(rdma_message(0, ib::atomic_size)); }

/// Of a session, each at addresses of its own.
std::uint64_t memory_of(std::size_t session) { return memory_address + (std::uint64_t{session} << 24); }

/// Where the other side's memory is: address, key and length, as a RETH has them.
ib::Reth memory_name(ByteView private_data) {
    ib::Reth name{};
    if (private_data.size() >= layout::size_of<ib::Reth>) layout::parse_into(name, private_data);
    return name;
}

}  // namespace

std::uint8_t rdma_octet(unsigned message, std::size_t offset) {
    return static_cast<std::uint8_t>(offset * 131 + (offset >> 8) + message * 29 + 7);
}

void RdmaPeer::offer(const ServicePlan& plan) {
    services_[plan.service_id] = plan;
    cm().listen(plan.service_id);
}

void RdmaPeer::set_timer(Time at, Due what, std::size_t session) { timers_.push_back({at, what, session}); }

Time RdmaPeer::consumer_wakeup() const {
    Time earliest = never;
    for (const Timer& timer : timers_) earliest = std::min(earliest, timer.at);
    return earliest;
}

void RdmaPeer::on_consumer_timer(Time now) {
    for (const Timer& timer : take_due(timers_, now)) switch (timer.what) {
            case Due::answer: answer(now, timer.session); break;
            case Due::next_message: next_message(now, timer.session); break;
            case Due::end: end(now, timer.session); break;
            case Due::repost:
                if (RcQueuePair* qp = adapter().rc(sessions_[timer.session].qpn); qp != nullptr) qp->post_receive();
                break;
        }
}

std::vector<RdmaPeerAccount> RdmaPeer::accounts() const {
    std::vector<RdmaPeerAccount> accounts;
    for (const Session& session : sessions_) {
        accounts.push_back(session.account);
        accounts.back().qpn = session.qpn;
    }
    return accounts;
}

std::size_t RdmaPeer::session_of(CmId id) const {
    const auto found = std::ranges::find(sessions_, id, &Session::id);
    return found == sessions_.end() ? nobody : static_cast<std::size_t>(found - sessions_.begin());
}

std::size_t RdmaPeer::session_of_qpn(std::uint32_t qpn) const {
    const auto found = std::ranges::find(sessions_, qpn, &Session::qpn);
    return found == sessions_.end() ? nobody : static_cast<std::size_t>(found - sessions_.begin());
}

// ---- client --------------------------------------------------------------------------------------

void RdmaPeer::start(Time now, const ClientPlan& plan) {
    Session& session = sessions_.emplace_back();
    session.account.client = true;
    session.plan = plan;
    session.peer = plan.request.peer;
    CmRequest& request = session.plan->request;
    if (plan.datagrams) {
        session.qpn = adapter().create_ud(ServicePlan{}.q_key);
        session.id = cm().resolve(now, request);
    } else {
        session.qpn = request.qpn = adapter().create_rc();
        request.starting_psn = random().bits(24);
        session.id = cm().connect(now, request);
    }
}

void RdmaPeer::on_reply(Time now, std::size_t index) {
    Session& session = sessions_[index];
    const CmConnection* connection = cm().find(session.id);
    if (connection == nullptr) return;
    if (session.plan->end == ClientEnd::refuse) {
        session.account.outcome = "refused";
        close_queue_pair(session);
        return cm().reject(now, session.id, {});
    }
    connect_queue_pair(index, *connection);
    adapter().rc(session.qpn)->make_ready_to_send(now);
    const ib::Reth memory = memory_name(connection->reply->private_data);
    session.remote_address = memory.virtual_address;
    session.remote_rkey = memory.r_key;
    if (session.plan->type == TransferType::read) session.memory.resize(session.plan->octets);
    session.counter = first_number();
    session.account.outcome = "connected";
    cm().confirm(now, session.id);
    next_message(now, index);
}

void RdmaPeer::next_message(Time now, std::size_t index) {
    Session& session = sessions_[index];
    const ClientPlan& plan = *session.plan;
    if (session.ended) return;
    if (session.messages_begun == plan.messages) return set_timer(now + plan.hold, Due::end, index);
    const unsigned number = session.messages_begun++;
    if (plan.datagrams) {
        adapter().send_datagram(
            session.qpn, session.peer, session.remote_qpn, session.remote_q_key, rdma_message(number, plan.octets), {},
            session.qpn);
        ++session.account.messages_sent;
        session.account.sent += plan.octets;
        return set_timer(now + plan.pause, Due::next_message, index);
    }
    adapter().rc(session.qpn)->post_send(now, work_of(index, number));
}

WorkRequest RdmaPeer::work_of(std::size_t index, unsigned number) {
    Session& session = sessions_[index];
    const ClientPlan& plan = *session.plan;
    WorkRequest work;
    work.id = number;
    work.remote_address = session.remote_address + plan.beyond;
    work.rkey = session.remote_rkey;
    switch (plan.type) {
        case TransferType::send: work.octets = rdma_message(number, plan.octets); break;
        case TransferType::write:
            work.type = WorkType::rdma_write;
            work.octets = rdma_message(number, plan.octets);
            break;
        case TransferType::read:
            work.type = WorkType::rdma_read;
            work.read_into = session.memory;
            break;
        case TransferType::add:
            work.type = WorkType::fetch_and_add;
            work.swap_or_add = number + 1;
            break;
        case TransferType::swap:
            work.type = WorkType::compare_and_swap;
            work.compare = session.counter;
            work.swap_or_add = session.counter * 3 + number;
            break;
        case TransferType::command: return command_of(index, number);
    }
    return work;
}

/// A SEND of where the client's memory is, under a new key.
WorkRequest RdmaPeer::command_of(std::size_t index, unsigned number) {
    Session& session = sessions_[index];
    session.memory.assign(session.plan->octets, 0);
    const std::uint64_t address = memory_of(index);
    session.rkey = adapter().memory().add({address, session.memory, remote_write});
    WorkRequest work;
    work.id = number;
    append(work.octets, ib::Reth{address, session.rkey, session.plan->octets});
    return work;
}

void RdmaPeer::answer_command(Time now, const Session& session, unsigned number, ByteView command) {
    const ib::Reth target = memory_name(command);
    RcQueuePair* const queue_pair = adapter().rc(session.qpn);
    if (queue_pair == nullptr || target.dma_length > RcQueuePair::longest_message) return;
    WorkRequest data;
    data.id = number;
    data.type = WorkType::rdma_write;
    data.remote_address = target.virtual_address;
    data.rkey = target.r_key;
    data.octets = rdma_message(number, target.dma_length);
    queue_pair->post_send(now, std::move(data));
    WorkRequest done;
    done.id = number;
    done.octets = rdma_message(number, completion_size);
    done.invalidate = target.r_key;
    queue_pair->post_send(now, std::move(done));
}

/// A message has been echoed, or has reached the peer where nothing comes back.
void RdmaPeer::one_done(Time now, std::size_t index) {
    Session& session = sessions_[index];
    ++session.messages_done;
    if (session.plan->pause == 0) next_message(now, index);
    else set_timer(now + session.plan->pause, Due::next_message, index);
}

void RdmaPeer::end(Time now, std::size_t index) {
    Session& session = sessions_[index];
    if (session.ended) return;
    if (session.plan && (session.plan->end == ClientEnd::leave || session.plan->datagrams)) return;
    session.ended = true;
    cm().disconnect(now, session.id);
}

// ---- server --------------------------------------------------------------------------------------

void RdmaPeer::on_request(Time now, CmId id) {
    const CmConnection* connection = cm().find(id);
    Session& session = sessions_.emplace_back();
    session.id = id;
    session.peer = connection->peer;
    session.service = services_.at(connection->service_id);
    const ServicePlan& plan = *session.service;
    const std::size_t index = sessions_.size() - 1;
    if (plan.mra != 0) cm().delay(now, id, plan.mra);
    if (plan.answer == CmAnswer::none) return;
    if (plan.think == 0) answer(now, index);
    else set_timer(now + plan.think, Due::answer, index);
}

void RdmaPeer::answer(Time now, std::size_t index) {
    Session& session = sessions_[index];
    const ServicePlan& plan = *session.service;
    const CmConnection* connection = cm().find(session.id);
    if (connection == nullptr) return;
    const bool datagrams = connection->state == CmState::sidr_received;
    if (plan.answer == CmAnswer::reject) {
        session.account.outcome = "rejected";
        session.account.reject_reason = plan.rejection.reason;
        constexpr std::uint8_t rejected_by_service = 2;
        if (datagrams) cm().answer_sidr(now, session.id, rejected_by_service, 0, 0);
        else cm().reject(now, session.id, plan.rejection);
        return;
    }
    if (datagrams) {
        session.qpn = adapter().create_ud(plan.q_key);
        session.account.outcome = "connected";
        return cm().answer_sidr(now, session.id, 0, session.qpn, plan.q_key);
    }
    session.qpn = adapter().create_rc();
    session.memory.resize(plan.memory);
    for (std::size_t i = 0; i < session.memory.size(); ++i) session.memory[i] = rdma_octet(0, i);
    const std::uint64_t address = memory_of(index);
    session.rkey = adapter().memory().add({address, session.memory, plan.access});
    connect_queue_pair(index, *connection);
    adapter().rc(session.qpn)->post_receive(plan.receive_buffers);
    adapter().rc(session.qpn)->make_ready_to_send(now);
    CmReply reply;
    reply.qpn = session.qpn;
    reply.starting_psn = adapter().rc(session.qpn)->config().receive_psn;
    reply.responder_resources = connection->request.initiator_depth;
    reply.initiator_depth = connection->request.responder_resources;
    append(reply.private_data, ib::Reth{address, session.rkey, plan.memory});
    reply.private_data.insert(reply.private_data.end(), plan.private_data.begin(), plan.private_data.end());
    cm().accept(now, session.id, std::move(reply));
    if (plan.disconnect_after != never) set_timer(now + plan.disconnect_after, Due::end, index);
}

/// The client's timeouts and MTU hold for both.
void RdmaPeer::connect_queue_pair(std::size_t index, const CmConnection& connection) {
    Session& session = sessions_[index];
    RcConfig config = session.plan ? session.plan->rc : RcConfig{};
    config.remote_qpn = connection.remote_qpn();
    config.mtu = ib::mtu_octets(connection.request.path_mtu);
    config.timeout = connection.request.ack_timeout;
    config.retry_count = connection.request.retry_count;
    config.rnr_retry_count = connection.request.rnr_retry_count;
    config.service = connection.request.service;
    config.peer_srq = shared_receive_queue;
    if (session.service) {
        config.refusal = session.service->refusal;
        config.refused_message = session.service->refused_message;
    }
    // Each names the PSN at which the other one begins.
    config.send_psn = connection.client ? connection.reply->starting_psn : connection.request.starting_psn;
    config.receive_psn = connection.client ? connection.request.starting_psn : random().bits(24);
    adapter().connect_rc(session.qpn, connection.peer, config);
    if (connection.client) adapter().rc(session.qpn)->post_receive(64);
}

// ---- both ----------------------------------------------------------------------------------------

void RdmaPeer::close_queue_pair(Session& session) {
    session.ended = true;
    if (RcQueuePair* qp = adapter().rc(session.qpn); qp != nullptr) {
        session.account.retransmissions = qp->retransmissions();
        session.account.requester = qp->account();
        adapter().destroy_rc(session.qpn);
    }
    if (session.rkey != 0) adapter().memory().remove(session.rkey);
}

void RdmaPeer::on_cm_event(Time now, const CmEvent& event) {
    if (event.kind == CmEvent::Kind::request || event.kind == CmEvent::Kind::sidr_request)
        return on_request(now, event.id);
    const std::size_t index = session_of(event.id);
    if (index == nobody) return;
    Session& session = sessions_[index];
    switch (event.kind) {
        case CmEvent::Kind::reply: on_reply(now, index); break;
        case CmEvent::Kind::sidr_reply: on_sidr_reply(now, index, event); break;
        case CmEvent::Kind::established: session.account.outcome = "connected"; break;
        case CmEvent::Kind::rejected:
            session.account.outcome = "rejected";
            session.account.reject_reason = event.rejection.reason;
            close_queue_pair(session);
            break;
        case CmEvent::Kind::timed_out:
            session.account.outcome = "timeout";
            close_queue_pair(session);
            break;
        case CmEvent::Kind::disconnecting: cm().agree(now, event.id); break;
        case CmEvent::Kind::disconnected:
            if (session.account.outcome == "connected") session.account.outcome = "disconnected";
            close_queue_pair(session);
            break;
        default: break;
    }
}

void RdmaPeer::on_sidr_reply(Time now, std::size_t index, const CmEvent& event) {
    Session& session = sessions_[index];
    if (event.sidr_status != 0) {
        session.account.outcome = "rejected";
        session.account.reject_reason = event.sidr_status;
        return;
    }
    session.account.outcome = "connected";
    session.remote_qpn = event.qpn;
    session.remote_q_key = event.q_key;
    next_message(now, index);
}

void RdmaPeer::on_completion(Time now, Completion completion) {
    const std::size_t index = session_of_qpn(completion.qpn);
    if (index == nobody) return;
    if (completion.kind == Completion::Kind::receive) on_message(now, index, completion);
    else on_work(now, index, completion);
}

void RdmaPeer::on_message(Time now, std::size_t index, const Completion& completion) {
    Session& session = sessions_[index];
    RdmaPeerAccount& account = session.account;
    const auto number = static_cast<unsigned>(account.messages_received++);
    check_received(session, number, completion);
    RcQueuePair* qp = adapter().rc(session.qpn);
    if (session.service) {
        const ServicePlan& plan = *session.service;
        if (qp != nullptr && plan.repost == 0) qp->post_receive();
        else if (qp != nullptr) set_timer(now + plan.repost, Due::repost, index);
        if (plan.commands) return answer_command(now, session, number, completion.octets);
        const bool sends = qp != nullptr && qp->config().service != ib::Service::xrc;  // a target does not
        if (plan.echo && sends) qp->post_send(now, {.id = number, .octets = completion.octets});
        if (plan.echo && qp == nullptr)
            adapter().send_datagram(
                session.qpn, session.peer, completion.source_qpn, plan.q_key, completion.octets, {}, session.qpn);
        return;
    }
    if (qp == nullptr) return;
    qp->post_receive();
    one_done(now, index);
}

void RdmaPeer::check_received(Session& session, unsigned number, const Completion& completion) {
    RdmaPeerAccount& account = session.account;
    if (session.service && session.service->commands) return;
    const bool is_answer = session.plan && session.plan->type == TransferType::command;
    if (is_answer && completion.invalidated != session.rkey) account.data_right = false;
    const Octets& received = is_answer ? session.memory : completion.octets;
    account.received += received.size();
    for (std::size_t i = 0; i < received.size(); ++i)
        account.data_right = account.data_right && received[i] == rdma_octet(number, i);
}

void RdmaPeer::on_work(Time now, std::size_t index, const Completion& completion) {
    Session& session = sessions_[index];
    RdmaPeerAccount& account = session.account;
    if (completion.status != CompletionStatus::success) {
        if (completion.status != CompletionStatus::flushed) account.outcome = name_of(completion.status);
        if (!session.plan || session.ended) return;
        return set_timer(now + session.plan->hold, Due::end, index);
    }
    check_work(session, completion);
    const bool comes_back = session.plan && ((session.plan->type == TransferType::send && session.plan->echoed) ||
                                             session.plan->type == TransferType::command);
    if (session.plan && !comes_back) one_done(now, index);
}

/// What has come with it, if it was no mere acknowledgment.
void RdmaPeer::check_work(Session& session, const Completion& completion) {
    RdmaPeerAccount& account = session.account;
    if (!has_response(completion.type)) {
        ++account.messages_sent;
        account.sent += completion.length;
        return;
    }
    ++account.messages_received;
    if (completion.type == WorkType::rdma_read) {
        account.received += completion.length;
        for (std::size_t i = 0; i < session.memory.size(); ++i)
            account.data_right = account.data_right && session.memory[i] == rdma_octet(0, i);
        return;
    }
    account.data_right = account.data_right && completion.original == session.counter;
    session.counter = completion.type == WorkType::fetch_and_add ? session.counter + completion.id + 1
                                                                 : session.counter * 3 + completion.id;
}

}  // namespace fabricscope::stack
