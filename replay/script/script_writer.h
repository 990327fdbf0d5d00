// SPDX-License-Identifier: GPL-2.0-or-later
// A session of a capture as a scenario of the protocol messages: see replay/synth/messages.h, docs/scenarios.md.
#pragma once

#include <ostream>
#include <stdexcept>

#include "capture/frame.h"
#include "replay/script/session_frames.h"

namespace fabricscope::replay {

/// Why it cannot be written as a script. The text is shown to the user unchanged.
struct NotWritable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A frame of the session, kept.
struct KeptFrame {
    capture::Frame frame;  ///< its data are `octets`
    std::vector<std::uint8_t> octets;
    std::optional<Side> from{};
};

/// Throws NotWritable.
void write_script(
    std::ostream& out, const std::string& title, const std::vector<KeptFrame>& frames, const SessionFrames& session);

}  // namespace fabricscope::replay
