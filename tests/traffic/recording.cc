// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/recording.h"

#include <algorithm>
#include <stdexcept>

#include "capture/source.h"
#include "replay/synth/families.h"

namespace fabricscope::traffic {

Recording play(std::string_view name) {
    const auto builtin = std::ranges::find(synth::builtin_scenarios(), name, &synth::BuiltinScenario::name);
    if (builtin == synth::builtin_scenarios().end())
        throw synth::ScenarioError("no scenario " + std::string(name) + " in samples/scenarios");
    return play_text(builtin->text);
}

Recording play_text(std::string_view text) { return synth::run(synth::parse_scenario(text)); }

Recording read(const std::string& path) {
    const capture::OpenResult opened = capture::open(path);
    if (!opened) throw std::runtime_error(to_string(opened.error));
    Recording recording;
    for (capture::Frame frame; opened.source->next(frame);) {
        if (recording.interfaces.size() <= frame.interface) recording.interfaces.resize(frame.interface + 1);
        recording.interfaces[frame.interface].link = frame.link;
        recording.frames.push_back({frame.time, frame.interface, {frame.data.begin(), frame.data.end()}, {}});
    }
    if (const auto errors = opened.source->errors(); !errors.empty())
        throw std::runtime_error(to_string(errors.front()));
    return recording;
}

void write(const Recording& recording, const std::string& path) {
    capture::PcapngWriter writer(path, {"fabricscope's tests", {}, recording.interfaces});
    for (const RecordedFrame& frame : recording.frames)
        writer.write(capture::whole_frame(frame.interface, frame.time, frame.octets), frame.comments);
    if (const auto error = writer.finish()) throw std::runtime_error(*error);
}

capture::Frame frame_at(const Recording& recording, std::size_t index) {
    const RecordedFrame& recorded = recording.frames.at(index);
    capture::Frame frame = capture::whole_frame(recorded.interface, recorded.time, recorded.octets);
    frame.number = index + 1;
    frame.link = recording.interfaces.at(recorded.interface).link;
    return frame;
}

void for_each_frame(const Recording& recording, const std::function<void(const capture::Frame&)>& take) {
    for (std::size_t i = 0; i < recording.frames.size(); ++i) take(frame_at(recording, i));
}

}  // namespace fabricscope::traffic
