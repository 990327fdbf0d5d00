// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings of Fibre Channel of which one frame was captured in part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/engine/engine.h"
#include "tests/traffic/edit.h"

namespace fabricscope::engine::test {

/// Of a frame's payload only so much was captured, or all if it has less.
struct Cut {
    std::string frame;  ///< as edits name it; empty: none
    std::size_t octets = 0;
};

inline void analyze(Engine& engine, const traffic::Recording& recording, const Cut& cut) {
    const std::size_t short_one = cut.frame.empty() ? SIZE_MAX : traffic::select(recording, cut.frame).front();
    std::size_t index = 0;
    traffic::for_each_frame(recording, [&](capture::Frame frame) {
        if (index++ == short_one)
            frame.data = frame.data.first(
                std::min(frame.data.size(), capture::decode(frame).fc->payload_offset + cut.octets));
        engine.on_frame(frame);
    });
    engine.finish();
}

}  // namespace fabricscope::engine::test
