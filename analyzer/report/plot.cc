// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/panels.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Steps = std::vector<StepValue>;

constexpr double positions_height = 130, flight_height = 64;
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

TimeScale time_scale_of(std::span<const Timeline> timelines) {
    TimeRange range;
    for (const Timeline& timeline : timelines) {
        for (const Direction& direction : timeline.connection.from.values)
            for (const CursorSample& sample : direction.timeline) range.include(sample.time);
        for (const auto& flags : timeline.flags.values)
            for (const CdcFlagsSeen& seen : flags) range.include(seen.time);
    }
    return range.scale(timelines.empty() ? 0 : timelines.front().start);
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
    if (direction.positions_known && direction.sender_heard)
        text += fmt::format(": {} bytes", grouped(direction.bytes_announced));
    if (direction.peak_in_flight == 0) return text;
    text += fmt::format(", at most {} in flight", grouped(direction.peak_in_flight));
    if (const auto capacity = capacity_of(direction)) text += fmt::format(" of a window of {}", grouped(*capacity));
    return text;
}

std::string title_of(std::span<const Timeline> timelines) {
    return timelines.size() == 1 ? "RMB cursors of " + ends_text(timelines.front().connection)
                                 : fmt::format("RMB cursors of {}", counted(timelines.size(), "connection"));
}

/// The picture in the making.
class Plot {
public:
    Plot(std::span<const Timeline> timelines, const std::string& source)
        : timelines_(timelines),
          detailed_(timelines.size() <= most_in_detail),
          panels_(title_of(timelines), source, time_scale_of(timelines)) {}

    Drawing draw() {
        for (const Timeline& timeline : timelines_) connection(timeline);
        return panels_.finish(legend());
    }

private:
    std::vector<Panels::Entry> legend() const;
    void connection(const Timeline& timeline);
    void direction(const Timeline& timeline, Side from);
    void positions(const Direction& direction, const Curves& curves);
    void in_flight(const Direction& direction, const Curves& curves);
    void shade(double top, double bottom, const Curves& curves);
    void strips(const Curves& curves, const std::vector<CdcFlagsSeen>& flags);
    void events(const std::vector<Event>& events);

    std::span<const Timeline> timelines_;
    bool detailed_;
    Panels panels_;
    bool any_full_ = false, any_blocked_ = false, any_urgent_ = false, any_event_ = false;
};

std::vector<Panels::Entry> Plot::legend() const {
    using Look = Panels::Entry::Look;
    std::vector<Panels::Entry> entries;
    const auto add = [&](bool shown, const Panels::Entry& entry) {
        if (shown) entries.push_back(entry);
    };
    add(detailed_, {"produced", produced_colour});
    add(detailed_, {"consumed", consumed_colour});
    add(true, {"window", window_colour, Look::dashed});
    add(true, {"in flight", flight_colour, Look::box, 0.75});
    add(any_full_, {"window full", full_colour, Look::box});
    add(any_blocked_, {"sender blocked (B)", blocked_colour, Look::box});
    add(any_urgent_, {"urgent data (U)", urgent_colour, Look::box});
    add(any_event_, {"D: sending done, C: closed, A: abnormal close", palette::text, Look::word});
    return entries;
}

// ---- connections ---------------------------------------------------------------------------------

void Plot::connection(const Timeline& timeline) {
    const Connection& connection = timeline.connection;
    panels_.subject(
        {"connection", connection_name(connection.id), ends_text(connection), about(connection)},
        timelines_.size() > 1);
    for (const Side from : {Side::client, Side::server}) direction(timeline, from);
}

void Plot::direction(const Timeline& timeline, Side from) {
    const Direction& direction = timeline.connection.from[from];
    if (direction.timeline.empty() && timeline.flags[from].empty()) return;
    panels_.section(about(direction, from));
    const Curves curves = curves_of(direction, timeline.flags[from]);
    if (direction.peak_in_flight != 0) {
        if (detailed_) positions(direction, curves);
        in_flight(direction, curves);
    }
    strips(curves, timeline.flags[from]);
    panels_.y += Panels::panel_gap;
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
    const OctetScale octets{
        .top = panels_.y, .bottom = panels_.y + positions_height, .most = highest(curves, direction)};
    shade(octets.top, octets.bottom, curves);
    panels_.frame(octets, 5);
    if (window_fits(curves, direction)) panels_.line("window", curves.window, octets, window_colour, true);
    panels_.line("consumed", curves.consumed, octets, consumed_colour);
    panels_.line("produced", curves.produced, octets, produced_colour);
    panels_.y = octets.bottom + Panels::gap;
}

void Plot::in_flight(const Direction& direction, const Curves& curves) {
    const OctetScale octets{
        .top = panels_.y, .bottom = panels_.y + flight_height, .most = scale_of(direction) + scale_of(direction) / 12};
    shade(octets.top, octets.bottom, curves);
    panels_.area("in-flight", "in flight", curves.in_flight, octets, flight_colour);
    panels_.frame(octets, 3);
    if (const auto capacity = capacity_of(direction); capacity && *capacity <= octets.most) {
        const double y = octets.y(static_cast<double>(*capacity));
        panels_.layer("window").add(straight({Panels::left, y}, {Panels::right, y}, window_colour, 1.2, true));
    }
    panels_.y = octets.bottom + 7;
}

/// Behind the curves, where the window was full.
void Plot::shade(double top, double bottom, const Curves& curves) {
    Layer& layer = panels_.layer("full");
    for (const Span& span : spans_of(curves.full, panels_.time()))
        layer.add(rectangle(span.left, top, span.right, bottom, full_colour, 0.16));
}

// ---- what held when ------------------------------------------------------------------------------

void Plot::strips(const Curves& curves, const std::vector<CdcFlagsSeen>& flags) {
    Steps urgent;
    for (const CdcFlagsSeen& seen : flags)
        if (seen.urgent) urgent.insert(urgent.end(), {{seen.time, 1}, {seen.time, 0}});
    const auto full = spans_of(curves.full, panels_.time());
    const auto blocked = spans_of(curves.blocked, panels_.time());
    const auto urgent_spans = spans_of(urgent, panels_.time());
    panels_.bar("window full", full, full_colour);
    panels_.bar("blocked", blocked, blocked_colour);
    panels_.bar("urgent", urgent_spans, urgent_colour);
    any_full_ |= !full.empty();
    any_blocked_ |= !blocked.empty();
    any_urgent_ |= !urgent_spans.empty();
    events(events_of(flags));
}

/// Letters that would touch stand side by side.
void Plot::events(const std::vector<Event>& events) {
    if (events.empty()) return;
    any_event_ = true;
    Layer& layer = panels_.layer("flags", "flags");
    layer.add(Text{
        .at = {Panels::left - 6, panels_.y + 9},
        .text = "flags",
        .size = 9,
        .anchor = Anchor::end,
        .colour = palette::faint});
    double free_from = 0;
    for (const Event& event : events) {
        const double x = panels_.time().x(event.time);
        const double at = std::max(x, free_from);
        layer.add(straight({x, panels_.y}, {x, panels_.y + 4}, palette::text));
        layer.add(Text{
            .at = {at, panels_.y + 13},
            .text = std::string(1, event.letter),
            .size = 9,
            .anchor = Anchor::middle,
            .bold = true});
        free_from = at + 9;
    }
    panels_.y += Panels::strip + 4;
}

}  // namespace

Drawing plot_of(std::span<const Timeline> timelines, const std::string& source) {
    return Plot(timelines, source).draw();
}

}  // namespace fabricscope::report
