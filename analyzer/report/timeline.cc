// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "analyzer/report/chart.h"
#include "analyzer/report/setup_steps.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Align = Table::Align;

constexpr std::array sides{Side::client, Side::server};

std::string direction_text(Side from, const Style& style) {
    return fmt::format("{} {} {}", name_of(from), style.arrow(), name_of(other(from)));
}

class Page {
public:
    Page(std::ostream& out, const Timeline& timeline, const Style& style)
        : out_(out), timeline_(timeline), connection_(timeline.connection), style_(style) {}

    void write() {
        head();
        setup();
        for (const Side from : sides) chart(from);
        numbers();
    }

private:
    void head();
    void setup();
    void chart(Side from);
    void numbers();
    std::vector<Marks> marks_of(Side from, const TimeAxis& axis) const;
    std::optional<TimeAxis> axis() const;
    Cell times(const std::optional<Intervals>& intervals) const;
    std::string since_start(const std::optional<Time>& time) const;

    std::ostream& out_;
    const Timeline& timeline_;
    const Connection& connection_;
    const Style& style_;
};

void Page::head() {
    const auto end = [](const auto& address) { return address ? to_string(*address) : std::string("?"); };
    out_ << style_.paint(
                Ink::bold, fmt::format(
                               "{}  {} {} {}", connection_name(connection_.id), end(connection_.client), style_.arrow(),
                               end(connection_.server)))
         << '\n';
    if (const std::string reason = why_not(connection_); !reason.empty()) {
        out_ << "The connection " << reason << ".\n";
        return;
    }
    out_ << version_text(connection_.version, connection_.release);
    if (connection_.first_contact) out_ << (*connection_.first_contact ? ", first contact" : ", subsequent contact");
    if (connection_.link_group != 0) out_ << ", link group " << link_group_name(connection_.link_group);
    out_ << ", close: " << name_of(connection_.close) << '\n';
    if (connection_.midstream) out_ << "Began before the capture did; bytes count from there.\n";
}

void Page::setup() {
    Table table({{"Set-up"}, {"Time, s", Align::right}, {"After", Align::right}, {"Frame", Align::right}});
    std::optional<Time> previous;
    for (const SetupStep& each : setup_steps) {
        const std::optional<FrameStamp>& step = connection_.setup.*each.step;
        if (!step) continue;
        table.add(
            {{each.words},
             {seconds_text(step->time - timeline_.start)},
             {previous ? duration_text(step->time - *previous, style_.unicode) : "-"},
             {std::to_string(step->frame)}});
        previous = step->time;
    }
    if (table.empty()) return;
    out_ << '\n';
    table.print(out_, style_, 2);
}

/// Both charts share it, so that they can be compared.
std::optional<TimeAxis> Page::axis() const {
    std::optional<TimeAxis> axis;
    for (const Direction& direction : connection_.from.values)
        for (const CursorSample& sample : direction.timeline) {
            if (!axis) axis = TimeAxis{.begin = sample.time, .end = sample.time};
            axis->begin = std::min(axis->begin, sample.time);
            axis->end = std::max(axis->end, sample.time);
        }
    return axis;
}

std::vector<bool> columns_with(const std::vector<StepValue>& steps, const TimeAxis& axis) {
    std::vector<bool> columns;
    for (const Bucket& bucket : buckets_of(steps, axis)) columns.push_back(bucket.peak != 0);
    return columns;
}

std::vector<Marks> Page::marks_of(Side from, const TimeAxis& axis) const {
    const Direction& direction = connection_.from[from];
    std::vector<StepValue> full, blocked;
    std::vector<bool> urgent(axis.columns);
    if (const auto capacity = capacity_of(direction))
        for (const CursorSample& sample : direction.timeline)
            full.push_back({sample.time, sample.in_flight() >= *capacity ? 1U : 0U});
    for (const CdcFlagsSeen& seen : timeline_.flags[from]) {
        blocked.push_back({seen.time, seen.writer_blocked ? 1U : 0U});
        if (seen.urgent) urgent[axis.column_of(seen.time)] = true;
    }
    return {
        {"window full", 'F', Ink::yellow, columns_with(full, axis)},
        {"blocked", 'B', Ink::red, columns_with(blocked, axis)},
        {"urgent", 'U', Ink::yellow, std::move(urgent)}};
}

void Page::chart(Side from) {
    const Direction& direction = connection_.from[from];
    const std::optional<TimeAxis> time_axis = axis();
    if (!time_axis) return;
    out_ << '\n' << style_.paint(Ink::bold, direction_text(from, style_)) << ": bytes in flight";
    if (direction.peak_in_flight == 0) {
        out_ << ": none at any time\n";
        return;
    }
    out_ << ", at most " << grouped(direction.peak_in_flight);
    if (const auto capacity = capacity_of(direction)) out_ << " of a window of " << grouped(*capacity);
    out_ << fmt::format(" (bars: mean, {}: peak)\n", style_.unicode ? "dots" : "ticks");

    std::vector<StepValue> steps;
    for (const CursorSample& sample : direction.timeline) steps.push_back({sample.time, sample.in_flight()});
    draw(
        out_,
        {.axis = *time_axis,
         .origin = timeline_.start,
         .scale = scale_of(direction),
         .buckets = buckets_of(steps, *time_axis),
         .marks = marks_of(from, *time_axis)},
        style_);
}

// ---- numbers -------------------------------------------------------------------------------------

Cell Page::times(const std::optional<Intervals>& intervals) const {
    if (!intervals) return {"?"};
    if (intervals->count == 0) return {"-"};
    return {
        fmt::format(
            "{}, {} in all, {} longest", grouped(intervals->count), duration_text(intervals->total, style_.unicode),
            duration_text(intervals->longest, style_.unicode)),
        Ink::yellow};
}

std::string Page::since_start(const std::optional<Time>& time) const {
    return time ? seconds_text(*time - timeline_.start) + " s" : "-";
}

std::string rate_of(const Direction& direction) {
    if (!direction.first_data || !direction.last_data || *direction.last_data <= *direction.first_data) return "-";
    const auto duration = static_cast<double>(*direction.last_data - *direction.first_data);
    return rate_text(static_cast<double>(direction.bytes_announced) * 1e9 / duration);
}

std::string element_of(const Direction& direction) {
    if (!direction.rmbe_size) return "?";
    return grouped(*direction.rmbe_size) + (direction.rmbe_size_inferred ? " (inferred)" : "");
}

std::string cursor_text(const std::optional<wire::Cursor>& cursor) {
    return cursor ? fmt::format("{} wrap {}", grouped(cursor->offset), cursor->wrap) : "?";
}

std::string number_text(const std::optional<std::uint64_t>& number) { return number ? grouped(*number) : "?"; }

void Page::numbers() {
    out_ << '\n';
    Table table(
        {{"Bytes and messages"},
         {direction_text(Side::client, style_), Align::right},
         {direction_text(Side::server, style_), Align::right}});
    const auto row = [&](const char* name, const auto& cell_of) {
        table.add({{name}, {cell_of(connection_.from[Side::client])}, {cell_of(connection_.from[Side::server])}});
    };
    const auto number = [&](const char* name, auto number_of) {
        row(name, [&](const Direction& d) { return number_text(number_of(d)); });
    };
    using D = const Direction&;
    number("announced", position<of_sender<&Direction::bytes_announced>>);
    number("written", of_sender<&Direction::bytes_written>);
    number("acknowledged", position<of_receiver<&Direction::bytes_acknowledged>>);
    number("written again after failover", [](D d) { return d.replayed(); });
    number("RDMA WRITEs", of_sender<&Direction::writes>);
    number("CDC messages", of_sender<&Direction::cdcs>);
    number("packets retransmitted", of_sender<&Direction::retransmissions>);
    row("RMB element", element_of);
    row("cursor base", [](D d) { return d.cursor_base ? std::to_string(*d.cursor_base) : "?"; });
    row("last producer cursor", [](D d) { return cursor_text(d.producer); });
    row("last consumer cursor", [](D d) { return cursor_text(d.consumer); });
    number("peak in flight", position<of_both<&Direction::peak_in_flight>>);
    row("window full", [&](D d) { return times(of_both<&Direction::stalls>(d)); });
    row("writer blocked", [&](D d) { return times(of_sender<&Direction::blocked>(d)); });
    number("urgent bytes", of_sender<&Direction::urgent>);
    row("first data", [&](D d) { return since_start(d.first_data); });
    row("last data", [&](D d) { return since_start(d.last_data); });
    row("rate between them", rate_of);
    table.print(out_, style_, 2);
}

void csv_row(std::ostream& out, const CursorSample& sample, Side from, const Timeline& timeline) {
    const auto capacity = capacity_of(timeline.connection.from[from]);
    const std::string window = capacity && sample.in_flight() <= *capacity
                                   ? std::to_string(*capacity - sample.in_flight())
                                   : "";
    out << fmt::format(
        "{},{},{}_to_{},{},{},{},{}\n", seconds_text(sample.time - timeline.start), sample.frame, name_of(from),
        name_of(other(from)), sample.produced, sample.consumed, sample.in_flight(), window);
}

}  // namespace

std::optional<std::uint64_t> capacity_of(const Direction& direction) {
    if (!direction.rmbe_size || !direction.cursor_base || *direction.rmbe_size <= *direction.cursor_base) return {};
    return *direction.rmbe_size - *direction.cursor_base;
}

std::uint64_t scale_of(const Direction& direction) {
    constexpr std::uint64_t smallest_share = 8;
    const std::uint64_t peak = std::max<std::uint64_t>(direction.peak_in_flight, 1);
    const std::uint64_t capacity = capacity_of(direction).value_or(peak);
    return peak >= capacity / smallest_share ? std::max(capacity, peak) : peak;
}

void write_timeline(std::ostream& out, const Timeline& timeline, const Style& style) {
    Page(out, timeline, style).write();
}

void write_timeline_csv(std::ostream& out, const Timeline& timeline) {
    out << "time,frame,direction,produced,consumed,in_flight,window\n";
    const auto& client = timeline.connection.from[Side::client].timeline;
    const auto& server = timeline.connection.from[Side::server].timeline;
    auto from_client = client.begin();
    auto from_server = server.begin();
    while (from_client != client.end() || from_server != server.end()) {
        const bool client_next = from_server == server.end() ||
                                 (from_client != client.end() && from_client->time <= from_server->time);
        csv_row(
            out, client_next ? *from_client++ : *from_server++, client_next ? Side::client : Side::server, timeline);
    }
}

}  // namespace fabricscope::report
