// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/report/attention.h"

namespace fabricscope::viewer {
namespace {

constexpr std::uint64_t frames_between_calls = 1024;

std::vector<const engine::Finding*> findings_of(const engine::Engine& engine) {
    std::vector<const engine::Finding*> findings = engine.findings();
    std::erase_if(findings, [](const engine::Finding* finding) { return finding->rule->only_in.has_value(); });
    return findings;
}

/// Frames whose sessions are known, as the protocols tell them.
class KnownFrames {
public:
    void add(const report::SessionKind& kind, std::uint64_t frame, std::uint32_t id) {
        frames_.push_back({frame, &kind, id});
    }
    /// And forgets them.
    void mark_in(Recording& recording) {
        std::map<std::pair<const report::SessionKind*, std::uint32_t>, std::optional<std::size_t>> nodes;
        for (const Known& known : std::exchange(frames_, {})) {
            const auto [place, is_new] = nodes.try_emplace({known.kind, known.id});
            if (is_new) place->second = recording.node_of(known.kind->prefix + std::to_string(known.id));
            if (place->second) recording.frames.mark(known.frame, *place->second);
        }
    }

private:
    struct Known {
        std::uint64_t frame;
        const report::SessionKind* kind;
        std::uint32_t id;
    };
    std::vector<Known> frames_;
};

/// What passes between queue pairs is that of the session that set them up, else of the stream.
std::vector<FrameTable::Flow> flows_of(const Recording& recording) {
    using engine::rdma::Stream;
    std::vector<FrameTable::Flow> flows;
    for (const Stream& stream : recording.reading.engine->rdma().streams) {
        if (stream.merged) continue;
        auto node = recording.node_of(session_name(stream));
        if (!node) node = recording.node_of(engine::rdma::stream_name(stream.id));
        for (const std::size_t to : {0U, 1U})
            if (const auto& end = stream.end[to]; node && end.qpn)
                flows.push_back(
                    {{stream.end[1 - to].address},
                     {end.address, FrameTable::End::Kind::queue_pair, *end.qpn},
                     static_cast<std::uint32_t>(*node)});
    }
    return flows;
}

void evaluate(Recording& recording, KnownFrames& known) {
    recording.results.emplace(
        report::results_of(recording.reading, recording.files, findings_of(*recording.reading.engine)));
    recording.overview = report::overview_of(
        *recording.reading.engine, recording.results->models, *recording.listeners);
    for (std::size_t i = 0; i < recording.overview.nodes.size(); ++i)
        recording.nodes.try_emplace(recording.overview.nodes[i].name, i);
    recording.fabric = report::fabric_of(recording.results->models);
    recording.tracks = tracks_of(recording.overview);
    recording.frames.sort();
    known.mark_in(recording);
    recording.frames.take_nodes_from(recording.overview, flows_of(recording));
}

}  // namespace

engine::Options engine_options() {
    engine::Options options = engine::following_all();
    engine::judge_by(options, engine::Profile::linux_);
    for (const report::ProtocolReport* report : report::protocol_reports())
        if (report->keep_for_ladders != nullptr) report->keep_for_ladders(options);
    options.smcr_options.timelines = true;
    return options;
}

std::optional<Time> Recording::time_of(std::uint64_t frame) const {
    const std::size_t row = frames.row_of(frame);
    return row < frames.rows.size() ? std::optional(frames.rows[row].time) : std::nullopt;
}

std::optional<std::size_t> Recording::node_of(const std::string& session) const {
    const auto place = nodes.find(session);
    return place != nodes.end() ? std::optional(place->second) : std::nullopt;
}

std::optional<std::size_t> Recording::branch_of(const std::string& session) const {
    if (const auto node = node_of(session)) return node;
    const auto known = report::kind_of(session);
    if (!known) return std::nullopt;
    const auto is_it = [&](const Slice& slice) { return slice.session == known->id; };
    for (std::size_t i = 0; i < overview.nodes.size(); ++i)
        for (const Lane& lane : overview.nodes[i].lanes)
            if (lane.prefix != nullptr && lane.prefix == std::string_view(known->kind->prefix) &&
                std::ranges::any_of(lane.slices, is_it))
                return i;
    return std::nullopt;
}

Place Recording::place_of(std::uint64_t frame) const {
    Place place{.node = {}, .session = {}, .frame = frame, .time = {}};
    const std::size_t row = frames.row_of(frame);
    if (row == frames.rows.size()) return place;
    place.time = frames.rows[row].time;
    if (frames.rows[row].node == FrameRow::no_node) return place;
    place.node = frames.rows[row].node;
    place.session = overview.nodes[*place.node].name;
    return place;
}

Place Recording::place_of(const std::string& session, std::optional<std::uint64_t> frame) const {
    Place place = frame ? place_of(*frame) : Place{};
    if (!session.empty()) {
        place.node = branch_of(session);
        place.session = session;
    }
    if (!frame && place.node) place.time = overview.nodes[*place.node].first;
    return place;
}

std::uint64_t Recording::operations() const {
    std::uint64_t count = 0;
    for (const Track& track : tracks) count += overview.nodes[track.node].lanes[track.lane].slices.size();
    return count;
}

std::vector<report::Arrow> Recording::arrows(const std::string& session, std::uint64_t frame) const {
    if (!reading.engine || !listeners) return {};
    return listeners->arrows(*reading.engine, session, frame);
}

std::string Recording::complaint() const {
    std::string text = fmt::format("{}", fmt::join(reading.problems, "\n"));
    if (cancelled) text += fmt::format("{}Reading was cancelled: this is what came before.", text.empty() ? "" : "\n");
    if (frames.left_out != 0)
        text += fmt::format(
            "{}Packets lists the first {}; {} more were read.", text.empty() ? "" : "\n",
            report::counted(frames.rows.size(), "frame"), report::grouped(frames.left_out));
    if (!results || !text.empty()) return text;
    if (results->capture.frames == 0) return "There is no frame in this capture.";
    if (!overview.nodes.empty()) return {};
    for (const std::string& sentence : report::what_is_there_instead(*results)) text += '\n' + sentence;
    return "Nothing in this capture belongs to a protocol that fabricscope follows." + text;
}

std::shared_ptr<const Recording> load(
    const std::vector<std::string>& files, const std::function<bool(std::uint64_t, std::uint64_t)>& proceed,
    bool still_written) {
    auto recording = std::make_shared<Recording>();
    recording->files = files;
    std::uint64_t frames = 0, octets = 0;
    const auto known = std::make_shared<KnownFrames>();
    auto listeners = std::make_unique<report::FrameListeners>(
        [known, recording = recording.get()](const report::SessionKind& kind, std::uint64_t frame, std::uint32_t id) {
            if (recording->frames.left_out == 0) known->add(kind, frame, id);
        });
    recording->reading = report::read(
        files, engine_options(), listeners->observers(), [&](const capture::DecodedFrame& at) {
            recording->frames.add(at.packet);
            octets += at.packet.captured_length;
            recording->cancelled = ++frames % frames_between_calls == 0 && !proceed(frames, octets);
            return !recording->cancelled;
        });
    recording->listeners = std::move(listeners);
    if (auto& problems = recording->reading.problems; still_written)
        problems.resize(problems.size() - recording->reading.ended_early);
    if (recording->reading.engine) evaluate(*recording, *known);
    return recording;
}

}  // namespace fabricscope::viewer
