// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/engine.h"

#include <algorithm>

#include "analyzer/engine/rdma_cm/rules.h"
#include "analyzer/engine/smcr/rules.h"

namespace fabricscope::engine {

namespace {

constexpr auto kAllRules = [] {
    std::array<Rule, smcr::kRules.size() + rdma_cm::kRules.size()> all;
    std::ranges::copy(rdma_cm::kRules, std::ranges::copy(smcr::kRules, all.begin()).out);
    return all;
}();

}  // namespace

const char* name_of(Severity severity) {
    switch (severity) {
        case Severity::note: return "note";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "";
}

const char* name_of(Profile profile) { return profile == Profile::standard ? "rfc7609" : "linux"; }

std::span<const Rule> rules() { return kAllRules; }

Engine::Engine(
    Options options, smcr::Observer* smcr_observer, rdma_cm::Observer* rdma_cm_observer,
    fibre_channel::Observer* fc_observer)
    : options_(options),
      copies_(options.interfaces),
      smcr_(options.smcr_options, smcr_observer),
      rdma_cm_(options.rdma_cm_options, rdma_cm_observer),
      fc_(options.fc_options, fc_observer),
      smcr_observer_(smcr_observer),
      rdma_cm_observer_(rdma_cm_observer) {}

void Engine::on_frame(const capture::Frame& frame) { on_packet(capture::decode(frame)); }

void Engine::on_packet(const capture::Packet& packet) {
    ++capture_.frames;
    if (!capture_.start) capture_.start = packet.time;
    capture_.duration = std::max(capture_.duration, packet.time - *capture_.start);
    if (packet.state == capture::DecodeState::truncated) ++capture_.truncated_frames;
    else if (packet.state != capture::DecodeState::ok) ++capture_.undecoded_frames;
    if (const auto original = copies_.original_of(packet)) {
        ++capture_.copies;
        if (smcr_observer_ != nullptr) smcr_observer_->on_copy(packet.number, *original);
        if (rdma_cm_observer_ != nullptr) rdma_cm_observer_->on_copy(packet.number, *original);
        return;
    }
    if (options_.smcr) smcr_.on_packet(packet);
    if (options_.rdma_cm) rdma_cm_.on_packet(packet);
    if (options_.fc) fc_.on_packet(packet);
}

std::vector<const Finding*> Engine::findings() const {
    std::vector<const Finding*> all;
    for (const Finding& finding : smcr().findings) all.push_back(&finding);
    for (const Finding& finding : rdma_cm().findings) all.push_back(&finding);
    return all;
}

std::vector<RuleResult> Engine::rule_results() const {
    std::vector<RuleResult> results;
    const auto add = [&](std::span<const Tally> tallies) {
        for (const Tally& tally : tallies) results.push_back({&kAllRules[results.size()], tally});
    };
    add(smcr().tallies);
    add(rdma_cm().tallies);
    return results;
}

void Engine::finish() {
    smcr_.finish();
    rdma_cm_.finish();
    fc_.finish();
}

}  // namespace fabricscope::engine
