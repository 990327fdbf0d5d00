// SPDX-License-Identifier: GPL-2.0-or-later
// Panels of curves one below the other over one time axis: what plots of cursors and of PSNs share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/report/scales.h"

namespace fabricscope::report {

/// From the first to the last of the times that are included, with a margin.
class TimeRange {
public:
    void include(Time time);
    /// Of a picture of panels. `start` is that of the capture.
    TimeScale scale(Time start) const;

private:
    Time begin_ = 0, end_ = 0;
    bool empty_ = true;
};

/// A picture in the making, from the top down.
class Panels {
public:
    static constexpr double width = 1000, left = 84, right = 980;
    static constexpr double heading = 26, panel_heading = 22, gap = 14, strip = 11, panel_gap = 16;

    Panels(std::string title, const std::string& source, const TimeScale& time);

    /// A thing that the picture shows, with a line about it; of several, each has a headline.
    struct Subject {
        const char* kind;  ///< "connection"
        std::string name;  ///< "smcr-1"
        std::string headline;
        std::string about;
    };
    void subject(const Subject& subject, bool with_headline);
    /// What the panels below are about, up to the next one.
    void section(const std::string& text);

    /// Axes and grid of a panel. Labels are left of it.
    void frame(const OctetScale& scale, std::size_t most_ticks);
    void line(
        const char* name, std::span<const StepValue> steps, const OctetScale& scale, Colour colour,
        bool dashed = false);
    /// A line with what is below it.
    void area(
        const char* name, const char* title, std::span<const StepValue> steps, const OctetScale& scale, Colour colour);
    /// A bar below a panel, filled where something held.
    void bar(const char* name, const std::vector<Span>& spans, Colour colour);

    struct Entry {
        enum class Look : std::uint8_t { line, dashed, box, word };
        const char* name;
        Colour colour;
        Look look = Look::line;
        double opacity = 1;
    };
    /// The axis below all panels, and what colours mean above them.
    Drawing finish(std::span<const Entry> legend);

    Layer& layer(std::string name, std::string title = {}) { return drawing_.add(std::move(name), std::move(title)); }
    const TimeScale& time() const { return time_; }

    double y = 66;  ///< where the next one begins

private:
    void time_axis();
    void legend(std::span<const Entry> entries);

    TimeScale time_;
    Drawing drawing_;
};

}  // namespace fabricscope::report
