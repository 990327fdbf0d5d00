// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/state.h"

#include <algorithm>

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

void Shared::complete_send(Vi& vi, Descriptor descriptor) {
    descriptor.status |= status::done;
    if ((descriptor.status & status::error_mask & ~status::desc_flushed_error) != 0) ++counters[vi.id].failed;
    vi.done_sends.push_back(std::move(descriptor));
    if (vi.send_cq != 0) add_entry(vi.send_cq, {vi.id, false});
    else call_handlers(vi);
}

void Shared::complete_receive(Vi& vi, Descriptor descriptor) {
    descriptor.status |= status::done;
    if ((descriptor.status & status::error_mask & ~status::desc_flushed_error) != 0) ++counters[vi.id].failed;
    vi.done_receives.push_back(std::move(descriptor));
    if (vi.receive_cq != 0) add_entry(vi.receive_cq, {vi.id, true});
    else call_handlers(vi);
}

namespace {

/// `more`: descriptors are posted that are not done.
void call(
    ViHandle vi, bool receive, std::deque<std::uint64_t>& handlers, std::deque<Descriptor>& done, bool more,
    std::deque<Notification>& notifications) {
    while (!handlers.empty() && (!done.empty() || !more)) {
        Notification notification{handlers.front(), vi, receive, !done.empty(), {}};
        handlers.pop_front();
        if (notification.has_descriptor) {
            notification.descriptor = std::move(done.front());
            done.pop_front();
        }
        notifications.push_back(std::move(notification));
    }
}

}  // namespace

void Shared::call_handlers(Vi& vi) {
    call(vi.id, false, vi.send_handlers, vi.done_sends, !vi.sends.empty(), notifications);
    call(vi.id, true, vi.receive_handlers, vi.done_receives, !vi.receives.empty(), notifications);
}

/// What a handler waits for is never in the queue.
void Shared::add_entry(CqHandle cq, CqEntry entry) {
    CompletionQueue& queue = queues.at(cq);
    if (!queue.handlers.empty()) {
        notifications.push_back({queue.handlers.front(), entry.vi, entry.receive, false, {}});
        queue.handlers.pop_front();
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

void Shared::fail(Vi& vi, fcvi::Reason why, std::optional<AsyncError> tell) {
    if (vi.state != EndpointState::error) {
        vi.state = EndpointState::error;
        vi.error = why;
        if (tell) errors.push_back({vi.id, *tell});
    }
    vi.discards_all = true;
    vi.may_send = false;
    flush(vi);
}

void Shared::go_idle(Vi& vi) {
    vi.state = EndpointState::idle;
    vi.may_send = vi.may_complete = false;
    vi.discards_all = true;  // of the old connection; a new one has a new handle
    vi.error.reset();
    vi.failed_setup.reset();
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
