// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/cursor_curves.h"

#include <algorithm>

#include "analyzer/report/timeline.h"

namespace fabricscope::report {

CursorCurves curves_of(const engine::smcr::Direction& direction) {
    CursorCurves curves;
    const auto capacity = capacity_of(direction);
    for (const engine::smcr::CursorSample& sample : direction.timeline) {
        curves.produced.push_back({sample.time, sample.produced});
        curves.consumed.push_back({sample.time, sample.consumed});
        curves.in_flight.push_back({sample.time, sample.in_flight()});
        curves.most_produced = std::max(curves.most_produced, sample.produced);
        if (!capacity) continue;
        curves.window.push_back({sample.time, sample.consumed + *capacity});
        curves.full.push_back({sample.time, sample.in_flight() >= *capacity ? 1U : 0U});
    }
    return curves;
}

}  // namespace fabricscope::report
