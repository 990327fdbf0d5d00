// SPDX-License-Identifier: GPL-2.0-or-later
// From the octets of a capture file to every report, in one process; aborts where something is wrong.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analyzer/report/comments.h"
#include "analyzer/report/csv.h"
#include "analyzer/report/html.h"
#include "analyzer/report/json.h"
#include "analyzer/report/perfetto.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/timeline.h"
#include "capture/damaged_packets.h"
#include "capture/source.h"
#include "tests/fuzz/fc_model.h"
#include "tests/fuzz/memory_file.h"

namespace fabricscope::fuzz {

/// Asks for every stream; octets must come in order, each position once.
class StreamsInOrder : public engine::smcr::Observer {
public:
    bool wants_stream(const engine::smcr::Connection&, engine::smcr::Side) override { return true; }
    void on_stream(const engine::smcr::StreamPiece& piece) override {
        std::uint64_t& end = ends_[{piece.of.connection, piece.of.from}];
        if (piece.position < end || (piece.octets.empty() && piece.missing == 0)) std::abort();
        end = piece.position + piece.octets.size() + piece.missing;
    }

private:
    std::map<std::pair<std::uint32_t, engine::smcr::Side>, std::uint64_t> ends_;
};

/// What holds whatever was captured.
inline void check_model(const engine::smcr::Model& model) {
    std::uint32_t id = 0;
    for (const engine::smcr::Connection& connection : model.connections) {
        must(connection.id == ++id && connection.link_group <= model.link_groups.size());
        for (const engine::smcr::Direction& direction : connection.from.values)
            for (const engine::smcr::CursorSample& sample : direction.timeline)
                must(sample.consumed <= sample.produced && sample.produced <= direction.bytes_announced);
    }
    id = 0;
    for (const engine::smcr::LinkGroup& group : model.link_groups) {
        must(group.id == ++id && group.exchanges.size() <= group.exchange_count);
        for (const std::uint32_t connection : group.connections)
            must(connection >= 1 && connection <= model.connections.size());
    }
    check_findings(model.findings);
}

struct PipelineResult {
    bool opened = false;
    std::uint64_t frames = 0;
    std::size_t problems = 0;
};

inline void write_ladders(std::ostream& out, const engine::Engine& engine) {
    for (const report::ProtocolReport* report : report::protocol_reports())
        for (const report::SessionKind& kind : report->sessions)
            for (std::size_t i = 0; kind.ladder != nullptr && i < kind.count(engine); ++i)
                if (!kind.at(engine, i).merged) report::write_ladder(out, kind.ladder(engine, i, 0), {});
}

/// The forms for which every value is looked at once more; they take longer than all else.
inline void write_further_reports(const engine::Engine& engine, const report::Results& results) {
    std::ostringstream lines, page, trace, tables;
    report::write_ndjson(lines, results, true);
    for (std::istringstream each(lines.str()); !each.eof();) {
        std::string line;
        if (std::getline(each, line)) must(nlohmann::json::accept(line));
    }
    report::write_html(page, engine, results, "test");
    report::write_perfetto(trace, engine, report::overview_of(results.models), "test");
    report::write_csv(results, true, [&](const report::DataTable&) -> std::ostream& { return tables; });
    const std::uint64_t frames = engine.capture().frames;
    for (const auto& [frame, comments] : report::comments_of(results)) must(frame >= 1 && frame <= frames);
}

/// Which of the reports are written.
enum class Extent : std::uint8_t { usual, every_report };

inline void write_reports(const engine::Engine& engine, const std::vector<std::string>& problems, Extent extent) {
    report::Results results{
        .files = {"capture"},
        .problems = problems,
        .capture = engine.capture(),
        .models = engine.models(),
        .findings = engine.findings()};
    std::ostringstream json, text;
    report::write_json(json, results, true);
    if (!nlohmann::json::accept(json.view())) std::abort();
    report::write_summary(text, results, {});
    write_ladders(text, engine);
    if (extent == Extent::every_report) write_further_reports(engine, results);
    for (const engine::smcr::Connection& connection : engine.smcr().connections) {
        if (connection.merged) continue;
        const report::Timeline timeline{
            .connection = connection, .start = engine.capture().start.value_or(0), .flags = {}};
        report::write_timeline(text, timeline, {});
        report::write_timeline_csv(text, timeline);
    }
}

/// Counts what it is given.
class CountingSink final : public report::OctetSink {
public:
    void write(ByteView octets) override { octets_ += octets.size(); }
    void write_zeros(std::uint64_t count) override { zeros_ += count; }
    void tell_hole(std::uint64_t, std::uint64_t octets, const char* consequence) override {
        must(octets != 0 && consequence != nullptr);
    }
    void tell(const std::string& trouble) override { must(!trouble.empty()); }

    std::uint64_t octets() const { return octets_; }
    std::uint64_t zeros() const { return zeros_; }

private:
    std::uint64_t octets_ = 0, zeros_ = 0;
};

/// As `fabricscope stream` reads the stream of one side.
inline void read_stream(const MemoryFile& file, const report::SessionPlace& place, engine::Side from) {
    CountingSink sink;
    const auto stream = place.kind->stream({place.id, from, false}, sink);
    engine::Options options{.smcr = false};
    place.protocol->protocol.followed(options) = true;
    engine::Observers observers;
    stream->listen(observers);
    capture::OpenResult opened = capture::open(file.path());
    must(static_cast<bool>(opened));
    const auto source = capture::in_time_order(std::move(opened.source));
    options.interfaces = source->interface_count();
    engine::Engine engine(options, observers);
    for (capture::Frame frame; source->next(frame);) engine.on_frame(frame);
    engine.finish();
    stream->finish();
    constexpr std::uint64_t largest_gap = std::uint64_t{1} << 32;  // nobody could keep more
    must(sink.zeros() <= largest_gap);
}

/// Those of the first sessions of each kind.
inline void read_streams(const MemoryFile& file, const engine::Engine& engine) {
    constexpr std::size_t most = 2;
    for (const report::ProtocolReport* report : report::protocol_reports())
        for (const report::SessionKind& kind : report->sessions)
            for (std::size_t i = 0; kind.stream != nullptr && i < std::min(most, kind.count(engine)); ++i)
                for (const engine::Side from : {engine::Side::client, engine::Side::server})
                    read_stream(file, {report, &kind, static_cast<std::uint32_t>(kind.at(engine, i).id)}, from);
}

/// Once all frames have been seen.
inline void check_and_report(const engine::Engine& engine, const std::vector<std::string>& problems, Extent extent) {
    check_model(engine.smcr());
    check_models(engine);
    write_reports(engine, problems, extent);
}

inline PipelineResult run_pipeline(ByteView octets, Extent extent = Extent::usual) {
    const MemoryFile file(octets);
    capture::OpenResult opened = capture::open(file.path());
    if (!opened) return {};
    const auto source = capture::in_time_order(std::move(opened.source));
    engine::Options options = engine::following_all(source->interface_count());
    options.smcr_options.timelines = true;
    StreamsInOrder streams;
    engine::Engine engine(options, {.smcr = &streams});
    capture::DamagedPackets damaged;
    for (capture::Frame frame; source->next(frame);) {
        const capture::Packet packet = capture::decode(frame);
        damaged.on_packet(packet);
        engine.on_packet(packet);
    }
    engine.finish();
    must(std::ranges::is_sorted(damaged.frames()));
    std::vector<std::string> problems;
    for (const capture::Error& error : source->errors()) problems.push_back(to_string(error));
    check_and_report(engine, problems, extent);
    if (extent == Extent::every_report) read_streams(file, engine);
    return {true, engine.capture().frames, problems.size()};
}

}  // namespace fabricscope::fuzz
