// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/record.h"

#include <algorithm>

namespace fabricscope::plugin {
namespace {

/// How many interfaces a capture has is known at its end only; looking for copies costs little where
/// there is one.
constexpr std::uint32_t some_interfaces = 2;

std::uint64_t direction_key(std::uint32_t connection, engine::smcr::Side from) {
    return std::uint64_t{connection} << 1 | static_cast<std::uint64_t>(from);
}

}  // namespace

Record::Record(const engine::smcr::Options& options)
    : engine_({.smcr_options = options, .interfaces = some_interfaces}, this) {}

void Record::on_packet(const capture::Packet& packet) {
    packet_ = &packet;
    if (packet.time < latest_) late_.insert(packet.number);
    latest_ = std::max(latest_, packet.time);
    engine_.on_packet(packet);
    packet_ = nullptr;
}

void Record::on_facts(const FrameFacts& facts) {
    FrameFacts& kept = facts_.emplace_back(facts);
    kept.message = {};
    // A message of one packet is in the frame.
    if (facts.message.size() > packet_->ib.payload.size())
        long_messages_[facts.frame].assign(facts.message.begin(), facts.message.end());
    if (facts.clc_pending != 0) incomplete_[direction_key(facts.connection, *facts.from)].push_back(facts.frame);
}

void Record::on_clc(const ClcSeen& seen) {
    Clc& kept = clc_[seen.frame].emplace_back(Clc{seen, {seen.octets.begin(), seen.octets.end()}});
    kept.seen.octets = {};
    auto& parts = incomplete_[direction_key(seen.connection, seen.from)];
    for (const std::uint64_t part : parts) completions_[part] = seen.frame;
    parts.clear();
}

void Record::on_response(std::uint64_t request, std::uint64_t response, capture::Time) {
    responses_.emplace(request, response);
}

/// Only the frame that broke the rule in the end: of the others it is not known when they are first shown.
void Record::on_finding(const engine::Finding& finding) {
    broken_[packet_->number].push_back({finding.rule, finding.text});
}

const FrameFacts* Record::facts(std::uint64_t frame) const {
    if (const std::uint64_t original = lookup(originals_, frame); original != 0) frame = original;
    const auto found = std::ranges::lower_bound(facts_, frame, {}, &FrameFacts::frame);
    return found != facts_.end() && found->frame == frame ? &*found : nullptr;
}

std::uint64_t Record::lookup(const FrameMap& map, std::uint64_t frame) {
    const auto found = map.find(frame);
    return found != map.end() ? found->second : 0;
}

}  // namespace fabricscope::plugin
