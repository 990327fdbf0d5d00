// SPDX-License-Identifier: GPL-2.0-or-later
// What the analyzer says of a recorded scenario.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "analyzer/engine/engine.h"
#include "replay/stack/core/endpoint.h"
#include "replay/synth/recording.h"

namespace fabricscope::synth {

inline std::unique_ptr<engine::Engine> analysed(const Recording& recording, const engine::Options& options) {
    EXPECT_TRUE(recording.complete);
    auto analysis = std::make_unique<engine::Engine>(options);
    std::uint64_t number = 0;
    for (const RecordedFrame& recorded : recording.frames) {
        capture::Frame frame = stack::ethernet_frame(recorded.octets);
        frame.link = recording.interfaces[recorded.interface].link;
        frame.number = ++number;
        frame.time = recorded.time;
        analysis->on_frame(frame);
    }
    analysis->finish();
    return analysis;
}

}  // namespace fabricscope::synth
