// SPDX-License-Identifier: GPL-2.0-or-later
// A direction's cursors over time, taken apart: for plots.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/report/chart.h"
#include "analyzer/report/drawing.h"

namespace fabricscope::report {

struct CursorCurves {
    std::vector<StepValue> produced, consumed, window, in_flight, full;
    std::uint64_t most_produced = 0;
};
CursorCurves curves_of(const engine::smcr::Direction& direction);

inline constexpr Colour produced_colour = palette::blue, consumed_colour = palette::green,
                        window_colour = palette::faint, flight_colour = palette::sky, again_colour = palette::orange;

/// A quantity over time among others of its unit.
struct Curve {
    const char* name;
    Colour colour;
    bool dashed = false;
    std::vector<StepValue> steps{};
};

/// Moments at which something was refused or retransmitted, and what it was.
struct CurveMarks {
    enum class Shape : std::uint8_t { cross, triangle, diamond };  ///< not everybody tells colours apart

    const char* name;
    Colour colour;
    Shape shape{};
    std::vector<StepValue> at{};
};

/// What is drawn over one axis of octets. The last two curves are what was sent, and what of it has been dealt with.
struct CurvePanel {
    std::string title;
    std::vector<Curve> curves;
    std::vector<CurveMarks> marks{};
    bool counts_packets = false;  ///< not octets
};

}  // namespace fabricscope::report
