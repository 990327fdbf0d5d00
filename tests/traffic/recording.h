// SPDX-License-Identifier: GPL-2.0-or-later
// Captures in memory: what a scenario makes, or what a file holds.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "replay/synth/recording.h"

namespace fabricscope::traffic {

using synth::RecordedFrame;
using synth::Recording;

/// What a scenario of samples/scenarios/ makes. Throws synth::ScenarioError.
Recording play(std::string_view name);
/// What the text of a scenario makes.
Recording play_text(std::string_view text);
/// The frames of a capture file. Throws std::runtime_error.
Recording read(const std::string& path);
/// Writes a pcapng file. Throws std::runtime_error.
void write(const Recording& recording, const std::string& path);

/// Frame `index` as a capture file would deliver it; the data are the recording's.
capture::Frame frame_at(const Recording& recording, std::size_t index);
/// All frames, in order.
void for_each_frame(const Recording& recording, const std::function<void(const capture::Frame&)>& take);

}  // namespace fabricscope::traffic
