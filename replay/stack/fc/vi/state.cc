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
    if (vi.send_cq != 0) queues[vi.send_cq].push_back({vi.id, false});
}

void Shared::complete_receive(Vi& vi, Descriptor descriptor) {
    descriptor.status |= status::done;
    if ((descriptor.status & status::error_mask & ~status::desc_flushed_error) != 0) ++counters[vi.id].failed;
    vi.done_receives.push_back(std::move(descriptor));
    if (vi.receive_cq != 0) queues[vi.receive_cq].push_back({vi.id, true});
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
