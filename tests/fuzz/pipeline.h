// SPDX-License-Identifier: GPL-2.0-or-later
// From the octets of a capture file to every report, in one process; aborts where something is wrong.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/json.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/timeline.h"
#include "capture/source.h"
#include "tests/fuzz/fc_model.h"

namespace fabricscope::fuzz {

/// A file that has a name, but is in memory only.
class MemoryFile {
public:
    explicit MemoryFile(ByteView octets) : fd_(::memfd_create("capture", MFD_CLOEXEC)) {
        const ssize_t written = ::write(fd_, octets.data(), octets.size());
        if (fd_ < 0 || written != static_cast<ssize_t>(octets.size())) std::abort();
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(fd_); }

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

/// Asks for every stream; octets must come in order, each position once.
class StreamsInOrder : public engine::smcr::Observer {
public:
    bool wants_stream(const engine::smcr::Connection&, engine::smcr::Side) override { return true; }
    void on_stream(const engine::smcr::StreamPiece& piece) override {
        std::uint64_t& end = ends_[{piece.connection, piece.from}];
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

inline void write_reports(const engine::Engine& engine, const std::vector<std::string>& problems) {
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
    for (const engine::smcr::Connection& connection : engine.smcr().connections) {
        if (connection.merged) continue;
        const report::Timeline timeline{
            .connection = connection, .start = engine.capture().start.value_or(0), .flags = {}};
        report::write_timeline(text, timeline, {});
        report::write_timeline_csv(text, timeline);
    }
}

inline PipelineResult run_pipeline(ByteView octets) {
    const MemoryFile file(octets);
    capture::OpenResult opened = capture::open(file.path());
    if (!opened) return {};
    const auto source = capture::in_time_order(std::move(opened.source));
    engine::Options options{
        .rdma_cm = true,
        .fc = true,
        .fc_protocols = {.fcvi = true, .fc_ae_rdma = true},
        .interfaces = source->interface_count()};
    options.smcr_options.timelines = true;
    StreamsInOrder streams;
    engine::Engine engine(options, {.smcr = &streams});
    for (capture::Frame frame; source->next(frame);) engine.on_frame(frame);
    engine.finish();
    check_model(engine.smcr());
    check_models(engine);
    std::vector<std::string> problems;
    for (const capture::Error& error : source->errors()) problems.push_back(to_string(error));
    write_reports(engine, problems);
    return {true, engine.capture().frames, problems.size()};
}

}  // namespace fabricscope::fuzz
