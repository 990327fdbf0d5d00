// SPDX-License-Identifier: GPL-2.0-or-later
// Frames straight into a Fibre Channel tracker, as a capture with delimiters holds them.
#pragma once

#include "analyzer/engine/fc/tracker.h"
#include "tests/traffic/fc_builder.h"

namespace fabricscope::engine::fibre_channel::test {

inline void take(Tracker& tracker, const traffic::FcFrame& frame, std::uint64_t number, Time time) {
    const traffic::Octets octets = traffic::as_fc2_with_delimiters(frame);
    capture::Frame captured;
    captured.number = number;
    captured.time = time;
    captured.wire_length = static_cast<std::uint32_t>(octets.size());
    captured.data = octets;
    captured.link = capture::LinkType::fc2_with_delimiters;
    tracker.on_packet(decode(captured));
}

}  // namespace fabricscope::engine::fibre_channel::test
