// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/scales.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Steps = std::vector<StepValue>;

constexpr double width = 1000, left = 84, right = 980;
constexpr double title_height = 66, axis_height = 46;
constexpr double heading = 26, panel_heading = 22, positions_height = 130, flight_height = 64, gap = 14, strip = 11,
                 panel_gap = 16;
constexpr std::size_t most_in_detail = 4;

constexpr Colour full_colour = palette::vermilion, blocked_colour = palette::orange, urgent_colour = palette::purple;

struct Curves : CursorCurves {
    Steps blocked;
};

Curves curves_of(const Direction& direction, const std::vector<CdcFlagsSeen>& flags) {
    Curves curves{report::curves_of(direction), {}};
    for (const CdcFlagsSeen& seen : flags) curves.blocked.push_back({seen.time, seen.writer_blocked ? 1U : 0U});
    return curves;
}

/// "D", "C" and "A" where each was first sent.
struct Event {
    Time time;
    char letter;
};

std::vector<Event> events_of(const std::vector<CdcFlagsSeen>& flags) {
    std::vector<Event> events;
    const auto add_first = [&](char letter, bool CdcFlagsSeen::*flag) {
        const auto seen = std::ranges::find(flags, true, flag);
        if (seen != flags.end()) events.push_back({seen->time, letter});
    };
    add_first('D', &CdcFlagsSeen::sending_done);
    add_first('C', &CdcFlagsSeen::closed);
    add_first('A', &CdcFlagsSeen::aborted);
    std::ranges::stable_sort(events, {}, &Event::time);
    return events;
}

/// The picture in the making, from the top down.
class Plot {
public:
    Plot(std::span<const Timeline> timelines, const std::string& source)
        : timelines_(timelines), source_(source), detailed_(timelines.size() <= most_in_detail), time_(time_scale()) {}

    Drawing draw() {
        drawing_.width = width;
        y_ = title_height;
        for (const Timeline& timeline : timelines_) connection(timeline);
        time_axis();
        drawing_.height = y_;
        title();
        legend();
        return std::move(drawing_);
    }

private:
    TimeScale time_scale() const;
    void title();
    void legend();
    void connection(const Timeline& timeline);
    void direction(const Timeline& timeline, Side from);
    void positions(const Direction& direction, const Curves& curves);
    void in_flight(const Direction& direction, const Curves& curves);
    void frame(double top, double bottom, const OctetScale& octets, std::size_t most_ticks);
    void shade(double top, double bottom, const Curves& curves);
    void line(const char* name, const Steps& steps, const OctetScale& octets, Colour colour, bool dashed = false);
    void strips(const Curves& curves, const std::vector<CdcFlagsSeen>& flags);
    void strip_of(const char* name, const std::vector<Span>& spans, Colour colour);
    void events(const std::vector<Event>& events);
    void time_axis();

    std::span<const Timeline> timelines_;
    const std::string& source_;
    bool detailed_;
    TimeScale time_;
    Drawing drawing_;
    double y_ = 0;
    bool any_full_ = false, any_blocked_ = false, any_urgent_ = false, any_event_ = false;
};

TimeScale Plot::time_scale() const {
    std::optional<std::pair<Time, Time>> range;
    const auto include = [&](Time time) {
        if (!range) range = {time, time};
        range = {std::min(range->first, time), std::max(range->second, time)};
    };
    for (const Timeline& timeline : timelines_) {
        for (const Direction& direction : timeline.connection.from.values)
            for (const CursorSample& sample : direction.timeline) include(sample.time);
        for (const auto& flags : timeline.flags.values)
            for (const CdcFlagsSeen& seen : flags) include(seen.time);
    }
    const Time start = timelines_.empty() ? 0 : timelines_.front().start;
    const auto [begin, end] = range.value_or(std::pair{start, start});
    const Time margin = std::max<Time>((end - begin) / 100, 1);
    return {
        .start = start, .begin = std::max(start, begin - margin), .end = end + margin, .left = left, .right = right};
}

// ---- words ---------------------------------------------------------------------------------------

std::string ends_text(const Connection& connection) {
    const auto known = [](const auto& end) { return end ? to_string(*end) : std::string("?"); };
    return fmt::format(
        "{}  {} → {}", connection_name(connection.id), known(connection.client), known(connection.server));
}

std::string about(const Connection& connection) {
    if (std::string reason = why_not(connection); !reason.empty()) return "the connection " + reason;
    std::string text = version_text(connection.version, connection.release);
    if (connection.first_contact) text += *connection.first_contact ? ", first contact" : ", subsequent contact";
    if (connection.link_group != 0) text += ", link group " + link_group_name(connection.link_group);
    text += fmt::format(", close: {}", name_of(connection.close));
    return connection.midstream ? text + "; began before the capture" : text;
}

std::string about(const Direction& direction, Side from) {
    std::string text = direction_name(from);
    if (direction.positions_known) text += fmt::format(": {} bytes", grouped(direction.bytes_announced));
    if (direction.peak_in_flight == 0) return text;
    text += fmt::format(", at most {} in flight", grouped(direction.peak_in_flight));
    if (const auto capacity = capacity_of(direction)) text += fmt::format(" of a window of {}", grouped(*capacity));
    return text;
}

void Plot::title() {
    const bool one = timelines_.size() == 1;
    drawing_.title = one ? "RMB cursors of " + ends_text(timelines_.front().connection)
                         : fmt::format("RMB cursors of {}", counted(timelines_.size(), "connection"));
    std::string from = source_;
    if (!timelines_.empty()) from += ", from " + timestamp_text(timelines_.front().start);
    Layer& layer = drawing_.add("title");
    layer.add(Text{.at = {16, 24}, .text = drawing_.title, .size = 15, .bold = true});
    layer.add(Text{.at = {16, 41}, .text = from, .size = 10.5, .colour = palette::faint});
}

void Plot::legend() {
    Layer& layer = drawing_.add("legend");
    double x = 16;
    const double middle = 54;
    const auto add = [&](bool shown, const char* name, const auto& swatch) {
        if (!shown) return;
        layer.add(swatch);
        layer.add(Text{.at = {x + 24, middle + 4}, .text = name, .size = 10.5});
        x += 24 + width_of(name, 10.5) + 14;
    };
    const auto stroke = [&](Colour colour, bool dashed) {
        return straight({x, middle}, {x + 18, middle}, colour, dashed ? 1.2 : 2, dashed);
    };
    const auto box = [&](Colour colour, double opacity) {
        return rectangle(x, middle - 5, x + 18, middle + 5, colour, opacity);
    };
    add(detailed_, "produced", stroke(produced_colour, false));
    add(detailed_, "consumed", stroke(consumed_colour, false));
    add(true, "window", stroke(window_colour, true));
    add(true, "in flight", box(flight_colour, 0.75));
    add(any_full_, "window full", box(full_colour, 1));
    add(any_blocked_, "sender blocked (B)", box(blocked_colour, 1));
    add(any_urgent_, "urgent data (U)", box(urgent_colour, 1));
    if (!any_event_) return;
    layer.add(Text{.at = {x, middle + 4}, .text = "D: sending done, C: closed, A: abnormal close", .size = 10.5});
}

// ---- connections ---------------------------------------------------------------------------------

void Plot::connection(const Timeline& timeline) {
    const Connection& connection = timeline.connection;
    Layer& layer = drawing_.add("connection", connection_name(connection.id));
    if (timelines_.size() > 1) {
        layer.add(straight({16, y_ + 4}, {right, y_ + 4}, palette::grid));
        layer.add(Text{.at = {16, y_ + 21}, .text = ends_text(connection), .size = 12, .bold = true});
        y_ += heading;
    }
    layer.add(Text{.at = {16, y_ + 14}, .text = about(connection), .size = 10.5, .colour = palette::faint});
    y_ += panel_heading;
    for (const Side from : {Side::client, Side::server}) direction(timeline, from);
}

void Plot::direction(const Timeline& timeline, Side from) {
    const Direction& direction = timeline.connection.from[from];
    if (direction.timeline.empty() && timeline.flags[from].empty()) return;
    drawing_.add("direction")
        .add(Text{.at = {left, y_ + 14}, .text = about(direction, from), .size = 11, .bold = true});
    y_ += panel_heading;
    const Curves curves = curves_of(direction, timeline.flags[from]);
    if (direction.peak_in_flight != 0) {
        if (detailed_) positions(direction, curves);
        in_flight(direction, curves);
    }
    strips(curves, timeline.flags[from]);
    y_ += panel_gap;
}

/// Beside a window that is much larger, the curves would vanish.
bool window_fits(const Curves& curves, const Direction& direction) {
    const auto capacity = capacity_of(direction);
    return capacity && *capacity <= 2 * curves.most_produced;
}

std::uint64_t highest(const Curves& curves, const Direction& direction) {
    const std::uint64_t produced = std::max<std::uint64_t>(curves.most_produced, 1);
    return produced + (window_fits(curves, direction) ? *capacity_of(direction) : produced / 10);
}

void Plot::positions(const Direction& direction, const Curves& curves) {
    const OctetScale octets{.top = y_, .bottom = y_ + positions_height, .most = highest(curves, direction)};
    shade(octets.top, octets.bottom, curves);
    frame(octets.top, octets.bottom, octets, 5);
    if (window_fits(curves, direction)) line("window", curves.window, octets, window_colour, true);
    line("consumed", curves.consumed, octets, consumed_colour);
    line("produced", curves.produced, octets, produced_colour);
    y_ = octets.bottom + gap;
}

void Plot::in_flight(const Direction& direction, const Curves& curves) {
    const OctetScale octets{
        .top = y_, .bottom = y_ + flight_height, .most = scale_of(direction) + scale_of(direction) / 12};
    shade(octets.top, octets.bottom, curves);
    Area area{step_line(curves.in_flight, time_, octets), flight_colour, 0.75};
    if (!area.points.empty()) {
        area.points.push_back({area.points.back().x, octets.bottom});
        area.points.push_back({area.points.front().x, octets.bottom});
        drawing_.add("in-flight", "in flight").add(std::move(area));
    }
    frame(octets.top, octets.bottom, octets, 3);
    if (const auto capacity = capacity_of(direction); capacity && *capacity <= octets.most) {
        const double y = octets.y(static_cast<double>(*capacity));
        drawing_.add("window").add(straight({left, y}, {right, y}, window_colour, 1.2, true));
    }
    y_ = octets.bottom + 7;
}

/// Behind the curves, where the window was full.
void Plot::shade(double top, double bottom, const Curves& curves) {
    Layer& layer = drawing_.add("full");
    for (const Span& span : spans_of(curves.full, time_))
        layer.add(rectangle(span.left, top, span.right, bottom, full_colour, 0.16));
}

void Plot::frame(double top, double bottom, const OctetScale& octets, std::size_t most_ticks) {
    Layer& layer = drawing_.add("axis");
    for (const TimeScale::Label& label : time_.labels())
        layer.add(straight({label.x, top}, {label.x, bottom}, palette::grid, 0.6));
    const Ticks ticks = ticks_between(0, static_cast<double>(octets.most), most_ticks);
    for (std::size_t i = 0; i < ticks.count; ++i) {
        const double y = octets.y(ticks.at(i));
        if (i != 0) layer.add(straight({left, y}, {right, y}, palette::grid, 0.6));
        layer.add(
            Text{.at = {left - 6, y + 3.5}, .text = octets.label(ticks.at(i)), .size = 10, .anchor = Anchor::end});
    }
    layer.add(straight({left, top}, {left, bottom}, palette::faint));
    layer.add(straight({left, bottom}, {right, bottom}, palette::faint));
    layer.add(Text{
        .at = {26, (top + bottom) / 2},
        .text = octets.unit(),
        .size = 10,
        .anchor = Anchor::middle,
        .colour = palette::faint,
        .upwards = true});
}

void Plot::line(const char* name, const Steps& steps, const OctetScale& octets, Colour colour, bool dashed) {
    drawing_.add(name, name).add(Line{step_line(steps, time_, octets), colour, dashed ? 1.0 : 1.6, dashed});
}

// ---- what held when ------------------------------------------------------------------------------

void Plot::strips(const Curves& curves, const std::vector<CdcFlagsSeen>& flags) {
    Steps urgent;
    for (const CdcFlagsSeen& seen : flags)
        if (seen.urgent) urgent.insert(urgent.end(), {{seen.time, 1}, {seen.time, 0}});
    const auto full = spans_of(curves.full, time_), blocked = spans_of(curves.blocked, time_);
    const auto urgent_spans = spans_of(urgent, time_);
    strip_of("window full", full, full_colour);
    strip_of("blocked", blocked, blocked_colour);
    strip_of("urgent", urgent_spans, urgent_colour);
    any_full_ |= !full.empty();
    any_blocked_ |= !blocked.empty();
    any_urgent_ |= !urgent_spans.empty();
    events(events_of(flags));
}

void Plot::strip_of(const char* name, const std::vector<Span>& spans, Colour colour) {
    if (spans.empty()) return;
    Layer& layer = drawing_.add(std::string(name) == "window full" ? "window-full" : name, name);
    layer.add(Text{.at = {left - 6, y_ + 8}, .text = name, .size = 9, .anchor = Anchor::end, .colour = palette::faint});
    for (const Span& span : spans)
        layer.add(rectangle(span.left, y_ + 1, std::max(span.right, span.left + 2), y_ + strip - 2, colour));
    y_ += strip;
}

/// Letters that would touch stand side by side.
void Plot::events(const std::vector<Event>& events) {
    if (events.empty()) return;
    any_event_ = true;
    Layer& layer = drawing_.add("flags", "flags");
    layer.add(
        Text{.at = {left - 6, y_ + 9}, .text = "flags", .size = 9, .anchor = Anchor::end, .colour = palette::faint});
    double free_from = 0;
    for (const Event& event : events) {
        const double x = time_.x(event.time);
        const double at = std::max(x, free_from);
        layer.add(straight({x, y_}, {x, y_ + 4}, palette::text));
        layer.add(Text{
            .at = {at, y_ + 13},
            .text = std::string(1, event.letter),
            .size = 9,
            .anchor = Anchor::middle,
            .bold = true});
        free_from = at + 9;
    }
    y_ += strip + 4;
}

void Plot::time_axis() {
    Layer& layer = drawing_.add("axis");
    layer.add(straight({left, y_}, {right, y_}, palette::faint));
    for (const TimeScale::Label& label : time_.labels()) {
        layer.add(straight({label.x, y_}, {label.x, y_ + 4}, palette::faint));
        layer.add(Text{.at = {label.x, y_ + 16}, .text = label.text, .size = 10, .anchor = Anchor::middle});
    }
    layer.add(Text{.at = {(left + right) / 2, y_ + 33}, .text = time_.title(), .size = 10.5, .anchor = Anchor::middle});
    y_ += axis_height;
}

}  // namespace

Drawing plot_of(std::span<const Timeline> timelines, const std::string& source) {
    return Plot(timelines, source).draw();
}

}  // namespace fabricscope::report
