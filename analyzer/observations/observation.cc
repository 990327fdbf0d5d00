// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/observation.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::observations {
namespace {

void observe_findings(const Evidence& evidence, Observations& observations) {
    for (const engine::Finding* finding : evidence.findings)
        observations.add(
            {.id = finding->rule->id,
             .severity = finding->rule->severity,
             .session = finding->session,
             .frames = finding->frames,
             .text = finding->text,
             .look = fmt::format("{}: {}", finding->rule->clause, finding->rule->sentence)});
}

}  // namespace

std::vector<std::uint64_t> frames_of(std::initializer_list<std::uint64_t> frames) {
    std::vector<std::uint64_t> known(frames);
    std::erase(known, 0);
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return known;
}

Observation& Observations::add(
    const Kind& kind, std::string session, std::vector<std::uint64_t> frames, std::string text) {
    return all_.emplace_back(Observation{
        .kind = &kind,
        .id = kind.id,
        .severity = kind.severity,
        .session = std::move(session),
        .frames = std::move(frames),
        .text = std::move(text),
        .look = kind.look});
}

std::vector<Observation> Observations::sorted() && {
    const auto first_frame = [](const Observation& o) { return o.frames.empty() ? 0 : o.frames.front(); };
    std::ranges::stable_sort(all_, [&](const Observation& a, const Observation& b) {
        return a.severity != b.severity ? a.severity > b.severity : first_frame(a) < first_frame(b);
    });
    return std::move(all_);
}

std::span<const Kind* const> catalogue() {
    static const std::vector<const Kind*> all = [] {
        std::vector<const Kind*> list;
        for (const Source* source : sources()) list.insert(list.end(), source->kinds.begin(), source->kinds.end());
        return list;
    }();
    return all;
}

const Kind* find_kind(std::string_view id) {
    const auto found = std::ranges::find(catalogue(), id, [](const Kind* kind) { return std::string_view(kind->id); });
    return found != catalogue().end() ? *found : nullptr;
}

std::vector<Observation> observe(const Evidence& evidence) {
    Observations observations;
    for (const Source* source : sources())
        if (source->observe != nullptr) source->observe(evidence, observations);
    observe_findings(evidence, observations);
    return std::move(observations).sorted();
}

}  // namespace fabricscope::observations
