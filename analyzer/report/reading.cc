// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analyzer/report/clocks.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/spans.h"
#include "analyzer/report/units.h"
#include "capture/damaged_packets.h"
#include "capture/part_labels.h"
#include "capture/pcapng_statistics.h"
#include "capture/source.h"

namespace fabricscope::report {
namespace {

std::vector<std::unique_ptr<capture::Source>> open_all(const std::vector<std::string>& files, Reading& reading) {
    std::vector<std::unique_ptr<capture::Source>> sources;
    for (const std::string& file : files) {
        capture::OpenResult result = capture::open(file);
        if (!result) {
            reading.problems.push_back(to_string(result.error));
            continue;
        }
        sources.push_back(std::move(result.source));
        reading.opened.push_back(file);
    }
    return sources;
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

bool is_file(const PartFile& part) { return is_file(part.path); }
bool is_file(const std::vector<std::string>& files) {
    return std::ranges::all_of(files, [](const std::string& file) { return is_file(file); });
}

/// What findings, which are observations, and times are about.
std::set<std::uint64_t> frames_named(
    const engine::Models& models, std::span<const observations::Observation> observations) {
    std::set<std::uint64_t> frames = frames_with_an_order(models);
    for (const observations::Observation& o : observations) frames.insert(o.frames.begin(), o.frames.end());
    return frames;
}

/// Of a part: its comments are read once more.
std::map<std::uint64_t, capture::Origin> origins_in(const PartFile& part, const std::set<std::uint64_t>& frames) {
    std::map<std::uint64_t, capture::Origin> origins;
    capture::PartLabels labels(part.path, part.whole.files());
    while (const auto label = labels.next())
        if (frames.contains(label->number)) origins[label->number] = label->origin;
    return origins;
}

/// Where the frames lie, if there are several files.
std::map<std::uint64_t, Place> places_of(const std::set<std::uint64_t>& frames, const Reading& reading) {
    if (reading.opened.size() < 2) return {};
    std::map<std::uint64_t, Place> places;
    for (const auto& [frame, origin] : reading.part ? origins_in(*reading.part, frames) : reading.origins.of(frames))
        places[frame] = {reading.opened[origin.source], origin.number};
    return places;
}

/// Takes down with which frame each session turns up.
class Numberer {
public:
    Numberer(const engine::Engine& engine, bool by_time) : engine_(engine), by_time_(by_time) {
        for (const ProtocolReport* protocol : protocol_reports())
            for (const NameKind& kind : protocol->names) {
                kinds_.push_back(&kind);
                numberings_.push_back({kind.prefix, {}, {}});
            }
    }

    /// `time`: since the start.
    void look(std::uint64_t frame, capture::Time time) {
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            Numbering& numbering = numberings_[i];
            const std::size_t count = kinds_[i]->count(engine_);
            numbering.frames.resize(count, frame);
            if (by_time_) numbering.times.resize(count, static_cast<std::uint64_t>(std::max(time, capture::Time{0})));
        }
    }
    std::vector<Numbering> take() { return std::move(numberings_); }

private:
    const engine::Engine& engine_;
    bool by_time_;
    std::vector<const NameKind*> kinds_;
    std::vector<Numbering> numberings_;
};

/// nullptr: nothing could be opened, which `reading` is told.
std::unique_ptr<capture::PacketSource> packets_of(const std::vector<std::string>& files, Reading& reading) {
    auto sources = open_all(files, reading);
    if (sources.empty()) return nullptr;
    if (!is_file(files)) return capture::decoded(capture::timeline(std::move(sources), capture::Reopen()));
    return capture::read_ahead(capture::timeline(std::move(sources), capture::reopening(reading.opened)));
}

/// Points to `part`.
std::unique_ptr<capture::PacketSource> packets_of(const PartFile& part, Reading& reading) {
    auto sources = open_all({part.path}, reading);
    if (sources.empty()) return nullptr;
    const auto with_original_numbers = [&part](std::vector<std::unique_ptr<capture::Source>> opened) {
        for (auto& source : opened)
            source = capture::with_original_numbers(std::move(source), part.path, {part.path, part.whole.files()});
        return opened;
    };
    return capture::read_ahead(capture::timeline(
        with_original_numbers(std::move(sources)),
        [with_original_numbers, again = capture::reopening({part.path})] { return with_original_numbers(again()); }));
}

Reading read_once(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers,
    const OnFrame& on_frame) {
    Reading reading;
    const auto packets = packets_of(files, reading);
    if (!packets) return reading;
    options.interfaces = packets->interface_count();
    reading.engine = std::make_unique<engine::Engine>(options, observers);
    const bool merged = reading.opened.size() > 1;
    Spans spans(reading.opened.size());
    while (const capture::DecodedFrame* at = packets->next()) {
        const capture::Frame& frame = at->frame;
        if (merged && !spans.take(frame)) {
            reading.problems.push_back(
                spans.why_not(frame, reading.opened) +
                ": from there on all is left out; analyze each by itself (--each)");
            break;
        }
        if (merged) reading.origins.add(frame);
        reading.engine->on_packet(at->packet);
        if (!on_frame(*at)) break;
    }
    reading.engine->finish();
    reading.gaps = spans.gaps(reading.opened);
    reading.losses = losses_told_in(reading.opened);
    for (const capture::Error& error : packets->errors()) reading.problems.push_back(to_string(error));
    reading.ended_early = packets->errors().size();
    return reading;
}

Reading read_once(
    const PartFile& part, engine::Options options, const engine::Observers& observers, const OnFrame& on_frame) {
    Reading reading;
    reading.part = part;
    const auto packets = packets_of(part, reading);
    if (!packets) return reading;
    const Partition& whole = part.whole;
    options.interfaces = packets->interface_count();
    reading.opened = whole.files();
    reading.engine = std::make_unique<engine::Engine>(options, observers);
    if (whole.frames != 0) reading.engine->begin_at(whole.start);
    Numberer numberer(*reading.engine, options.interfaces > 1);
    bool to_the_end = true;
    while (const capture::DecodedFrame* at = to_the_end ? packets->next() : nullptr) {
        reading.engine->on_packet(at->packet);
        numberer.look(at->packet.number, at->packet.time - whole.start);
        to_the_end = on_frame(*at);
    }
    if (to_the_end && whole.frames != 0) reading.engine->end_at(whole.end);
    reading.engine->finish();
    numberer.look(whole.frames + 1, whole.end - whole.start);
    reading.numberings = numberer.take();
    reading.losses = whole.losses;
    reading.problems = whole.problems;
    for (const capture::Error& error : packets->errors()) reading.problems.push_back(to_string(error));
    return reading;
}

/// What damaged packets do: they break rules, or their ICRC was seen to be wrong.
bool may_hold_damaged_packets(const engine::Engine& engine) {
    const engine::CaptureSummary& capture = engine.capture();
    if (capture.rdma_frames == 0 && capture.tcp_frames == 0) return false;
    const engine::rdma::Model* rdma = engine.models().rdma;
    const auto has_wrong_icrcs = [](const engine::rdma::Stream& stream) {
        return stream.from[engine::rdma::a].icrcs.wrong != 0 || stream.from[engine::rdma::b].icrcs.wrong != 0;
    };
    return !engine.findings().empty() || (rdma != nullptr && std::ranges::any_of(rdma->streams, has_wrong_icrcs));
}

template <class Captures> std::vector<std::uint64_t> damaged_in(const Captures& captures) {
    Reading unused;
    const auto packets = packets_of(captures, unused);
    capture::DamagedPackets damaged;
    while (const capture::DecodedFrame* at = packets ? packets->next() : nullptr) damaged.on_packet(at->packet);
    return damaged.frames();
}

/// Only what comes behind a damaged packet tells that it was. Observers, who are told of each frame once, need it to be
/// known before; else it is looked for where it may have done something.
template <class Captures>
Reading read_without_damaged(
    const Captures& captures, engine::Options options, const engine::Observers& observers, const OnFrame& on_frame) {
    if (!is_file(captures)) return read_once(captures, options, observers, on_frame);
    if (observers != engine::Observers{}) {
        options.damaged = damaged_in(captures);
        return read_once(captures, options, observers, on_frame);
    }
    bool to_the_end = true;
    Reading reading = read_once(captures, options, observers, [&](const capture::DecodedFrame& at) {
        to_the_end = on_frame(at);
        return to_the_end;
    });
    if (!to_the_end || !reading.engine || !may_hold_damaged_packets(*reading.engine)) return reading;
    options.damaged = damaged_in(captures);
    return options.damaged.empty() ? std::move(reading) : read_once(captures, options, observers, on_frame);
}

}  // namespace

std::vector<std::string> losses_told_in(const std::vector<std::string>& files) {
    std::vector<std::string> losses;
    for (const std::string& file : files)
        for (const capture::InterfaceLoss& loss : capture::losses_told_at_the_end_of(file))
            losses.push_back(loss_text(fmt::format("{}, interface {}", file, loss.interface), loss.frames));
    return losses;
}

std::string loss_text(const std::string& place, std::uint64_t frames) {
    return fmt::format(
        "{}: {} lost before they were captured; what is said to be missing may have been in them", place,
        counted(frames, "frame"));
}

Reading read(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers,
    const OnFrame& on_frame) {
    return read_without_damaged(files, std::move(options), observers, on_frame);
}

Reading read(
    const PartFile& part, engine::Options options, const engine::Observers& observers, const OnFrame& on_frame) {
    return read_without_damaged(part, std::move(options), observers, on_frame);
}

Results results_of(
    const Reading& reading, const std::vector<std::string>& files, std::vector<const engine::Finding*> findings) {
    const engine::Engine& engine = *reading.engine;
    const engine::Models models = engine.models();
    std::vector<std::string> warnings = clock_warnings(models, places_of(frames_with_an_order(models), reading));
    if (const auto& offset = engine.capture().clock_offset)
        std::ranges::move(
            clock_warnings(*offset, places_of({offset->frame, offset->copy}, reading)), std::back_inserter(warnings));
    std::vector<observations::Observation> seen = observations::observe(
        {.models = models,
         .capture = engine.capture(),
         .findings = findings,
         .unread = reading.problems,
         .interrupted = reading.interrupted,
         .doubts = warnings,
         .dropped = reading.losses,
         .silent = reading.silences,
         .passed_by = reading.bypasses});
    warnings.insert(warnings.end(), reading.losses.begin(), reading.losses.end());
    std::map<std::uint64_t, Place> places = places_of(frames_named(models, seen), reading);
    std::vector<PartOfWhole> parts;
    if (const auto& part = reading.part)
        parts.push_back({part->whole.run(), part->number, part->whole.parts.size(), reading.numberings});
    return {
        .files = files,
        .problems = reading.problems,
        .capture = engine.capture(),
        .models = models,
        .findings = std::move(findings),
        .places = std::move(places),
        .warnings = std::move(warnings),
        .observations = std::move(seen),
        .parts = std::move(parts)};
}

}  // namespace fabricscope::report
