// SPDX-License-Identifier: GPL-2.0-or-later
// Packet sequence numbers over time as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/report/panels.h"
#include "analyzer/report/psn_timeline.h"
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;
using Kind = PsnSample::Kind;
using Steps = std::vector<StepValue>;

constexpr double psn_height = 190, flight_height = 64, rate_height = 64;
constexpr std::size_t rate_intervals = 150;

constexpr Colour sent_colour = palette::blue, acknowledged_colour = palette::green, response_colour = palette::sky,
                 flight_colour = palette::sky, rate_colour = palette::faint, nak_colour = palette::vermilion,
                 rnr_colour = palette::purple, again_colour = palette::orange;

TimeScale time_scale_of(std::span<const PsnTimeline> timelines) {
    TimeRange range;
    for (const PsnTimeline& timeline : timelines)
        for (const auto& samples : timeline.of)
            for (const PsnSample& sample : samples) range.include(sample.time);
    return range.scale(timelines.empty() ? 0 : timelines.front().start);
}

std::string title_of(std::span<const PsnTimeline> timelines) {
    return timelines.size() == 1 ? "Packet sequence numbers of " + ends_text(timelines.front().stream)
                                 : fmt::format("Packet sequence numbers of {}", counted(timelines.size(), "stream"));
}

std::string about(const Stream& stream, Side requester) {
    const Direction& direction = stream.from[requester];
    std::string text = fmt::format(
        "{} asks {}: {}", end_text(stream.end[requester]), end_text(stream.end[other(requester)]),
        counted(direction.bytes, "byte"));
    if (direction.retransmitted.packets != 0)
        text += fmt::format(", {} retransmitted", counted(direction.retransmitted.packets, "packet"));
    if (direction.lost != 0) text += fmt::format(", {} lost", grouped(direction.lost));
    if (direction.not_captured != 0) text += fmt::format(", {} not captured", grouped(direction.not_captured));
    return text;
}

/// Octets of payload in each of equal intervals, as a rate.
struct Rates {
    Steps all, again;
    std::uint64_t most = 0;
};

Rates rates_of(std::span<const PsnSample> samples, const TimeScale& time) {
    const Time interval = std::max<Time>((time.end - time.begin) / static_cast<Time>(rate_intervals), 1);
    std::vector<std::uint64_t> all(rate_intervals + 1), again(rate_intervals + 1);
    for (const PsnSample& sample : samples) {
        const auto place = static_cast<std::size_t>((sample.time - time.begin) / interval);
        all[std::min(place, rate_intervals)] += sample.bytes;
        if (sample.again) again[std::min(place, rate_intervals)] += sample.bytes;
    }
    const auto a_second = [&](std::uint64_t octets) {
        return static_cast<std::uint64_t>(
            static_cast<double>(octets) * static_cast<double>(capture::second) / static_cast<double>(interval));
    };
    Rates rates;
    for (std::size_t i = 0; i <= rate_intervals; ++i) {
        const Time begin = time.begin + static_cast<Time>(i) * interval;
        rates.all.push_back({begin, a_second(all[i])});
        rates.again.push_back({begin, a_second(again[i])});
        rates.most = std::max(rates.most, rates.all.back().value);
    }
    return rates;
}

class Plot {
public:
    Plot(std::span<const PsnTimeline> timelines, const std::string& source)
        : timelines_(timelines), panels_(title_of(timelines), source, time_scale_of(timelines)) {}

    Drawing draw() {
        for (const PsnTimeline& timeline : timelines_) stream(timeline);
        return panels_.finish(legend());
    }

private:
    void stream(const PsnTimeline& timeline);
    void requester(const PsnTimeline& timeline, Side side);
    void psns(const PsnCurves& curves);
    void window(const PsnCurves& curves, const OctetScale& scale);
    void marks(const PsnCurves& curves, const OctetScale& scale);
    void in_flight(const PsnCurves& curves);
    void rate(const Rates& rates);
    std::vector<Panels::Entry> legend() const;

    OctetScale scale(double height, std::uint64_t most) const {
        return {.top = panels_.y, .bottom = panels_.y + height, .most = std::max<std::uint64_t>(most + most / 12, 1)};
    }

    std::span<const PsnTimeline> timelines_;
    Panels panels_;
    bool any_response_ = false, any_again_ = false, any_nak_ = false, any_rnr_ = false;
};

void Plot::stream(const PsnTimeline& timeline) {
    const Stream& stream = timeline.stream;
    std::string about = about_text(stream);
    if (timeline.dropped != 0) about += fmt::format("; {} not shown", counted(timeline.dropped, "packet"));
    panels_.subject({"stream", stream_name(stream.id), ends_text(stream), about}, timelines_.size() > 1);
    for (const Side side : {a, b}) requester(timeline, side);
}

void Plot::requester(const PsnTimeline& timeline, Side side) {
    const std::vector<PsnSample>& samples = timeline.of[side];
    const bool asked = std::ranges::find(samples, Kind::request, &PsnSample::kind) != samples.end();
    if (!asked) return;
    panels_.section(about(timeline.stream, side));
    const PsnCurves curves = curves_of(samples);
    if (!curves.sent.empty()) psns(curves);
    if (curves.most_in_flight != 0) in_flight(curves);
    if (const Rates rates = rates_of(samples, panels_.time()); rates.most != 0) rate(rates);
    for (const PsnMoments& moments : moments_of(timeline, side)) {
        Steps steps;
        for (const Time time : moments.times) steps.insert(steps.end(), {{time, 1}, {time, 0}});
        panels_.bar(moments.name, spans_of(steps, panels_.time()), moments.colour);
    }
    panels_.y += Panels::panel_gap;
}

void Plot::psns(const PsnCurves& curves) {
    OctetScale psns = scale(psn_height, curves.most_psn);
    psns.things = "PSN, from the first one";
    window(curves, psns);
    panels_.frame(psns, 5);
    if (!curves.responses.empty()) panels_.line("responses", curves.responses, psns, response_colour);
    panels_.line("sent", curves.sent, psns, sent_colour);
    panels_.line("acknowledged", curves.acknowledged, psns, acknowledged_colour);
    marks(curves, psns);
    any_response_ |= !curves.responses.empty();
    panels_.y = psns.bottom + Panels::gap;
}

/// What is sent and not acknowledged, behind the curves.
void Plot::window(const PsnCurves& curves, const OctetScale& scale) {
    if (curves.acknowledged.empty()) return;
    const Time begin = curves.acknowledged.front().time;
    Steps sent = curves.highest;
    const auto later = std::ranges::upper_bound(sent, begin, {}, &StepValue::time);
    if (later != sent.begin()) std::prev(later)->time = begin;
    std::erase_if(sent, [begin](const StepValue& step) { return step.time < begin; });
    Area area{step_line(sent, panels_.time(), scale), flight_colour, 0.22};
    const std::vector<Point> below = step_line(curves.acknowledged, panels_.time(), scale);
    area.points.insert(area.points.end(), below.rbegin(), below.rend());
    panels_.layer("window", "sent, not acknowledged").add(std::move(area));
}

/// One for each place in the picture, whatever there is below a pixel.
void Plot::marks(const PsnCurves& curves, const OctetScale& scale) {
    constexpr double radius = 2.5;
    const auto draw = [&](const char* name, Colour colour, bool& any, const auto& belongs) {
        std::vector<std::pair<double, double>> places;
        for (const PsnCurves::Mark& mark : curves.marks)
            if (belongs(mark))
                places.emplace_back(
                    std::round(panels_.time().x(mark.time)), std::round(scale.y(static_cast<double>(mark.psn))));
        std::ranges::sort(places);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        if (places.empty()) return;
        any = true;
        Layer& layer = panels_.layer(name, name);
        for (const auto& [x, y] : places) layer.add(rectangle(x - radius, y - radius, x + radius, y + radius, colour));
    };
    draw("sent-again", again_colour, any_again_, [](const PsnCurves::Mark& mark) { return mark.again.has_value(); });
    draw("rnr-nak", rnr_colour, any_rnr_, [](const PsnCurves::Mark& mark) { return mark.kind == Kind::rnr_nak; });
    draw("nak", nak_colour, any_nak_, [](const PsnCurves::Mark& mark) { return mark.kind == Kind::nak; });
}

void Plot::in_flight(const PsnCurves& curves) {
    OctetScale amounts = scale(flight_height, curves.most_in_flight);
    if (!curves.in_flight_is_bytes) amounts.things = "packets";
    panels_.area("in-flight", "in flight", curves.in_flight, amounts, flight_colour);
    panels_.frame(amounts, 3);
    panels_.y = amounts.bottom + Panels::gap;
}

void Plot::rate(const Rates& rates) {
    OctetScale amounts = scale(rate_height, rates.most);
    amounts.per = "/s";
    panels_.area("rate", "rate", rates.all, amounts, rate_colour);
    const bool repeats = std::ranges::any_of(rates.again, [](const StepValue& step) { return step.value != 0; });
    if (repeats) panels_.area("rate-again", "rate of what is retransmitted", rates.again, amounts, again_colour);
    panels_.frame(amounts, 3);
    panels_.y = amounts.bottom + 7;
}

std::vector<Panels::Entry> Plot::legend() const {
    using Look = Panels::Entry::Look;
    std::vector<Panels::Entry> entries{{"sent", sent_colour}, {"acknowledged", acknowledged_colour}};
    const auto add = [&](bool shown, const Panels::Entry& entry) {
        if (shown) entries.push_back(entry);
    };
    add(any_response_, {"READ responses", response_colour});
    add(true, {"in flight", flight_colour, Look::box, 0.75});
    add(true, {"payload rate", rate_colour, Look::box, 0.75});
    add(any_again_, {"retransmitted", again_colour, Look::box});
    add(any_nak_, {"NAK", nak_colour, Look::box});
    add(any_rnr_, {"RNR NAK", rnr_colour, Look::box});
    return entries;
}

}  // namespace

Drawing plot_of(std::span<const PsnTimeline> timelines, const std::string& source) {
    return Plot(timelines, source).draw();
}

}  // namespace fabricscope::report
