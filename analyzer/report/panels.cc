// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/panels.h"

#include <algorithm>
#include <utility>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

constexpr double axis_height = 46;

}  // namespace

void TimeRange::include(Time time) {
    begin_ = empty_ ? time : std::min(begin_, time);
    end_ = empty_ ? time : std::max(end_, time);
    empty_ = false;
}

TimeScale TimeRange::scale(Time start) const {
    const Time begin = empty_ ? start : begin_, end = empty_ ? start : end_;
    const Time margin = std::max<Time>((end - begin) / 100, 1);
    return {
        .start = start,
        .begin = std::max(start, begin - margin),
        .end = end + margin,
        .left = Panels::left,
        .right = Panels::right};
}

Panels::Panels(std::string title, const std::string& source, const TimeScale& time) : time_(time) {
    drawing_.width = width;
    drawing_.title = std::move(title);
    Layer& layer = drawing_.add("title");
    layer.add(Text{.at = {16, 24}, .text = drawing_.title, .size = 15, .bold = true});
    layer.add(Text{
        .at = {16, 41},
        .text = source + ", from " + timestamp_text(time.start),
        .size = 10.5,
        .colour = palette::faint});
}

void Panels::subject(const Subject& subject, bool with_headline) {
    Layer& layer = drawing_.add(subject.kind, subject.name);
    if (with_headline) {
        layer.add(straight({16, y + 4}, {right, y + 4}, palette::grid));
        layer.add(Text{.at = {16, y + 21}, .text = subject.headline, .size = 12, .bold = true});
        y += heading;
    }
    layer.add(Text{.at = {16, y + 14}, .text = subject.about, .size = 10.5, .colour = palette::faint});
    y += panel_heading;
}

void Panels::section(const std::string& text) {
    drawing_.add("direction").add(Text{.at = {left, y + 14}, .text = text, .size = 11, .bold = true});
    y += panel_heading;
}

void Panels::frame(const OctetScale& scale, std::size_t most_ticks) {
    Layer& layer = drawing_.add("axis");
    for (const TimeScale::Label& label : time_.labels())
        layer.add(straight({label.x, scale.top}, {label.x, scale.bottom}, palette::grid, 0.6));
    const Ticks ticks = scale.ticks(most_ticks);
    for (std::size_t i = 0; i < ticks.count; ++i) {
        const double height = scale.y(ticks.at(i));
        if (i != 0) layer.add(straight({left, height}, {right, height}, palette::grid, 0.6));
        layer.add(
            Text{.at = {left - 6, height + 3.5}, .text = scale.label(ticks.at(i)), .size = 10, .anchor = Anchor::end});
    }
    layer.add(straight({left, scale.top}, {left, scale.bottom}, palette::faint));
    layer.add(straight({left, scale.bottom}, {right, scale.bottom}, palette::faint));
    layer.add(Text{
        .at = {26, (scale.top + scale.bottom) / 2},
        .text = scale.unit(),
        .size = 10,
        .anchor = Anchor::middle,
        .colour = palette::faint,
        .upwards = true});
}

void Panels::line(
    const char* name, std::span<const StepValue> steps, const OctetScale& scale, Colour colour, bool dashed) {
    drawing_.add(name, name).add(Line{step_line(steps, time_, scale), colour, dashed ? 1.0 : 1.6, dashed});
}

void Panels::area(
    const char* name, const char* title, std::span<const StepValue> steps, const OctetScale& scale, Colour colour) {
    Area area{step_line(steps, time_, scale), colour, 0.75};
    if (area.points.empty()) return;
    area.points.push_back({area.points.back().x, scale.bottom});
    area.points.push_back({area.points.front().x, scale.bottom});
    drawing_.add(name, title).add(std::move(area));
}

void Panels::bar(const char* name, const std::vector<Span>& spans, Colour colour) {
    if (spans.empty()) return;
    std::string kind = name;
    std::ranges::replace(kind, ' ', '-');
    Layer& layer = drawing_.add(kind, name);
    layer.add(Text{.at = {left - 6, y + 8}, .text = name, .size = 9, .anchor = Anchor::end, .colour = palette::faint});
    for (const Span& span : spans)
        layer.add(rectangle(span.left, y + 1, std::max(span.right, span.left + 2), y + strip - 2, colour));
    y += strip;
}

Drawing Panels::finish(std::span<const Entry> entries) {
    time_axis();
    drawing_.height = y;
    legend(entries);
    return std::move(drawing_);
}

void Panels::time_axis() {
    Layer& layer = drawing_.add("axis");
    layer.add(straight({left, y}, {right, y}, palette::faint));
    for (const TimeScale::Label& label : time_.labels()) {
        layer.add(straight({label.x, y}, {label.x, y + 4}, palette::faint));
        layer.add(Text{.at = {label.x, y + 16}, .text = label.text, .size = 10, .anchor = Anchor::middle});
    }
    layer.add(Text{.at = {(left + right) / 2, y + 33}, .text = time_.title(), .size = 10.5, .anchor = Anchor::middle});
    y += axis_height;
}

void Panels::legend(std::span<const Entry> entries) {
    using Look = Entry::Look;
    constexpr double middle = 54, swatch = 24, between = 14;
    Layer& layer = drawing_.add("legend");
    double x = 16;
    for (const Entry& entry : entries) {
        const bool dashed = entry.look == Look::dashed;
        if (entry.look == Look::line || dashed)
            layer.add(straight({x, middle}, {x + 18, middle}, entry.colour, dashed ? 1.2 : 2, dashed));
        if (entry.look == Look::box)
            layer.add(rectangle(x, middle - 5, x + 18, middle + 5, entry.colour, entry.opacity));
        if (entry.look != Look::word) x += swatch;
        layer.add(Text{.at = {x, middle + 4}, .text = entry.name, .size = 10.5});
        x += width_of(entry.name, 10.5) + between;
    }
}

}  // namespace fabricscope::report
