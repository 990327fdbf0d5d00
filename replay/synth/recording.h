// SPDX-License-Identifier: GPL-2.0-or-later
// What comes of a scenario: the frames as captured, and what the endpoints themselves report.
#pragma once

#include <string>
#include <vector>

#include "capture/pcapng_writer.h"

namespace fabricscope::synth {

struct RecordedFrame {
    capture::Time time = 0;
    std::uint32_t interface = 0;
    std::vector<std::uint8_t> octets;
    std::vector<std::string> comments;
};

struct Recording {
    std::vector<capture::CaptureInterface> interfaces;
    std::vector<RecordedFrame> frames;  ///< in order of time
    std::vector<std::string> account;   ///< the endpoints' own, one sentence each
    bool complete = true;               ///< false: the time was over before everything had happened
};

}  // namespace fabricscope::synth
