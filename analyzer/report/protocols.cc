// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>

#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/fc_report.h"
#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/rdma_cm_report.h"
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/smcr_report.h"

namespace fabricscope::report {
namespace {

/// 0 if the name has another prefix, or no number.
std::uint32_t id_in(const std::string& name, std::string_view prefix) {
    std::uint32_t id = 0;
    const char* const end = name.data() + name.size();
    if (!name.starts_with(prefix)) return 0;
    const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, id);
    return error == std::errc() && rest == end ? id : 0;
}

}  // namespace

std::span<const ProtocolReport* const> protocol_reports() {
    static constexpr std::array all{&smcr_report, &rdma_cm_report,    &fc_report,
                                    &fcvi_report, &fc_ae_rdma_report, &rdma_report};
    static_assert(all.size() == engine::protocols.size());
    return all;
}

bool carries_others(const ProtocolReport& report) {
    return std::ranges::any_of(
        protocol_reports(), [&](const ProtocolReport* other) { return other->carrier == &report; });
}

namespace {

Overview branches_of(const engine::Models& models) {
    Overview overview;
    for (const ProtocolReport* report : protocol_reports())
        if (report->overview != nullptr && report->is_there(models)) report->overview(models, overview);
    return overview;
}

}  // namespace

Overview overview_of(const engine::Models& models) {
    Overview overview = branches_of(models);
    overview.sum_up();
    return overview;
}

Overview overview_of(const engine::Engine& engine, const engine::Models& models, const FrameListeners& listeners) {
    Overview overview = branches_of(models);
    listeners.add_lanes(engine, overview);
    overview.sum_up();
    return overview;
}

FrameListeners::FrameListeners(const Tell& tell) {
    for (const ProtocolReport* report : protocol_reports())
        for (const SessionKind& kind : report->sessions) {
            if (kind.frames == nullptr) continue;
            listeners_.push_back(
                {&kind, kind.frames([tell, &kind](std::uint64_t frame, std::uint32_t id) { tell(kind, frame, id); })});
            listeners_.back().listener->listen(observers_);
        }
}

void FrameListeners::add_lanes(const engine::Engine& engine, Overview& overview) const {
    for (const Listening& each : listeners_) each.listener->add_lanes(engine, overview);
}

std::vector<Arrow> FrameListeners::arrows(
    const engine::Engine& engine, const std::string& session, std::optional<std::uint64_t> frame) const {
    const auto place = kind_of(session);
    for (const Listening& each : listeners_)
        if (place && each.kind == place->kind && index_of(engine, *place->kind, place->id))
            return each.listener->arrows(engine, place->id, frame);
    return {};
}

std::optional<SessionPlace> kind_of(const std::string& name) {
    for (const ProtocolReport* protocol : protocol_reports())
        for (const SessionKind& kind : protocol->sessions)
            if (const std::uint32_t id = id_in(name, kind.prefix); id != 0) return SessionPlace{protocol, &kind, id};
    return std::nullopt;
}

std::optional<std::size_t> index_of(const engine::Engine& engine, const SessionKind& kind, std::uint32_t id) {
    const std::size_t count = kind.count(engine);
    const auto indexes = std::views::iota(std::size_t{0}, count);
    const auto id_of = [&](std::size_t i) { return kind.at(engine, i).id; };
    const auto index = static_cast<std::size_t>(std::ranges::lower_bound(indexes, id, {}, id_of) - indexes.begin());
    const bool found = index != count && id_of(index) == id && !kind.at(engine, index).merged;
    return found ? std::optional(index) : std::nullopt;
}

std::optional<FoundSession> session_named(const engine::Engine& engine, const std::string& name) {
    const auto place = kind_of(name);
    if (!place) return std::nullopt;
    const auto index = index_of(engine, *place->kind, place->id);
    return index ? std::optional(FoundSession{place->kind, *index}) : std::nullopt;
}

}  // namespace fabricscope::report
