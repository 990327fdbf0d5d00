// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/report/lists.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using observations::Observation;

/// Observations that differ in their session only.
struct Group {
    const Observation* example;
    std::vector<std::string> sessions;
};

std::vector<Group> groups_of(std::span<const Observation> observations) {
    std::vector<Group> groups;
    std::map<std::tuple<const observations::Kind*, engine::Severity, std::string_view, std::string_view>, std::size_t>
        known;
    for (const Observation& o : observations) {
        if (o.kind == nullptr) continue;
        const auto [found, is_new] = known.try_emplace({o.kind, o.severity, o.text, o.cause}, groups.size());
        if (is_new) groups.push_back({&o, {}});
        if (!o.session.empty()) groups[found->second].sessions.push_back(o.session);
    }
    return groups;
}

/// `advice`: what the sentences before it say of where to look; its own is added.
Sentence sentence_of(const Group& group, std::size_t most, std::set<std::string_view>& advice) {
    const Observation& o = *group.example;
    Sentence sentence{o.severity, o.text, {}};
    if (!group.sessions.empty()) sentence.text = fmt::format("{}: {}", names_text(group.sessions, most), o.text);
    sentence.text += fmt::format(" [{}]", o.id);
    if (o.severity == engine::Severity::note) return sentence;
    if (!o.cause.empty()) sentence.details.push_back("Cause: " + o.cause);
    if (!o.look.empty())
        sentence.details.push_back("Look at: " + (advice.insert(o.look).second ? o.look : "the same, see above"));
    return sentence;
}

}  // namespace

std::vector<Sentence> what_stands_out(std::span<const Observation> observations, std::size_t most) {
    std::vector<Sentence> sentences;
    std::map<const observations::Kind*, std::size_t> of_kind;
    std::set<std::string_view> advice;
    const std::vector<Group> groups = groups_of(observations);
    for (const Group& group : groups)
        if (++of_kind[group.example->kind] <= most) sentences.push_back(sentence_of(group, most, advice));
    for (const auto& [kind, count] : of_kind)
        if (count > most)
            sentences.push_back(
                {engine::Severity::note,
                 fmt::format("... and {} more of {} (--all)", grouped(count - most), kind->id),
                 {}});
    return sentences;
}

std::vector<std::string> what_is_there_instead(const Results& results) {
    const auto is_there = [&](const ProtocolReport* report) { return report->is_there(results.models); };
    if (std::ranges::any_of(protocol_reports(), is_there)) return {};
    const engine::CaptureSummary& capture = results.capture;
    std::vector<std::string> sentences{fmt::format(
        "{} of TCP, {} of RoCE and InfiniBand", counted(capture.tcp_frames, "frame"), grouped(capture.rdma_frames))};
    const std::uint64_t not_offered = results.models.smcr != nullptr ? results.models.smcr->not_offered : 0;
    if (not_offered != 0)
        sentences.push_back(fmt::format(
            "{} began without offering SMC: the SYN has no SMC option. A program offers it if it is started by smc_run "
            "or uses AF_SMC; a firewall may take it away.",
            counted(not_offered, "TCP connection")));
    if (capture.rdma_frames == 0)
        sentences.emplace_back(
            "RDMA adapters send and receive RoCE past their host's network interface: a mirror port of the switch "
            "shows it, or the RDMA device (fabricscope capture -D).");
    return sentences;
}

Ink ink_of(engine::Severity severity) {
    switch (severity) {
        case engine::Severity::error: return Ink::red;
        case engine::Severity::warning: return Ink::yellow;
        case engine::Severity::note: return Ink::plain;
    }
    return Ink::plain;
}

}  // namespace fabricscope::report
