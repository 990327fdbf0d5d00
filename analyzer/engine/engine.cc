// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/engine.h"

#include <algorithm>
#include <utility>

#include "analyzer/engine/rdma_cm/rules.h"
#include "analyzer/engine/smcr/rules.h"

namespace fabricscope::engine {

namespace {

template <std::size_t... sizes> constexpr auto joined(const std::array<Rule, sizes>&... tables) {
    std::array<Rule, (sizes + ...)> all;
    auto end = all.begin();
    ((end = std::ranges::copy(tables, end).out), ...);
    return all;
}

constexpr auto kAllRules = joined(smcr::kRules, rdma_cm::kRules, fcvi::kRules, fc_ae_rdma::kRules);

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

std::span<const Rule> rules() { return kAllRules; }

Engine::Engine(Options options, const Observers& observers)
    : options_(std::move(options)),
      observers_(observers),
      copies_(options_.interfaces),
      smcr_(options_.smcr_options, observers.smcr),
      rdma_cm_(options_.rdma_cm_options, observers.rdma_cm),
      fc_protocols_(options_.fc_protocols, observers.fcvi, observers.fc_ae_rdma, observers.fc),
      fc_(options_.fc_options, &fc_protocols_) {
    fc_protocols_.ask(fc_);
}

void Engine::on_frame(const capture::Frame& frame) { on_packet(capture::decode(frame)); }

void Engine::on_packet(const capture::Packet& packet) {
    ++capture_.frames;
    if (!capture_.start) capture_.start = packet.time;
    capture_.duration = std::max(capture_.duration, packet.time - *capture_.start);
    if (packet.state == capture::DecodeState::truncated) ++capture_.truncated_frames;
    else if (packet.state != capture::DecodeState::ok) ++capture_.undecoded_frames;
    if (const auto original = copies_.original_of(packet)) {
        ++capture_.copies;
        if (observers_.smcr != nullptr) observers_.smcr->on_copy(packet.number, *original);
        if (observers_.rdma_cm != nullptr) observers_.rdma_cm->on_copy(packet.number, *original);
        if (observers_.fc != nullptr) observers_.fc->on_copy(packet.number, *original);
        return;
    }
    if (options_.smcr) smcr_.on_packet(packet);
    if (options_.rdma_cm) rdma_cm_.on_packet(packet);
    if (options_.fc || options_.fc_protocols.any()) fc_.on_packet(packet);
}

std::vector<const Finding*> Engine::findings() const {
    std::vector<const Finding*> all;
    const auto add = [&](const std::vector<Finding>& findings) {
        for (const Finding& finding : findings) all.push_back(&finding);
    };
    add(smcr().findings);
    add(rdma_cm().findings);
    add(fcvi().findings);
    add(fc_ae_rdma().findings);
    return all;
}

std::vector<RuleResult> Engine::rule_results() const {
    std::vector<RuleResult> results;
    const auto add = [&](std::span<const Tally> tallies) {
        for (const Tally& tally : tallies) results.push_back({&kAllRules[results.size()], tally});
    };
    add(smcr().tallies);
    add(rdma_cm().tallies);
    add(fcvi().tallies);
    add(fc_ae_rdma().tallies);
    return results;
}

void Engine::finish() {
    smcr_.finish();
    rdma_cm_.finish();
    fc_.finish();
    fc_protocols_.finish();
}

}  // namespace fabricscope::engine
