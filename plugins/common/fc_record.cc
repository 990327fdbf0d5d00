// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/fc_record.h"

#include "capture/fcip.h"

namespace fabricscope::plugin {

void FcRecord::on_packet(const capture::Packet& packet, const Visit& visit) {
    if (packet.transport != capture::Transport::fc && !capture::FcipStreams::takes(packet)) return;
    // How many interfaces a capture has is known at its end only.
    const std::uint32_t interfaces = visit.has_interface_id ? 2 : 1;
    if (!engine_) {
        engine::Options options{.smcr = false, .fc = true, .fc_protocols = options_, .interfaces = interfaces};
        options.fc_options.limits.exchanges = 0;  // nobody asks for one that is over
        engine_.emplace(options, observers_);
    }
    current_frame_ = static_cast<std::uint32_t>(packet.number);
    notes_.note_time(packet.number, packet.time);
    assemblies_.on_packet(visit.tvb, visit.frame.data);
    engine_->on_packet(packet);
    for (const std::uint64_t frame : newly_broken_) on_broken_rule(frame);
    newly_broken_.clear();
}

std::uint32_t FcRecord::keep_octets(const FcFacts& facts) {
    const capture::FcPacket& fc = *facts.packet.fc;
    if (fc.carrier != capture::FcCarrier::fcip) return 0;
    kept_.emplace_back(fc.octets.begin(), fc.octets.end());
    return static_cast<std::uint32_t>(kept_.size());
}

void FcRecord::note_answer(FcEntry& entry, std::uint64_t request_frame, capture::Time elapsed) {
    if (request_frame == 0) return;
    answers_.push_back({elapsed, static_cast<std::uint32_t>(request_frame)});
    entry.answer = static_cast<std::uint32_t>(answers_.size());
    notes_.note_response(request_frame, entry.frame);
}

/// Where a finding shows something must be known of the frame. It may be an earlier one than the engine
/// is at; then the finding shows when that frame is dissected again.
void FcRecord::note_finding(const engine::Finding& finding) {
    if (const std::uint64_t frame = notes_.note_finding(finding); frame != 0) newly_broken_.push_back(frame);
}

}  // namespace fabricscope::plugin
