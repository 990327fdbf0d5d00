// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/engine/smcr/observer.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

constexpr std::size_t most_writes = 4'000'000;  // of all connections

struct WriteSeen {
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint64_t position = 0;  ///< in the stream
    std::uint32_t octets = 0;
    std::uint64_t end() const { return position + octets; }
};

std::string writes_lane(Side from) { return fmt::format("{} writes", name_of(from)); }
std::string updates_lane(Side from) { return fmt::format("{} has consumed", name_of(other(from))); }

using Samples = std::vector<CursorSample>;

/// Octets of a stream, from the first to the one behind the last.
struct Piece {
    std::uint64_t begin = 0, end = 0;
};

/// What a CDC message announced or consumed, or what a WRITE wrote; nothing if the frame is neither.
Piece piece_of(const Samples& samples, const std::vector<WriteSeen>& writes, std::uint64_t frame) {
    const auto write = std::ranges::find(writes, frame, &WriteSeen::frame);
    if (write != writes.end()) return {write->position, write->end()};
    const auto sample = std::ranges::find(samples, frame, &CursorSample::frame);
    if (sample == samples.end()) return {};
    const CursorSample before = sample != samples.begin() ? *std::prev(sample) : CursorSample{};
    if (sample->produced > before.produced) return {before.produced, sample->produced};
    return {before.consumed, sample->consumed};
}

/// WRITE > CDC > consumer update.
class SmcrFrames final : public FrameListener, public Observer {
public:
    explicit SmcrFrames(TellSession tell) : tell_(std::move(tell)) {}

    void listen(engine::Observers& observers) override { observers.smcr = this; }
    void on_facts(const FrameFacts& facts) override {
        if (facts.connection == 0) return;
        tell_(facts.frame, facts.connection);
        const bool is_write = facts.what == FrameFacts::What::write && facts.from && facts.position;
        if (!is_write || facts.retransmission || kept_ == most_writes) return;
        auto& writes = writes_[facts.connection][*facts.from];
        const WriteSeen write{facts.time, facts.frame, *facts.position, facts.length};
        // What comes late goes to where it would have been.
        const bool is_late = !writes.empty() && write.position < writes.back().position;
        writes.insert(
            is_late ? std::ranges::upper_bound(writes, write.position, {}, &WriteSeen::position) : writes.end(), write);
        ++kept_;
    }

    void add_lanes(const engine::Engine& engine, Overview& overview) const override {
        for (Node& node : overview.nodes) {
            const auto session = session_named(engine, node.name);
            if (session && session->kind->frames == smcr_frames)
                add_lanes(engine.smcr().connections[session->index], node, overview);
        }
    }

    std::vector<Arrow> arrows(
        const engine::Engine& engine, std::uint32_t id, std::optional<std::uint64_t> frame) const override {
        std::vector<Arrow> all;
        const Connection& connection = engine.smcr().connections[id - 1];
        for (const Side from : {Side::client, Side::server}) {
            const Samples& samples = connection.from[from].timeline;
            const Piece wanted = frame ? piece_of(samples, writes_of(connection, from), *frame) : Piece{0, UINT64_MAX};
            const auto first = std::ranges::upper_bound(samples, wanted.begin, {}, &CursorSample::produced);
            std::uint64_t produced = first != samples.begin() ? std::prev(first)->produced : 0;
            for (auto sample = first; sample != samples.end() && produced < wanted.end; ++sample)
                if (sample->produced > produced)
                    add_arrows(all, connection, from, *sample, std::exchange(produced, sample->produced));
        }
        return all;
    }

private:
    const std::vector<WriteSeen>& writes_of(const Connection& connection, Side from) const {
        static const std::vector<WriteSeen> none;
        const auto place = writes_.find(connection.id);
        return place != writes_.end() ? place->second[from] : none;
    }

    void add_lanes(const Connection& connection, Node& node, Overview& overview) const {
        for (const Side from : {Side::client, Side::server}) {
            Lane writes{.name = writes_lane(from)}, updates{.name = updates_lane(from)};
            const auto moment = [&](Time time, std::uint64_t frame, std::uint64_t octets, const char* what) {
                return Slice{
                    .begin = time,
                    .end = time,
                    .frame = frame,
                    .octets = octets,
                    .label = overview.label(what),
                    .activity = Activity::span};
            };
            for (const WriteSeen& write : writes_of(connection, from))
                writes.slices.push_back(moment(write.time, write.frame, write.octets, "WRITE"));
            std::uint64_t consumed = 0;
            for (const CursorSample& sample : connection.from[from].timeline)
                if (sample.consumed > consumed)
                    updates.slices.push_back(moment(
                        sample.time, sample.frame, sample.consumed - std::exchange(consumed, sample.consumed),
                        "consumer update"));
            // Around what they bring on its way, and what ends it.
            const auto data = std::ranges::find(node.lanes, direction_name(from), &Lane::name);
            if (data == node.lanes.end()) continue;
            const auto behind = node.lanes.insert(data, std::move(writes)) + 2;
            node.lanes.insert(behind, std::move(updates));
        }
    }

    /// Of the octets from `begin` on that a CDC message announced.
    void add_arrows(
        std::vector<Arrow>& all, const Connection& connection, Side from, const CursorSample& announced,
        std::uint64_t begin) const {
        const Arrow::End cdc{direction_name(from), announced.time, announced.frame};
        const auto& writes = writes_of(connection, from);
        auto write = std::ranges::upper_bound(writes, begin, {}, &WriteSeen::end);
        // Of what came only after it was announced, an earlier copy was lost.
        for (; write != writes.end() && write->position < announced.produced; ++write)
            if (write->time <= announced.time) all.push_back({{writes_lane(from), write->time, write->frame}, cdc});
        const Samples& samples = connection.from[from].timeline;
        const auto update = std::ranges::lower_bound(samples, announced.produced, {}, &CursorSample::consumed);
        if (update != samples.end()) all.push_back({cdc, {updates_lane(from), update->time, update->frame}});
    }

    TellSession tell_;
    std::unordered_map<std::uint32_t, PerSide<std::vector<WriteSeen>>> writes_;  ///< by connection
    std::size_t kept_ = 0;
};

}  // namespace

std::unique_ptr<FrameListener> smcr_frames(TellSession tell) { return std::make_unique<SmcrFrames>(std::move(tell)); }

}  // namespace fabricscope::report
