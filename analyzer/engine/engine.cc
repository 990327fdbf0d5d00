// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/engine.h"

#include <algorithm>
#include <string_view>

namespace fabricscope::engine {

namespace {

constexpr std::size_t rule_count = [] {
    std::size_t count = 0;
    for (const Protocol& protocol : protocols) count += protocol.rules.size();
    return count;
}();

constexpr std::array all_rules = [] {
    std::array<const Rule*, rule_count> all{};
    auto end = all.begin();
    for (const Protocol& protocol : protocols) end = std::ranges::copy(protocol.rules, end).out;
    return all;
}();

consteval bool ids_differ() {
    std::array<std::string_view, rule_count> ids;
    std::ranges::transform(all_rules, ids.begin(), [](const Rule* rule) { return rule->id; });
    std::ranges::sort(ids);
    return std::ranges::adjacent_find(ids) == ids.end();
}
static_assert(ids_differ());

}  // namespace

const char* name_of(Severity severity) {
    switch (severity) {
        case Severity::note: return "note";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "";
}

const char* name_of(Profile profile) {
    switch (profile) {
        case Profile::standard: return "rfc7609";
        case Profile::linux_: return "linux";
        case Profile::avionics: return "fc-ae-rdma-annex-a";
    }
    return "";
}

std::span<const Rule* const> rules() { return all_rules; }

Engine::Engine(const Options& options, const Observers& observers)
    : Trackers(options, observers), copies_(options.interfaces), damaged_(options.damaged) {}

void Engine::on_frame(const capture::Frame& frame) { on_packet(capture::decode(frame)); }

void Engine::on_packet(const capture::Packet& packet) {
    ++capture_.frames;
    if (!capture_.start) capture_.start = packet.time;
    capture_.duration = std::max(capture_.duration, packet.time - *capture_.start);
    if (packet.state == capture::DecodeState::truncated) {
        if (capture_.truncated_frames++ == 0) capture_.first_truncated = packet.number;
    } else if (packet.state != capture::DecodeState::ok) {
        if (capture_.undecoded_frames++ == 0) capture_.first_undecoded = packet.number;
    }
    capture_.tcp_frames += packet.transport == capture::Transport::tcp;
    capture_.rdma_frames += packet.transport == capture::Transport::ib;
    if (packet.unread != capture::Unread::none) ++capture_.unread_frames[static_cast<std::size_t>(packet.unread)];
    if (const auto original = copies_.original_of(packet)) {
        ++capture_.copies;
        for (const Follower& follower : followers()) follower.tracker.on_copy(packet, *original);
        return;
    }
    const bool damaged = is_damaged(packet.number);
    for (const Follower& follower : followers()) {
        if (!follower.fed) continue;
        if (damaged) follower.tracker.on_damaged(packet);
        else follower.tracker.on_packet(packet);
    }
}

bool Engine::is_damaged(std::uint64_t frame) {
    if (!std::ranges::binary_search(damaged_, frame)) return false;
    if (capture_.damaged_frames++ == 0) capture_.first_damaged = frame;
    return true;
}

void Engine::finish() {
    capture_.clock_offset = copies_.clock_offset();
    for (const Follower& follower : followers()) follower.tracker.finish();
    share_account();
}

void Engine::end_at(Time end) {
    capture_.duration = std::max(capture_.duration, end - capture_.start.value_or(end));
    capture::Packet nothing;
    nothing.time = end;
    for (const Follower& follower : followers())
        if (follower.fed) follower.tracker.on_packet(nothing);
}

std::array<RuleOutcomes, protocols.size()> Engine::outcomes() const {
    std::array<RuleOutcomes, protocols.size()> all;
    std::ranges::transform(followers(), all.begin(), [](const Follower& f) {
        return f.asked_for || !f.fed ? f.tracker.outcomes() : RuleOutcomes{};
    });
    return all;
}

std::vector<const Finding*> Engine::findings() const {
    std::vector<const Finding*> all;
    const auto breaking_frame = [](const Finding* finding) {
        return finding->frames.empty() ? 0 : finding->frames.back();
    };
    for (const RuleOutcomes& outcomes : outcomes()) {
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        for (const Finding& finding : outcomes.findings) all.push_back(&finding);
        std::ranges::stable_sort(all.begin() + first, all.end(), {}, breaking_frame);
    }
    return all;
}

std::vector<RuleResult> Engine::rule_results() const {
    std::vector<RuleResult> results;
    for (const RuleOutcomes& outcomes : outcomes())
        for (std::size_t i = 0; i < outcomes.rules.size(); ++i)
            results.push_back({outcomes.rules[i], outcomes.tallies[i]});
    return results;
}

}  // namespace fabricscope::engine
