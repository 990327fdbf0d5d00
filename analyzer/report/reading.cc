// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analyzer/report/clocks.h"
#include "analyzer/report/units.h"
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

/// What the files' own statistics say.
std::vector<std::string> losses_told_in(const std::vector<std::string>& files) {
    std::vector<std::string> losses;
    for (const std::string& file : files)
        for (const capture::InterfaceLoss& loss : capture::losses_told_at_the_end_of(file))
            losses.push_back(loss_text(fmt::format("{}, interface {}", file, loss.interface), loss.frames));
    return losses;
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// What findings, which are observations, and times are about.
std::set<std::uint64_t> frames_named(
    const engine::smcr::Model& model, std::span<const observations::Observation> observations) {
    std::set<std::uint64_t> frames = frames_with_an_order(model);
    for (const observations::Observation& o : observations) frames.insert(o.frames.begin(), o.frames.end());
    return frames;
}

/// Where the frames lie, if there are several files.
std::map<std::uint64_t, Place> places_of(const std::set<std::uint64_t>& frames, const Reading& reading) {
    if (reading.opened.size() < 2) return {};
    std::map<std::uint64_t, Place> places;
    for (const auto& [frame, origin] : reading.origins.of(frames))
        places[frame] = {reading.opened[origin.source], origin.number};
    return places;
}

}  // namespace

std::string loss_text(const std::string& place, std::uint64_t frames) {
    return fmt::format(
        "{}: {} lost before they were captured; what is said to be missing may have been in them", place,
        counted(frames, "frame"));
}

Reading read(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers,
    const std::function<bool(const capture::Frame&)>& on_frame) {
    Reading reading;
    auto sources = open_all(files, reading);
    if (sources.empty()) return reading;
    auto source = capture::in_time_order(capture::merge(std::move(sources)));
    if (std::ranges::all_of(files, is_file)) source = capture::read_ahead(std::move(source));
    options.interfaces = source->interface_count();
    reading.engine = std::make_unique<engine::Engine>(options, observers);
    const bool merged = reading.opened.size() > 1;
    for (capture::Frame frame; source->next(frame);) {
        if (merged) reading.origins.add(frame);
        reading.engine->on_frame(frame);
        if (!on_frame(frame)) break;
    }
    reading.engine->finish();
    reading.losses = losses_told_in(reading.opened);
    for (const capture::Error& error : source->errors()) reading.problems.push_back(to_string(error));
    return reading;
}

Results results_of(
    const Reading& reading, const std::vector<std::string>& files, std::vector<const engine::Finding*> findings) {
    const engine::Engine& engine = *reading.engine;
    std::vector<std::string> warnings = clock_warnings(
        engine.smcr(), places_of(frames_with_an_order(engine.smcr()), reading));
    const engine::Models models = engine.models();
    std::vector<observations::Observation> seen = observations::observe(
        {.models = models,
         .capture = engine.capture(),
         .findings = findings,
         .unread = reading.problems,
         .doubts = warnings,
         .dropped = reading.losses});
    warnings.insert(warnings.end(), reading.losses.begin(), reading.losses.end());
    std::map<std::uint64_t, Place> places = places_of(frames_named(engine.smcr(), seen), reading);
    return {
        .files = files,
        .problems = reading.problems,
        .capture = engine.capture(),
        .models = models,
        .findings = std::move(findings),
        .places = std::move(places),
        .warnings = std::move(warnings),
        .observations = std::move(seen)};
}

}  // namespace fabricscope::report
