// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/replay_engine/smcr_samples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "capture/source.h"
#include "replay/synth/families.h"

namespace fabricscope::replay::smcr {

namespace fs = std::filesystem;

namespace {

const fs::path root = fs::path(FABRICSCOPE_SAMPLES).parent_path();

synth::Recording run(const fs::path& scenario) {
    std::ifstream file(scenario);
    std::stringstream text;
    text << file.rdbuf();
    return synth::run(synth::parse_scenario(text.str()));
}

}  // namespace

std::vector<std::string> samples() {
    std::vector<std::string> names;
    for (const char* folder : {"real", "scenarios"})
        for (const fs::directory_entry& entry : fs::directory_iterator(root / folder)) {
            const std::string name = entry.path().filename();
            const bool text = name.ends_with(".txt");
            if (name.starts_with("smcr_") && !text) names.push_back(fmt::format("{}/{}", folder, name));
        }
    std::ranges::sort(names);
    return names;
}

const Protocol& smcr_protocol() {
    return *std::ranges::find_if(protocols(), [](const Protocol& one) { return std::string_view(one.name) == "smcr"; });
}

Sample::Sample(const std::string& name, std::uint64_t without) : reader_(smcr_protocol().make_reader()) {
    engine::Options options{.smcr = false};
    engine::Observers observers;
    reader_->prepare(options, observers);
    const fs::path path = root / name;
    if (path.extension() == ".scenario") {
        const synth::Recording recording = run(path);
        options.interfaces = static_cast<std::uint32_t>(recording.interfaces.size());
        engine_ = std::make_unique<engine::Engine>(options, observers);
        for (const synth::RecordedFrame& recorded : recording.frames) {
            capture::Frame frame = stack::ethernet_frame(recorded.octets);
            frame.number = ++frames_;
            frame.time = recorded.time;
            frame.interface = recorded.interface;
            engine_->on_frame(frame);
        }
    } else {
        capture::OpenResult opened = capture::open(path);
        EXPECT_TRUE(opened) << to_string(opened.error);
        options.interfaces = opened.source->interface_count();
        const auto source = capture::in_time_order(std::move(opened.source));
        engine_ = std::make_unique<engine::Engine>(options, observers);
        for (capture::Frame frame; source->next(frame); ++frames_)
            if (frame.number != without) engine_->on_frame(frame);
    }
    engine_->finish();
}

std::unique_ptr<Session> played(const Session& session, Side side, Run* run, Pace pace) {
    Run result = run_emulated(
        session.player(side, {.pace = pace, .addresses = {}}), session.emulated(engine::other(side), ""),
        {.start = session.conversation().messages.front().time});
    auto actual = session_of(result, smcr_protocol(), session.conversation());
    if (run != nullptr) *run = std::move(result);
    return actual;
}

std::string Sample::play(const SessionInfo& info, Side side) const {
    if (!info.obstacle.empty()) return info.obstacle;
    const auto recorded = session(info.id);
    Run run;
    std::unique_ptr<Session> actual;
    try {
        actual = played(*recorded, side, &run);
    } catch (const NotPlayable& obstacle) {
        return obstacle.what();
    }
    if (actual == nullptr) return "nothing happened";
    const Comparison comparison = compare(recorded->conversation(), actual->conversation(), side);
    if (comparison.same() && run.over) return "";
    std::string text;
    for (const Difference& one : comparison.differences)
        if (one.level != Level::policy)
            text += fmt::format(
                "{}: {} {} {}: {} / {} ({} / {})\n", name_of(one.level), one.where, one.message, one.field,
                one.recorded, one.actual, one.recorded_frame, one.actual_frame);
    for (const engine::Finding& finding : comparison.broken)
        text += fmt::format("{} broken: {}\n", finding.rule->id, finding.text);
    if (!run.over) text += "waiting for " + run.waiting_for + "\n";
    for (const std::string& note : run.notes) text += "note: " + note + "\n";
    return text;
}

}  // namespace fabricscope::replay::smcr
