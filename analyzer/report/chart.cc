// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

constexpr std::size_t rows = 8;
constexpr std::size_t levels_per_row = 8;
constexpr std::size_t gutter = 14;  // columns left of the axis

struct Glyphs {
    std::array<std::string_view, levels_per_row + 1> bar;  ///< by level within a row
    std::string_view peak, axis, tick, corner, line;
};

constexpr Glyphs unicode_glyphs{{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "·", "│", "┤", "└", "─"};
constexpr Glyphs ascii_glyphs{{" ", "_", "_", ".", ":", ":", "|", "|", "#"}, "'", "|", "+", "+", "-"};

std::size_t level_of(double value, std::uint64_t scale) {
    const double share = value / static_cast<double>(scale);
    const auto level = static_cast<std::size_t>(std::lround(share * static_cast<double>(rows * levels_per_row)));
    return value > 0 ? std::clamp<std::size_t>(level, 1, rows * levels_per_row) : 0;
}

/// The character of a column in row `row`, counted from below.
std::string_view glyph_of(const Bucket& bucket, std::uint64_t scale, std::size_t row, const Glyphs& glyphs) {
    const std::size_t floor = row * levels_per_row;
    const std::size_t level = level_of(bucket.mean, scale);
    if (level > floor) return glyphs.bar[std::min(level - floor, levels_per_row)];
    const std::size_t peak = level_of(static_cast<double>(bucket.peak), scale);
    return peak > floor && peak <= floor + levels_per_row ? glyphs.peak : glyphs.bar[0];
}

/// The value at the upper edge of a row, where the axis names it.
std::string label_of(std::size_t row, std::uint64_t scale) {
    if (row == rows - 1) return grouped(scale);
    if (row == rows / 2 - 1 && scale % 2 == 0) return grouped(scale / 2);
    return {};
}

void draw_rows(std::ostream& out, const Chart& chart, const Glyphs& glyphs, const Style& style) {
    for (std::size_t row = rows; row-- > 0;) {
        const std::string label = label_of(row, chart.scale);
        std::string bars;
        for (const Bucket& bucket : chart.buckets) bars += glyph_of(bucket, chart.scale, row, glyphs);
        bars.erase(bars.find_last_not_of(' ') + 1);
        out << fmt::format("{:>{}} {}", label, gutter - 2, label.empty() ? glyphs.axis : glyphs.tick)
            << style.paint(Ink::green, bars) << '\n';
    }
}

void draw_axis(std::ostream& out, const Chart& chart, const Glyphs& glyphs) {
    out << fmt::format("{:>{}} {}", "0", gutter - 2, glyphs.corner);
    for (std::size_t i = 0; i < chart.axis.columns; ++i) out << glyphs.line;
    const std::string begin = seconds_text(chart.axis.begin - chart.origin) + " s";
    const std::string end = seconds_text(chart.axis.end - chart.origin) + " s";
    out << fmt::format("\n{:{}}{}{:>{}}\n", "", gutter, begin, end, chart.axis.columns - begin.size());
}

void draw_marks(std::ostream& out, const Marks& marks, const Style& style) {
    std::string letters;
    for (const bool held : marks.columns) letters += held ? marks.letter : ' ';
    letters.erase(letters.find_last_not_of(' ') + 1);
    if (!letters.empty())
        out << fmt::format("{:>{}}  ", marks.label, gutter - 2) << style.paint(marks.ink, letters) << '\n';
}

}  // namespace

std::size_t TimeAxis::column_of(Time time) const {
    if (time <= begin || end <= begin) return 0;
    const double share = static_cast<double>(time - begin) / static_cast<double>(end - begin);
    return std::min(columns - 1, static_cast<std::size_t>(share * static_cast<double>(columns)));
}

Time TimeAxis::begin_of(std::size_t column) const {
    const double share = static_cast<double>(column) / static_cast<double>(columns);
    return begin + static_cast<Time>(share * static_cast<double>(end - begin));
}

std::vector<Bucket> buckets_of(std::span<const StepValue> steps, const TimeAxis& axis) {
    std::vector<Bucket> buckets(axis.columns);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Time from = std::max(steps[i].time, axis.begin);
        const Time to = i + 1 < steps.size() ? std::max(from, steps[i + 1].time) : std::max(from, axis.end);
        for (std::size_t column = axis.column_of(from); column <= axis.column_of(to); ++column) {
            const Time begin = std::max(from, axis.begin_of(column));
            const Time end = std::min(to, axis.begin_of(column + 1));
            const Time width = axis.begin_of(column + 1) - axis.begin_of(column);
            // A value that ends where the column begins was not in it.
            if (begin >= to && begin != from) break;
            buckets[column].peak = std::max(buckets[column].peak, steps[i].value);
            if (width > 0 && end > begin)
                buckets[column].mean += static_cast<double>(steps[i].value) * static_cast<double>(end - begin) /
                                        static_cast<double>(width);
        }
    }
    return buckets;
}

void draw(std::ostream& out, const Chart& chart, const Style& style) {
    const Glyphs& glyphs = style.unicode ? unicode_glyphs : ascii_glyphs;
    draw_rows(out, chart, glyphs, style);
    draw_axis(out, chart, glyphs);
    for (const Marks& marks : chart.marks) draw_marks(out, marks, style);
}

}  // namespace fabricscope::report
