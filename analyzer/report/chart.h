// SPDX-License-Identifier: GPL-2.0-or-later
// A quantity over time, drawn with characters.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/style.h"
#include "capture/frame.h"

namespace fabricscope::report {

using capture::Time;

/// From `time` on, until the next step.
struct StepValue {
    Time time = 0;
    std::uint64_t value = 0;
};

/// What happened in one column's share of the time.
struct Bucket {
    double mean = 0;         ///< over time
    std::uint64_t peak = 0;  ///< at any moment
};

/// The time axis of a chart.
struct TimeAxis {
    Time begin = 0;
    Time end = 0;
    std::size_t columns = 80;

    /// In which column a moment lies; moments outside go to the first or last one.
    std::size_t column_of(Time time) const;
    Time begin_of(std::size_t column) const;
};

/// `steps` in order of time. Before the first step the value is 0, after the last one it stays.
std::vector<Bucket> buckets_of(std::span<const StepValue> steps, const TimeAxis& axis);

/// A letter below those columns in which something held.
struct Marks {
    std::string label;  ///< left of the axis, at most 12 characters
    char letter = ' ';
    Ink ink = Ink::plain;
    std::vector<bool> columns;
};

struct Chart {
    TimeAxis axis;
    Time origin = 0;          ///< times on the axis count from here
    std::uint64_t scale = 1;  ///< value at the upper edge
    std::vector<Bucket> buckets;
    std::vector<Marks> marks;
};

/// Bars are the mean, dots above them the peak.
void draw(std::ostream& out, const Chart& chart, const Style& style);

}  // namespace fabricscope::report
