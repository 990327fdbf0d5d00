// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/state.h"

#include <algorithm>

#include "replay/stack/fc/vi/descriptor_memory.h"

namespace fabricscope::stack::vi {

Vi* Shared::find(ViHandle vi) {
    const auto found = vis.find(vi);
    return found == vis.end() ? nullptr : &found->second;
}

Vi* Shared::by_handle(std::uint32_t handle) {
    if (handle == fcvi::unassigned_handle) return nullptr;
    const auto found = std::ranges::find_if(vis, [&](const auto& entry) { return entry.second.handle == handle; });
    return found == vis.end() ? nullptr : &found->second;
}

void Shared::finish(Vi& vi, Descriptor& descriptor) {
    descriptor.status |= status::done;
    if ((descriptor.status & status::error_mask & ~status::desc_flushed_error) != 0) ++counters[vi.id].failed;
    if ((descriptor.status & status::desc_flushed_error) != 0) ++counters[vi.id].flushed;
    if (!descriptor.at) return;
    const auto tell = [&](AsyncError code) {
        catastrophes.push_back(
            {.vi = vi.id,
             .descriptor = descriptor.cookie,
             .operation = (descriptor.status & status::op_mask) >> status::op_shift,
             .resource = Resource::descriptor,
             .code = code});
    };
    if (!memory.allows(
            Access::local_write, vi.attributes.ptag, descriptor.at->address, descriptor.at->handle,
            control_segment_size))
        return tell(AsyncError::comp_prot);
    if (descriptor.next && linked_from(memory, *descriptor.at) != *descriptor.next) tell(AsyncError::post_desc);
    write_result(memory, descriptor);
}

void Shared::complete_send(Vi& vi, Descriptor descriptor) {
    finish(vi, descriptor);
    vi.done_sends.push_back(std::move(descriptor));
    if (vi.send_cq != 0) add_entry(vi.send_cq, {vi.id, false});
    else serve_waiters(vi);
}

void Shared::complete_receive(Vi& vi, Descriptor descriptor) {
    finish(vi, descriptor);
    vi.done_receives.push_back(std::move(descriptor));
    if (vi.receive_cq != 0) add_entry(vi.receive_cq, {vi.id, true});
    else serve_waiters(vi);
}

namespace {

/// `more`: descriptors are posted that are not done.
void serve(
    ViHandle vi, bool receive, std::deque<Waiter>& waiters, std::deque<Descriptor>& done, bool more,
    std::deque<Notification>& notifications) {
    while (!waiters.empty() && (!done.empty() || !more)) {
        const Waiter waiter = waiters.front();
        Notification notification{waiter.context, Return::success, vi, receive, !done.empty(), {}};
        waiters.pop_front();
        if (notification.has_descriptor) {
            notification.descriptor = std::move(done.front());
            done.pop_front();
        }
        const bool good = notification.has_descriptor && (notification.descriptor.status & status::error_mask) == 0;
        if (waiter.blocks && !good) notification.result = Return::descriptor_error;
        notifications.push_back(std::move(notification));
    }
}

void expire(Time now, ViHandle vi, bool receive, std::deque<Waiter>& waiters, std::deque<Notification>& notifications) {
    for (const Waiter& waiter : waiters)
        if (waiter.until <= now) notifications.push_back({waiter.context, Return::timeout, vi, receive, false, {}});
    std::erase_if(waiters, [&](const Waiter& waiter) { return waiter.until <= now; });
}

Time earliest(const std::deque<Waiter>& waiters) {
    Time time = never;
    for (const Waiter& waiter : waiters) time = std::min(time, waiter.until);
    return time;
}

}  // namespace

void Shared::serve_waiters(Vi& vi) {
    serve(vi.id, false, vi.send_waiters, vi.done_sends, !vi.sends.empty(), notifications);
    serve(vi.id, true, vi.receive_waiters, vi.done_receives, !vi.receives.empty(), notifications);
}

void Shared::expire_waiters(Time now) {
    for (auto& [id, vi] : vis) {
        expire(now, id, false, vi.send_waiters, notifications);
        expire(now, id, true, vi.receive_waiters, notifications);
    }
    for (auto& [id, queue] : queues) expire(now, 0, false, queue.waiters, notifications);
}

Time Shared::waiters_wakeup() const {
    Time time = never;
    for (const auto& [id, vi] : vis) time = std::min({time, earliest(vi.send_waiters), earliest(vi.receive_waiters)});
    for (const auto& [id, queue] : queues) time = std::min(time, earliest(queue.waiters));
    return time;
}

void Shared::report(const ErrorDescriptor& error) {
    if (Vi* vi = find(error.vi); vi != nullptr && vi->state == EndpointState::idle) vi->held_errors.push_back(error);
    else errors.push_back(error);
}

/// What somebody waits for is never in the queue.
void Shared::add_entry(CqHandle cq, CqEntry entry) {
    CompletionQueue& queue = queues.at(cq);
    if (!queue.waiters.empty()) {
        notifications.push_back({queue.waiters.front().context, Return::success, entry.vi, entry.receive, false, {}});
        queue.waiters.pop_front();
    } else if (queue.entries.size() < queue.capacity) {
        queue.entries.push_back(entry);
    } else {
        ++queue.lost;
        if (config.overrun_is_harmful) overrun.insert(cq);
    }
}

void Shared::flush(Vi& vi) {
    while (!vi.sends.empty()) {
        Descriptor descriptor = std::move(vi.sends.front().descriptor);
        vi.sends.pop_front();
        descriptor.status |= status::desc_flushed_error;
        complete_send(vi, std::move(descriptor));
    }
    while (!vi.receives.empty()) {
        Descriptor descriptor = std::move(vi.receives.front());
        vi.receives.pop_front();
        descriptor.status |= status::op_receive | status::desc_flushed_error;
        complete_receive(vi, std::move(descriptor));
    }
    vi.incoming.clear();
}

void Shared::fail(Vi& vi, std::optional<fcvi::Reason> why, std::optional<AsyncError> tell) {
    if (vi.state != EndpointState::error) {
        vi.state = EndpointState::error;
        vi.error = why;
        if (tell) report({.vi = vi.id, .code = *tell});
    }
    vi.discards_all = true;
    vi.may_send = false;
    flush(vi);
}

/// Of an Idle VI nothing but its error is told, and later.
void Shared::end_catastrophes() {
    while (!catastrophes.empty()) {
        const ErrorDescriptor error = catastrophes.back();
        catastrophes.pop_back();
        report(error);
        if (Vi* vi = find(error.vi); vi != nullptr && vi->state != EndpointState::idle) fail(*vi, std::nullopt);
    }
}

void Shared::stop_asking(Vi& vi) {
    vi.state = EndpointState::idle;
    vi.may_send = vi.may_complete = false;
    vi.discards_all = true;  // of the old connection; a new one has a new handle
    vi.error.reset();
    vi.failed_setup.reset();
}

void Shared::go_idle(Vi& vi) {
    stop_asking(vi);
    flush(vi);
}

void Shared::send(
    Time now, ExchangeHandle exchange, const fcvi::DeviceHeader& header, Octets payload, bool last, std::string note) {
    OutgoingIu iu;
    iu.r_ctl = header.iu()->r_ctl;
    iu.device_header = fcvi::build(header);
    iu.payload = std::move(payload);
    iu.last_sequence = last;
    iu.passes_initiative = !last;
    iu.note = std::move(note);
    exchanges.send(now, exchange, std::move(iu));
}

}  // namespace fabricscope::stack::vi
