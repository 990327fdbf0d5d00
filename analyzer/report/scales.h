// SPDX-License-Identifier: GPL-2.0-or-later
// From values to places in a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/chart.h"
#include "analyzer/report/drawing.h"

namespace fabricscope::report {

/// Round numbers that divide a range: 1, 2 or 5 times a power of ten apart.
struct Ticks {
    double first = 0;
    double step = 1;
    std::size_t count = 0;
    double at(std::size_t i) const { return first + step * static_cast<double>(i); }
};
/// At most `most` of them, within [low, high].
Ticks ticks_between(double low, double high, std::size_t most);

/// Octets, or something else, on a vertical axis.
struct OctetScale {
    double top = 0, bottom = 0;    ///< of the picture
    std::uint64_t most = 1;        ///< value at the top; 0 is at the bottom
    const char* per = "";          ///< "/s": of rates
    const char* things = nullptr;  ///< "packets": what is counted, if not octets

    double y(double octets) const;
    /// "bytes", "KiB", "MB/s", "packets"
    std::string unit() const;
    double octets_in_unit() const;
    /// Round in that unit; at most `most_ticks` of them.
    Ticks ticks(std::size_t most_ticks) const;
    /// A value in that unit, without it.
    std::string label(double octets) const;
};

/// Time on a horizontal axis.
struct TimeScale {
    Time start = 0;  ///< of the capture
    Time begin = 0, end = 1;
    double left = 0, right = 1;  ///< of the picture

    double x(Time time) const;  ///< times outside go to the edges

    struct Label {
        double x;
        std::string text;
    };
    std::vector<Label> labels() const;
    /// "time since the first frame, ms"
    std::string title() const;
};

/// A value that stays until the next step, up to the axis's end. Steps within one pixel are drawn as what they
/// span, so that the line has a few points for each pixel at most, and no peak is lost.
std::vector<Point> step_line(std::span<const StepValue> steps, const TimeScale& time, const OctetScale& octets);

struct Span {
    double left, right;
};
/// Where the value is not 0: at least a pixel each, those that would touch are one.
std::vector<Span> spans_of(std::span<const StepValue> steps, const TimeScale& time);

}  // namespace fabricscope::report
