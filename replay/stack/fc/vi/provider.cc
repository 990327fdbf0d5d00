// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/provider.h"

#include <algorithm>

namespace fabricscope::stack::vi {
namespace {

constexpr MemHandle first_memory_handle = 0x4D00;
constexpr std::uint32_t links_through_fabric = 2, links_point_to_point = 1;

State state_of(EndpointState state) {
    switch (state) {
        case EndpointState::idle: return State::idle;
        case EndpointState::connected: return State::connected;
        case EndpointState::error: return State::error;
        default: return State::connect_pending;
    }
}

}  // namespace

Provider::Provider(const ProviderConfig& config, Exchanges& exchanges, fibre_channel::NPort& port)
    : shared_{.config = config, .exchanges = exchanges, .port = port, .memory = Memory(first_memory_handle, config.nic), .vis = {}, .counters = {}, .queues = {}, .errors = {}, .notifications = {}},
      connections_(shared_),
      messages_(shared_),
      names_(config.names) {
    exchanges.set_user(fcvi::fc_type, *this);
}

// ---- VIs ---------------------------------------------------------------------------------------------

Return Provider::check(const Attributes& attributes) const {
    if (!shared_.memory.has_ptag(attributes.ptag)) return Return::invalid_ptag;
    const NicAttributes& nic = shared_.config.nic;
    const auto has = [&](const std::vector<Reliability>& levels) {
        return std::ranges::find(levels, attributes.level) != levels.end();
    };
    if (!has(nic.levels)) return Return::invalid_reliability_level;
    if (attributes.max_transfer_size == 0 || attributes.max_transfer_size > nic.max_transfer_size)
        return Return::invalid_mtu;
    const bool promises = attributes.max_bandwidth != 0 || attributes.min_bandwidth != 0 || attributes.max_delay != 0;
    if (promises && !shared_.config.any_qos) return Return::invalid_qos;
    const bool may_read = has(nic.rdma_read_levels) || shared_.config.any_rdma_read;
    return attributes.enable_rdma_read && !may_read ? Return::invalid_rdmaread : Return::success;
}

Return Provider::create_vi(const Attributes& attributes, CqHandle send_cq, CqHandle receive_cq, ViHandle& vi) {
    const auto has = [&](CqHandle cq) { return cq == 0 || shared_.queues.contains(cq); };
    if (!has(send_cq) || !has(receive_cq)) return Return::invalid_parameter;
    if (const Return wrong = check(attributes); wrong != Return::success) return wrong;
    if (shared_.vis.size() >= shared_.config.nic.max_vi) return Return::error_resource;
    vi = ++last_vi_;
    Vi& created = shared_.vis[vi];
    created.id = vi;
    created.attributes = attributes;
    created.send_cq = send_cq;
    created.receive_cq = receive_cq;
    return Return::success;
}

Return Provider::destroy_vi(ViHandle vi) {
    const Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    const bool busy = found->state != EndpointState::idle || !found->sends.empty() || !found->receives.empty() ||
                      !found->done_sends.empty() || !found->done_receives.empty();
    if (busy) return Return::invalid_state;
    shared_.vis.erase(vi);
    return Return::success;
}

Return Provider::query_vi(ViHandle vi, ViQuery& query) const {
    const auto found = shared_.vis.find(vi);
    if (found == shared_.vis.end()) return Return::invalid_parameter;
    const Vi& there = found->second;
    query = {
        state_of(there.state), there.attributes, there.sends.empty() && there.done_sends.empty(),
        there.receives.empty() && there.done_receives.empty()};
    return Return::success;
}

Return Provider::set_vi_attributes(ViHandle vi, const Attributes& attributes) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (found->state != EndpointState::idle) return Return::invalid_state;
    if (const Return wrong = check(attributes); wrong != Return::success) return wrong;
    found->attributes = attributes;
    return Return::success;
}

// ---- connections -------------------------------------------------------------------------------------

Return Provider::connect_wait(Time now, const NetAddress& local, Time timeout) {
    return connections_.wait(now, local, timeout);
}

Return Provider::connect_accept(Time now, ConnHandle conn, ViHandle vi) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter : connections_.accept(now, conn, *found);
}

Return Provider::connect_reject(Time now, ConnHandle conn) { return connections_.reject(now, conn); }

Return Provider::connect_request(
    Time now, ViHandle vi, const NetAddress& local, const NetAddress& remote, Time timeout) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter
                            : connections_.request(now, *found, local, remote, timeout, false);
}

Return Provider::connect_peer_request(
    Time now, ViHandle vi, const NetAddress& local, const NetAddress& remote, Time timeout) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter
                            : connections_.request(now, *found, local, remote, timeout, true);
}

Return Provider::connect_peer_done(ViHandle vi, Attributes* remote) {
    const Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (!found->asked_as_peer || (!found->pending() && !found->connect_result)) return Return::invalid_state;
    return connect_done(vi, remote);
}

Return Provider::connect_done(ViHandle vi, Attributes* remote) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (!found->connect_result) return Return::not_done;
    const Return result = *found->connect_result;
    found->connect_result.reset();
    if (result == Return::success && remote != nullptr) *remote = found->remote_attributes.value_or(Attributes{});
    return result;
}

Return Provider::disconnect(Time now, ViHandle vi) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    const Return result = connections_.disconnect(now, *found, Connections::By::application);
    end_trouble(now);
    return result;
}

Return Provider::fail(ViHandle vi, fcvi::Reason why) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (!found->connected()) return Return::invalid_state;
    shared_.fail(*found, why, AsyncError::catastrophic);
    return Return::success;
}

void Provider::fail_all() {
    constexpr ErrorDescriptor failure{.resource = Resource::nic, .code = AsyncError::catastrophic};
    bool told = false;
    for (auto& [id, vi] : shared_.vis) {
        if (!vi.connected()) continue;
        ErrorDescriptor of_vi = failure;
        of_vi.vi = id;
        shared_.report(of_vi);
        shared_.fail(vi, fcvi::Reason::transport_error);
        told = true;
    }
    if (!told) shared_.report(failure);
}

Return Provider::close(Time now, ViHandle vi) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter
                            : connections_.disconnect(now, *found, Connections::By::provider);
}

Return Provider::abandon(ViHandle vi) {
    if (shared_.find(vi) == nullptr) return Return::invalid_parameter;
    if (connections_.is_disconnecting(vi)) return Return::not_done;
    for (auto& [id, queue] : shared_.queues)
        std::erase_if(queue.entries, [&](const CqEntry& entry) { return entry.vi == vi; });
    shared_.vis.erase(vi);
    return Return::success;
}

Return Provider::disconnect_done(ViHandle vi) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (!found->disconnect_result) return Return::not_done;
    const Return result = *found->disconnect_result;
    found->disconnect_result.reset();
    return result;
}

// ---- memory and work ---------------------------------------------------------------------------------

Return Provider::destroy_ptag(Ptag ptag) {
    const bool used = std::ranges::any_of(
        shared_.vis, [&](const auto& entry) { return entry.second.attributes.ptag == ptag; });
    return used ? Return::error_resource : shared_.memory.destroy_ptag(ptag);
}

Return Provider::post_send(Time now, ViHandle vi, Descriptor descriptor) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    messages_.post_send(now, *found, std::move(descriptor));
    end_trouble(now);
    return Return::success;
}

Return Provider::post_send_at(Time now, ViHandle vi, const DescriptorAddress& descriptor) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    messages_.post_send(now, *found, descriptor);
    end_trouble(now);
    return Return::success;
}

Return Provider::post_receive(ViHandle vi, Descriptor descriptor) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    messages_.post_receive(*found, std::move(descriptor));
    shared_.end_catastrophes();
    return Return::success;
}

Return Provider::post_receive_at(ViHandle vi, const DescriptorAddress& descriptor) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    messages_.post_receive(*found, descriptor);
    shared_.end_catastrophes();
    return Return::success;
}

namespace {

Return extract_done(std::deque<Descriptor>& done, bool more_posted, Descriptor& descriptor) {
    if (done.empty()) return more_posted ? Return::not_done : Return::descriptor_error;
    descriptor = std::move(done.front());
    done.pop_front();
    return (descriptor.status & status::error_mask) == 0 ? Return::success : Return::descriptor_error;
}

}  // namespace

Return Provider::send_done(ViHandle vi, Descriptor& descriptor) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter
                            : extract_done(found->done_sends, !found->sends.empty(), descriptor);
}

Return Provider::receive_done(ViHandle vi, Descriptor& descriptor) {
    Vi* found = shared_.find(vi);
    return found == nullptr ? Return::invalid_parameter
                            : extract_done(found->done_receives, !found->receives.empty(), descriptor);
}

CqHandle Provider::create_cq(std::size_t entries) {
    const NicAttributes& nic = shared_.config.nic;
    if (shared_.queues.size() >= nic.max_cq || entries > nic.max_cq_entries) return 0;
    shared_.queues[++last_cq_].capacity = entries;
    return last_cq_;
}

Return Provider::destroy_cq(CqHandle cq) {
    if (!shared_.queues.contains(cq)) return Return::invalid_parameter;
    const bool used = std::ranges::any_of(
        shared_.vis, [&](const auto& entry) { return entry.second.send_cq == cq || entry.second.receive_cq == cq; });
    if (used) return Return::error_resource;
    shared_.queues.erase(cq);
    return Return::success;
}

/// Entries that are there stay.
Return Provider::resize_cq(CqHandle cq, std::size_t entries) {
    const auto queue = shared_.queues.find(cq);
    if (queue == shared_.queues.end()) return Return::invalid_parameter;
    if (entries > shared_.config.nic.max_cq_entries || entries < queue->second.entries.size())
        return Return::error_resource;
    queue->second.capacity = entries;
    return Return::success;
}

Return Provider::lose_cq(CqHandle cq) {
    if (!shared_.queues.contains(cq)) return Return::invalid_parameter;
    for (const auto& [id, vi] : shared_.vis)
        if (vi.send_cq == cq || vi.receive_cq == cq)
            shared_.catastrophes.push_back(
                {.vi = id, .cq = cq, .resource = Resource::cq, .code = AsyncError::comp_prot});
    shared_.end_catastrophes();
    return Return::success;
}

Return Provider::cq_done(CqHandle cq, CqEntry& entry) {
    const auto queue = shared_.queues.find(cq);
    if (queue == shared_.queues.end()) return Return::invalid_parameter;
    std::deque<CqEntry>& entries = queue->second.entries;
    if (entries.empty()) return Return::not_done;
    entry = entries.front();
    entries.pop_front();
    return Return::success;
}

std::uint64_t Provider::cq_lost(CqHandle cq) const {
    const auto queue = shared_.queues.find(cq);
    return queue == shared_.queues.end() ? 0 : queue->second.lost;
}

/// VI-DG 6.3.2: a catastrophic error, and the Provider itself disconnects. Descriptors that come back flushed may
/// overrun other queues.
void Provider::end_trouble(Time now) {
    shared_.end_catastrophes();
    while (!shared_.overrun.empty()) {
        const CqHandle cq = *shared_.overrun.begin();
        for (auto& [id, vi] : shared_.vis)
            if ((vi.send_cq == cq || vi.receive_cq == cq) && vi.connected()) {
                shared_.report({.vi = id, .cq = cq, .resource = Resource::cq, .code = AsyncError::catastrophic});
                shared_.fail(vi, fcvi::Reason::transport_error);
                connections_.disconnect(now, vi, Connections::By::provider);
            }
        shared_.overrun.erase(cq);
    }
}

// ---- the NIC -----------------------------------------------------------------------------------------

NicAttributes Provider::query_nic() const {
    NicAttributes attributes = shared_.config.nic;
    attributes.address = shared_.port.config().ip;
    return attributes;
}

/// VipCloseNic: what is connected is disconnected by the Provider, and nobody waits any more.
Return Provider::close_nic(Time now) {
    connections_.stop_waiting();
    for (auto& [id, vi] : shared_.vis) connections_.disconnect(now, vi, Connections::By::provider);
    return Return::success;
}

Return Provider::query_system_management_info(AutodiscoveryList& list) const {
    const std::uint32_t links = shared_.port.is_on_fabric() ? links_through_fabric : links_point_to_point;
    const std::vector<Gid> hosts = list.hops < links ? std::vector<Gid>{} : connections_.known_hosts();
    const std::size_t room = std::exchange(list.count, hosts.size());
    if (hosts.size() > room) return Return::error_resource;
    list.addresses.clear();
    for (const Gid& host : hosts) list.addresses.emplace_back().host = host;
    return Return::success;
}

// ---- handlers ----------------------------------------------------------------------------------------

Return Provider::send_notify(ViHandle vi, std::uint64_t context) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (found->send_cq != 0) return Return::error_resource;
    if (found->sends.empty() && found->done_sends.empty()) return Return::descriptor_error;
    found->send_waiters.push_back({context});
    shared_.serve_waiters(*found);
    return Return::success;
}

Return Provider::send_wait(Time now, ViHandle vi, Time timeout, std::uint64_t context) {
    Vi* found = shared_.find(vi);
    if (found == nullptr || timeout < 0) return Return::invalid_parameter;
    if (found->send_cq != 0) return Return::error_resource;
    if (found->sends.empty() && found->done_sends.empty()) return Return::descriptor_error;
    if (timeout == 0 && found->done_sends.empty()) return Return::timeout;
    found->send_waiters.push_back({context, true, later(now, timeout)});
    shared_.serve_waiters(*found);
    return Return::success;
}

Return Provider::receive_wait(Time now, ViHandle vi, Time timeout, std::uint64_t context) {
    Vi* found = shared_.find(vi);
    if (found == nullptr || timeout < 0) return Return::invalid_parameter;
    if (found->receive_cq != 0) return Return::error_resource;
    if (found->receives.empty() && found->done_receives.empty()) return Return::descriptor_error;
    if (timeout == 0 && found->done_receives.empty()) return Return::timeout;
    found->receive_waiters.push_back({context, true, later(now, timeout)});
    shared_.serve_waiters(*found);
    return Return::success;
}

Return Provider::cq_wait(Time now, CqHandle cq, Time timeout, std::uint64_t context) {
    const auto queue = shared_.queues.find(cq);
    if (queue == shared_.queues.end() || timeout < 0) return Return::invalid_parameter;
    if (timeout == 0 && queue->second.entries.empty()) return Return::timeout;
    wait_for_entry(cq, {context, true, later(now, timeout)});
    return Return::success;
}

Return Provider::receive_notify(ViHandle vi, std::uint64_t context) {
    Vi* found = shared_.find(vi);
    if (found == nullptr) return Return::invalid_parameter;
    if (found->receive_cq != 0) return Return::error_resource;
    if (found->receives.empty() && found->done_receives.empty()) return Return::descriptor_error;
    found->receive_waiters.push_back({context});
    shared_.serve_waiters(*found);
    return Return::success;
}

Return Provider::cq_notify(CqHandle cq, std::uint64_t context) {
    if (!shared_.queues.contains(cq)) return Return::invalid_parameter;
    wait_for_entry(cq, {context});
    return Return::success;
}

void Provider::wait_for_entry(CqHandle cq, const Waiter& waiter) {
    CompletionQueue& queue = shared_.queues.at(cq);
    queue.waiters.push_back(waiter);
    if (queue.entries.empty()) return;
    const CqEntry entry = queue.entries.front();
    queue.entries.pop_front();
    shared_.add_entry(cq, entry);
}

std::optional<Notification> Provider::next_notification() {
    if (shared_.notifications.empty()) return std::nullopt;
    Notification notification = std::move(shared_.notifications.front());
    shared_.notifications.pop_front();
    return notification;
}

std::optional<ErrorDescriptor> Provider::next_error() {
    if (shared_.errors.empty()) return std::nullopt;
    const ErrorDescriptor error = shared_.errors.front();
    shared_.errors.pop_front();
    return error;
}

ViCounters Provider::counters(ViHandle vi) const {
    const auto found = shared_.counters.find(vi);
    return found == shared_.counters.end() ? ViCounters{} : found->second;
}

std::uint32_t Provider::peer_of(ViHandle vi) const {
    const auto found = shared_.vis.find(vi);
    return found == shared_.vis.end() ? 0 : found->second.peer;
}

// ---- what comes from below ---------------------------------------------------------------------------

void Provider::on_port_event(Time now, const fibre_channel::NPortEvent& event) {
    using What = fibre_channel::NPortEvent::What;
    switch (event.what) {
        case What::online: return;
        case What::reached: return connections_.learn(now, event.ip, event.peer);
        case What::unreachable: return connections_.unreachable(event.ip);
        case What::logged_out: return connections_.logged_out(event.peer);
        case What::processes_logged_out:
        case What::validated:
        case What::timeouts: return;
    }
}

void Provider::on_timer(Time now) {
    shared_.expire_waiters(now);
    connections_.on_timer(now);
    messages_.on_timer(now);
    messages_.go_on(now);
    end_trouble(now);
}

fibre_channel::Disposition Provider::on_frame(Time now, ExchangeHandle exchange, const fc::Frame& frame) {
    const ByteView octets = frame.device_header();
    const fcvi::DeviceHeader header = fcvi::parse_device_header(octets, octets.size(), shared_.config.version);
    if (header.error || header.iu() == nullptr) return fibre_channel::Disposition::discard;
    return messages_.on_frame(now, exchange, frame, header);
}

void Provider::on_bad_frame(Time now, const fc::Frame& frame) {
    const ByteView octets = frame.device_header();
    const fcvi::DeviceHeader header = fcvi::parse_device_header(octets, octets.size(), shared_.config.version);
    if (header.error || header.iu() == nullptr) return;
    messages_.on_bad_frame(now, frame, header);
    end_trouble(now);
}

void Provider::on_iu(Time now, const fibre_channel::IncomingIu& iu) {
    const fcvi::DeviceHeader header = fcvi::parse_device_header(
        iu.device_header, iu.device_header.size(), shared_.config.version);
    const bool is_message = header.iu()->category == fcvi::Category::message_request ||
                            header.iu()->category == fcvi::Category::message_response;
    if (is_message) {
        messages_.on_iu(now, iu, header);
    } else {
        connections_.on_iu(now, iu, header);
        messages_.go_on(now);
    }
    end_trouble(now);
}

void Provider::on_failure(Time now, ExchangeHandle exchange, fibre_channel::Failure failure) {
    connections_.on_failure(now, exchange, failure);
    messages_.on_failure(now, exchange, failure);
    end_trouble(now);
}

}  // namespace fabricscope::stack::vi
