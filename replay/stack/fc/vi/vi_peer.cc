// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/vi_peer.h"

#include <algorithm>

#include "protocols/ib/headers.h"
#include "replay/stack/core/timers.h"

namespace fabricscope::stack {
namespace {

constexpr unsigned most_in_vain = 3;
constexpr std::uint64_t first_address = 0x7F00'0000'0000;
constexpr std::uint64_t address_step = 0x1000'0000;
constexpr std::uint32_t send_buffers = 16;
constexpr std::size_t number_size = 4;

Octets vi_message(std::uint32_t number, std::size_t size) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = vi_octet(number, i);
    return octets;
}

std::uint32_t number_of(ByteView data) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < std::min(number_size, data.size()); ++i) number = number << 8 | data[i];
    return number;
}

}  // namespace

std::uint8_t vi_octet(std::uint32_t number, std::size_t offset) {
    if (offset < number_size) return static_cast<std::uint8_t>(number >> (8 * (number_size - 1 - offset)));
    return static_cast<std::uint8_t>(offset * 131 + (offset >> 8) + number * 29 + 7);
}

vi::NetAddress vi_address(const Gid& host, const std::string& discriminator) {
    vi::NetAddress address;
    address.host = host;
    const std::size_t size = std::min(discriminator.size(), address.discriminator.octets.size());
    std::copy_n(discriminator.begin(), size, address.discriminator.octets.begin());
    address.discriminator_length = static_cast<std::uint16_t>(
        std::max<std::size_t>(size, fcvi::min_discriminator_length));
    return address;
}

ViPeer::ViPeer(const ViPeerConfig& config, std::vector<ViPlan> plans)
    : Host(config.host), provider_(config.provider, exchanges(), port()) {
    for (ViPlan& plan : plans) {
        Session session;
        session.left = plan.count;
        session.account.role = plan.role;
        session.plan = std::move(plan);
        sessions_.push_back(std::move(session));
    }
}

vi::NetAddress ViPeer::own_address(const std::string& discriminator) const {
    return vi_address(port().config().ip, discriminator);
}

void ViPeer::start(Time now, Time origin) {
    started_ = origin;
    provider_.names().init();
    port().start(now);
    work(now);
}

void ViPeer::on_port_event(Time now, const fibre_channel::NPortEvent& event) {
    if (event.what == fibre_channel::NPortEvent::What::online) begin_all(now);
    provider_.on_port_event(now, event);
}

/// Who asks first finds the other one now, so that nothing but the connection is left to do later.
void ViPeer::begin_all(Time now) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        const ViPlan& plan = sessions_[i].plan;
        set_timer(std::max(now, started_ + plan.at), Due::begin, i);
        if (plan.looks_early) port().reach(now, plan.remote);
    }
}

// ---- connections -------------------------------------------------------------------------------------

std::uint32_t ViPeer::longest(const Session& session) const {
    return session.plan.receive_size != 0 ? session.plan.receive_size : session.plan.attributes.max_transfer_size;
}

/// A VI, its buffers for receiving and for sending, and the memory for RDMA.
void ViPeer::make_vi(Session& session) {
    if (session.vi != 0) return;
    const vi::Ptag ptag = provider_.create_ptag();
    vi::Attributes attributes = session.plan.attributes;
    attributes.ptag = ptag;
    const auto index = static_cast<std::uint64_t>(&session - sessions_.data());
    const bool notify = session.plan.notify == ViNotify::completion_queue;
    if (notify) session.queue = provider_.create_cq();
    else if (session.plan.queue != 0) session.queue = provider_.create_cq(session.plan.queue);
    provider_.create_vi(attributes, notify ? session.queue : 0, session.queue, session.vi);
    if (notify) provider_.cq_notify(session.queue, index);
    session.slot = std::max(longest(session), session.plan.octets);
    session.buffer = first_address + 2 * index * address_step;
    session.region = session.buffer + address_step;
    provider_.memory().register_mem(
        session.buffer, session.slot * (session.plan.receives + send_buffers), {ptag, false, false},
        session.buffer_handle);
    if (session.plan.memory == 0) return;
    provider_.memory().register_mem(
        session.region, session.plan.memory, {ptag, session.plan.memory_writable, session.plan.memory_readable},
        session.region_handle);
    provider_.memory().write(session.region, session.region_handle, vi_message(0, session.plan.memory));
}

vi::AddressSegment ViPeer::memory_of(std::size_t plan) {
    make_vi(sessions_[plan]);
    return {sessions_[plan].region, sessions_[plan].region_handle};
}

void ViPeer::post_receive(Session& session, std::uint64_t slot) {
    vi::Descriptor descriptor;
    descriptor.data = {{session.buffer + slot * session.slot, session.buffer_handle, longest(session)}};
    descriptor.length = longest(session);
    descriptor.cookie = slot;
    provider_.post_receive(session.vi, std::move(descriptor));
}

void ViPeer::wait_for_client(Time now, Session& session) {
    provider_.connect_wait(now, own_address(session.plan.discriminator), session.plan.timeout);
}

void ViPeer::begin(Time now, std::size_t index) {
    Session& session = sessions_[index];
    make_vi(session);
    if (session.plan.role == ViRole::server) return wait_for_client(now, session);
    for (std::uint32_t i = 0; i < session.plan.receives; ++i) post_receive(session, i);
    Gid host = session.plan.remote;
    if (!session.plan.remote_name.empty()) {
        vi::NetAddress address;
        session.account.connect = provider_.names().host_by_name(session.plan.remote_name, 0, address);
        if (session.account.connect != vi::Return::success) return;
        host = address.host;
    }
    const vi::NetAddress remote = vi_address(host, session.plan.discriminator);
    if (session.plan.role == ViRole::client)
        provider_.connect_request(now, session.vi, own_address("fabricscope/client"), remote, session.plan.timeout);
    else
        provider_.connect_peer_request(
            now, session.vi, own_address(session.plan.discriminator), remote, session.plan.timeout);
}

void ViPeer::answer(Time now, std::size_t index) {
    Session& session = sessions_[index];
    if (session.plan.answer == ViAnswer::reject) {
        provider_.connect_reject(now, session.conn);
        session.account.connect = vi::Return::reject;
        return;
    }
    for (std::uint32_t i = 0; i < session.plan.receives; ++i) post_receive(session, i);
    const vi::Return result = provider_.connect_accept(now, session.conn, session.vi);
    if (result == vi::Return::success) return;
    session.account.connect = result;
    provider_.connect_reject(now, session.conn);
}

void ViPeer::connected(Time now, std::size_t index) {
    Session& session = sessions_[index];
    session.started = true;
    if (session.plan.names_memory)
        send(now, session, layout::octets_of(ib::Reth{session.region, session.region_handle, session.plan.memory}));
    const bool waits_for_name = session.plan.transfer != ViTransfer::send && !session.target;
    if (session.plan.role != ViRole::server && session.plan.messages != 0 && !waits_for_name)
        set_timer(now, Due::next_message, index);
    for (std::size_t i = 0; i < session.plan.further.size(); ++i)
        set_timer(now + session.plan.further[i].at, Due::further_message, index, i);
    if (session.plan.disconnect_after) set_timer(now + *session.plan.disconnect_after, Due::end, index);
    maybe_end(now, index);
}

// ---- Messages ----------------------------------------------------------------------------------------

void ViPeer::send(Time now, Session& session, Octets octets, vi::Descriptor descriptor) {
    session.outbox.push_back({std::move(octets), std::move(descriptor)});
    post_outbox(now, session);
}

/// A buffer is free again when the descriptor that used it is done.
void ViPeer::post_outbox(Time now, Session& session) {
    while (!session.outbox.empty() && session.posted - session.done < send_buffers) {
        Outgoing next = std::move(session.outbox.front());
        session.outbox.pop_front();
        const std::uint64_t slot = session.plan.receives + session.posted++ % send_buffers;
        const std::uint64_t buffer = session.buffer + slot * session.slot;
        const auto size = static_cast<std::uint32_t>(next.octets.size());
        if (next.descriptor.operation != vi::Operation::rdma_read)
            provider_.memory().write(buffer, session.buffer_handle, next.octets);
        next.descriptor.data = {{buffer, session.buffer_handle, size}};
        next.descriptor.length = size;
        provider_.post_send(now, session.vi, std::move(next.descriptor));
    }
}

bool ViPeer::is_connected(const Session& session) const {
    vi::ViQuery query;
    provider_.query_vi(session.vi, query);
    return query.state == vi::State::connected;
}

void ViPeer::send_message(Time now, std::size_t index) {
    Session& session = sessions_[index];
    const ViPlan& plan = session.plan;
    if (!is_connected(session) || session.begun == plan.messages) return;
    const bool immediate = plan.immediate_every != 0 && session.begun % plan.immediate_every == 0;
    ++session.begun;
    transfer(
        now, session,
        {.transfer = plan.transfer, .octets = plan.octets, .immediate = immediate, .beyond = plan.beyond});
    if (!plan.echoed && session.begun != plan.messages) set_timer(now + plan.pause, Due::next_message, index);
}

void ViPeer::send_further(Time now, std::size_t index, std::size_t message) {
    Session& session = sessions_[index];
    if (!is_connected(session)) return;
    ++session.further_begun;
    transfer(now, session, session.plan.further[message]);
}

void ViPeer::transfer(Time now, Session& session, const ViMessage& message) {
    const bool sends = message.transfer == ViTransfer::send;
    const std::uint32_t number = sends ? session.sends++ : session.transfers++;
    vi::Descriptor descriptor;
    if (!sends) {
        descriptor.operation = message.transfer == ViTransfer::write ? vi::Operation::rdma_write
                                                                     : vi::Operation::rdma_read;
        descriptor.remote = {session.target->address + message.beyond, session.target->handle};
    }
    if (message.immediate && message.transfer != ViTransfer::read) descriptor.immediate = number;
    send(now, session, vi_message(number, message.octets), std::move(descriptor));
}

void ViPeer::check(Session& session, ByteView data) {
    if (data.size() < number_size) return;
    const std::uint32_t number = number_of(data);
    for (std::size_t i = 0; i < data.size(); ++i)
        if (data[i] != vi_octet(number, i)) session.account.data_right = false;
}

void ViPeer::on_received(Time now, std::size_t index, const vi::Descriptor& descriptor) {
    Session& session = sessions_[index];
    if ((descriptor.status & vi::status::error_mask) != 0) {
        if ((descriptor.status & vi::status::desc_flushed_error) == 0)
            session.account.failures.push_back(descriptor.status);
        return;
    }
    const bool is_write = (descriptor.status & vi::status::op_mask) == vi::status::op_remote_write;
    const Octets data = is_write ? Octets{}
                                 : provider_.memory().read(
                                       descriptor.data[0].address, session.buffer_handle, descriptor.length);
    if (session.plan.repost) post_receive(session, descriptor.cookie);
    if (session.plan.role != ViRole::server && session.plan.transfer != ViTransfer::send && !session.target) {
        ib::Reth name{};
        if (data.size() == layout::size_of<ib::Reth> && !layout::parse_into(name, data)) {
            session.target = vi::AddressSegment{name.virtual_address, name.r_key};
            if (session.plan.messages != 0) set_timer(now, Due::next_message, index);
        }
        return;
    }
    if (is_write) return;
    check(session, data);
    if (data.size() >= number_size && number_of(data) != session.came_back) session.account.in_order = false;
    ++session.came_back;
    if (session.plan.echo) send(now, session, data);
    if (session.plan.echoed && session.begun < session.plan.messages)
        set_timer(now + session.plan.pause, Due::next_message, index);
    maybe_end(now, index);
}

void ViPeer::on_sent(Time now, std::size_t index, const vi::Descriptor& descriptor) {
    Session& session = sessions_[index];
    ++session.done;
    const bool failed = (descriptor.status & vi::status::error_mask) != 0;
    if (!failed) ++session.account.succeeded;
    else if ((descriptor.status & vi::status::desc_flushed_error) == 0)
        session.account.failures.push_back(descriptor.status);
    if (!failed && (descriptor.status & vi::status::op_mask) == vi::status::op_read) {
        const Octets data = provider_.memory().read(
            descriptor.data[0].address, session.buffer_handle, descriptor.length);
        for (std::size_t i = 0; i < data.size(); ++i)
            if (data[i] != vi_octet(0, i + (descriptor.remote->address - session.target->address)))
                session.account.data_right = false;
    }
    post_outbox(now, session);
    maybe_end(now, index);
}

// ---- ends --------------------------------------------------------------------------------------------

void ViPeer::maybe_end(Time now, std::size_t index) {
    Session& session = sessions_[index];
    if (!session.started || session.ending || session.plan.role == ViRole::server) return;
    const bool all_begun = session.begun >= session.plan.messages &&
                           session.further_begun == session.plan.further.size();
    if (!all_begun || session.done < session.posted || !session.outbox.empty()) return;
    if (session.plan.echoed && session.came_back < session.plan.messages) return;
    session.ending = true;
    if (session.plan.end != ViEnd::leave) set_timer(now + session.plan.hold, Due::end, index);
}

void ViPeer::end(Time now, std::size_t index) {
    Session& session = sessions_[index];
    vi::ViQuery query;
    if (session.vi == 0 || provider_.query_vi(session.vi, query) != vi::Return::success) return;
    if (session.plan.end == ViEnd::log_out && query.state == vi::State::connected)
        return port().log_out(now, provider_.peer_of(session.vi));
    if (query.state == vi::State::idle || session.disconnecting) return;
    if (session.plan.end == ViEnd::close && query.state == vi::State::connected) {
        provider_.close(now, session.vi);
        return;
    }
    session.disconnecting = true;
    provider_.disconnect(now, session.vi);
}

/// An endpoint in Error needs a Disconnect of its own (D.2).
void ViPeer::note_errors(Time now) {
    while (const auto error = provider_.next_error())
        for (std::size_t i = 0; i < sessions_.size(); ++i)
            if (sessions_[i].vi == error->vi) sessions_[i].account.errors.push_back(error->code);
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        Session& session = sessions_[i];
        vi::ViQuery query;
        if (session.vi == 0 || session.following || provider_.query_vi(session.vi, query) != vi::Return::success)
            continue;
        if (query.state != vi::State::error || session.disconnecting) continue;
        session.following = true;
        set_timer(now + session.plan.linger, Due::follow, i);
    }
}

// ---- what happens ------------------------------------------------------------------------------------

bool ViPeer::work_on(Time now, std::size_t index) {
    Session& session = sessions_[index];
    if (session.vi == 0) return false;
    bool busy = false;
    if (const vi::Return result = provider_.connect_done(session.vi); result != vi::Return::not_done) {
        busy = true;
        session.account.connect = result;
        if (result == vi::Return::success) connected(now, index);
    }
    if (const vi::Return result = provider_.disconnect_done(session.vi); result != vi::Return::not_done) {
        busy = true;
        session.account.disconnect = result;
        session.disconnecting = false;
        // Nobody asks for ever a port that refuses to listen.
        session.following = result == vi::Return::not_reachable && ++session.in_vain >= most_in_vain;
        if (session.plan.role == ViRole::server && session.left != 0) {
            session.came_back = 0;
            wait_for_client(now, session);
        }
    }
    watch(index);
    if (session.plan.notify == ViNotify::asks) busy = reap_descriptors(now, index) || busy;
    return busy;
}

bool ViPeer::reap_descriptors(Time now, std::size_t index) {
    Session& session = sessions_[index];
    bool busy = false;
    vi::Descriptor descriptor;
    const bool looks = session.plan.queue == 0;
    while (looks && provider_.receive_done(session.vi, descriptor) != vi::Return::not_done && descriptor.status != 0) {
        busy = true;
        on_received(now, index, descriptor);
        descriptor = {};
    }
    descriptor = {};
    while (provider_.send_done(session.vi, descriptor) != vi::Return::not_done && descriptor.status != 0) {
        busy = true;
        on_sent(now, index, descriptor);
        descriptor = {};
    }
    return busy;
}

/// One handler for each queue, again and again, as long as there is something to wait for.
void ViPeer::watch(std::size_t index) {
    Session& session = sessions_[index];
    if (session.plan.notify != ViNotify::queues) return;
    if (!session.watches_sends) session.watches_sends = provider_.send_notify(session.vi, index) == vi::Return::success;
    if (!session.watches_receives)
        session.watches_receives = provider_.receive_notify(session.vi, index) == vi::Return::success;
}

bool ViPeer::process_notifications(Time now) {
    bool busy = false;
    while (const auto notification = provider_.next_notification()) {
        busy = true;
        const auto index = static_cast<std::size_t>(notification->context);
        Session& session = sessions_[index];
        ++session.account.notifications;
        if (session.plan.notify == ViNotify::completion_queue) {
            reap_descriptors(now, index);
            provider_.cq_notify(session.queue, index);
            continue;
        }
        (notification->receive ? session.watches_receives : session.watches_sends) = false;
        if (!notification->has_descriptor) continue;
        if (notification->receive) on_received(now, index, notification->descriptor);
        else on_sent(now, index, notification->descriptor);
    }
    return busy;
}

bool ViPeer::consume(Time now) {
    bool busy = false;
    while (const auto request = provider_.next_request()) {
        busy = true;
        if (request->result != vi::Return::success) {
            for (Session& session : sessions_)
                if (session.plan.role == ViRole::server && session.account.connect == vi::Return::not_done &&
                    fcvi::same_discriminator(own_address(session.plan.discriminator), request->local))
                    session.account.connect = request->result;
            continue;
        }
        const auto server = std::ranges::find_if(sessions_, [&](const Session& session) {
            return session.plan.role == ViRole::server && session.left != 0 && session.vi != 0 &&
                   fcvi::same_discriminator(own_address(session.plan.discriminator), request->local);
        });
        if (server == sessions_.end()) continue;
        --server->left;
        server->conn = request->conn;
        provider_.names().host_by_address(request->remote, server->account.asked_by);
        if (server->plan.answer != ViAnswer::none)
            set_timer(now + server->plan.think, Due::answer, static_cast<std::size_t>(server - sessions_.begin()));
    }
    for (std::size_t i = 0; i < sessions_.size(); ++i) busy = work_on(now, i) || busy;
    busy = process_notifications(now) || busy;
    note_errors(now);
    return busy;
}

Time ViPeer::consumer_wakeup() const {
    Time earliest = provider_.wakeup();
    for (const Timer& timer : timers_) earliest = std::min(earliest, timer.at);
    return earliest;
}

void ViPeer::on_consumer_timer(Time now) {
    provider_.on_timer(now);
    for (const Timer& timer : take_due(timers_, now)) switch (timer.what) {
            case Due::begin: begin(now, timer.session); break;
            case Due::answer: answer(now, timer.session); break;
            case Due::next_message: send_message(now, timer.session); break;
            case Due::further_message: send_further(now, timer.session, timer.message); break;
            case Due::end:
            case Due::follow: end(now, timer.session); break;
        }
}

std::vector<ViAccount> ViPeer::accounts() const {
    std::vector<ViAccount> accounts;
    for (const Session& session : sessions_) {
        ViAccount account = session.account;
        vi::ViQuery query;
        if (session.vi != 0 && provider_.query_vi(session.vi, query) == vi::Return::success)
            account.state = query.state;
        account.counters = provider_.counters(session.vi);
        accounts.push_back(std::move(account));
    }
    return accounts;
}

}  // namespace fabricscope::stack
