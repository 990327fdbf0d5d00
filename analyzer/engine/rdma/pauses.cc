// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/pauses.h"

#include <algorithm>

#include "protocols/net/headers.h"

namespace fabricscope::engine::rdma {
namespace {

/// Captures do not tell how fast a link is; PFC is for those of 10 Gbit/s (IEEE 802.1Qbb) and above.
constexpr Time longest_span(std::uint16_t quanta) { return Time{quanta} * 512 / 10; }

}  // namespace

void Pauses::on_packet(const capture::Packet& packet) {
    if (packet.mac_control == net::mac_control_pause) {
        ++model_.pause_frames;
        net::LinkPause asked;
        if (!layout::parse_into(asked, packet.segment)) take(packet, std::nullopt, asked.quanta);
    } else if (packet.mac_control == net::mac_control_priority_pause) {
        ++model_.pfc_frames;
        net::PriorityPause asked;
        if (layout::parse_into(asked, packet.segment)) return;
        for (std::uint8_t priority = 0; priority < 8; ++priority)
            if (asked.is_enabled(priority)) take(packet, priority, asked.quanta_of(priority));
    }
}

/// Counts what has passed of a pause.
void Pauses::pass(Pause& pause, Running& running, Time now) {
    if (!running.since) return;
    const Time end = std::clamp(now, running.asked, running.asked + running.span);
    pause.paused += end - running.asked;
    pause.longest = std::max(pause.longest, end - *running.since);
    if (now > end) running.since.reset();
}

void Pauses::finish(Time now) {
    for (std::size_t i = 0; i < running_.size(); ++i) pass(model_.pauses[i], running_[i], now);
}

void Pauses::take(const capture::Packet& packet, std::optional<std::uint8_t> priority, std::uint16_t quanta) {
    auto found = std::ranges::find_if(
        model_.pauses, [&](const Pause& pause) { return pause.by == packet.source_mac && pause.priority == priority; });
    if (found == model_.pauses.end()) {
        if (quanta == 0 || model_.pauses.size() == most) return;
        found = model_.pauses.insert(found, {.by = packet.source_mac, .priority = priority, .first = step_of(packet)});
        running_.emplace_back();
    }
    Running& running = running_[static_cast<std::size_t>(found - model_.pauses.begin())];
    pass(*found, running, packet.time);
    if (quanta == 0) return running.since.reset();
    ++found->frames;
    if (!running.since) running.since = packet.time;
    running.asked = packet.time;
    running.span = longest_span(quanta);
}

}  // namespace fabricscope::engine::rdma
