// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

struct OctetUnit {
    const char* name;
    double octets;
};

/// Memory comes in powers of two, what links carry does not.
OctetUnit unit_for(const OctetScale& scale) {
    constexpr std::array amounts{
        OctetUnit{"GiB", 1 << 30}, OctetUnit{"MiB", 1 << 20}, OctetUnit{"KiB", 1 << 10}, OctetUnit{"bytes", 1}};
    constexpr std::array rates{OctetUnit{"GB", 1e9}, OctetUnit{"MB", 1e6}, OctetUnit{"kB", 1e3}, OctetUnit{"bytes", 1}};
    if (scale.things != nullptr) return {scale.things, 1};
    const auto& units = *scale.per == '\0' ? amounts : rates;
    const auto* const found = std::ranges::find_if(
        units, [&](const OctetUnit& unit) { return static_cast<double>(scale.most) >= 5 * unit.octets; });
    return found != units.end() ? *found : units.back();
}

/// How the labels of a time axis count.
struct TimeUnit {
    const char* name;
    Time nanoseconds;
    Time origin;
};

TimeUnit unit_for(const TimeScale& scale) {
    constexpr std::array<std::pair<const char*, Time>, 4> units{
        {{"s", capture::second}, {"ms", capture::millisecond}, {"µs", capture::microsecond}, {"ns", 1}}};
    const Time range = scale.end - scale.begin;
    const auto fits = [&](const auto& unit) { return range >= 2 * unit.second; };
    const auto* found = std::ranges::find_if(units, fits);
    const auto& [name, nanoseconds] = found != units.end() ? *found : units.back();
    // Labels with many equal digits in front say little: then the axis counts from its own beginning.
    constexpr Time most_equal = 1'000;
    const bool far = (scale.begin - scale.start) / std::max<Time>(range, 1) >= most_equal;
    return {name, nanoseconds, far ? scale.begin : scale.start};
}

/// What the steps of one pixel span.
struct Pixel {
    double x = 0;
    std::uint64_t low = 0, high = 0, last = 0;
    void add(std::uint64_t value) {
        low = std::min(low, value);
        high = std::max(high, value);
        last = value;
    }
};

}  // namespace

Ticks ticks_between(double low, double high, std::size_t most) {
    const double range = high - low;
    if (!(range > 0) || most == 0) return {low, 1, 1};
    const double rough = range / static_cast<double>(most);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
        if (factor * power >= rough) step = factor * power;
    const double first = std::ceil(low / step - 1e-9) * step;
    return {first, step, static_cast<std::size_t>(std::floor((high - first) / step + 1e-9)) + 1};
}

double OctetScale::y(double octets) const {
    const double share = std::clamp(octets / static_cast<double>(std::max<std::uint64_t>(most, 1)), 0.0, 1.0);
    return bottom - share * (bottom - top);
}

std::string OctetScale::unit() const { return unit_for(*this).name + std::string(per); }

double OctetScale::octets_in_unit() const { return unit_for(*this).octets; }

Ticks OctetScale::ticks(std::size_t most_ticks) const {
    const double octets = octets_in_unit();
    const Ticks in_unit = ticks_between(0, static_cast<double>(most) / octets, most_ticks);
    return {in_unit.first * octets, in_unit.step * octets, in_unit.count};
}

std::string OctetScale::label(double octets) const {
    if (things != nullptr) return grouped(static_cast<std::uint64_t>(octets));
    return fmt::format("{:.6g}", octets / octets_in_unit());
}

double TimeScale::x(Time time) const {
    if (end <= begin) return left;
    const double share = static_cast<double>(time - begin) / static_cast<double>(end - begin);
    return left + std::clamp(share, 0.0, 1.0) * (right - left);
}

std::vector<TimeScale::Label> TimeScale::labels() const {
    const TimeUnit unit = unit_for(*this);
    const auto value = [&](Time time) {
        return static_cast<double>(time - unit.origin) / static_cast<double>(unit.nanoseconds);
    };
    const Ticks ticks = ticks_between(value(begin), value(end), 10);
    std::vector<Label> labels;
    for (std::size_t i = 0; i < ticks.count; ++i) {
        const auto offset = static_cast<Time>(std::llround(ticks.at(i) * static_cast<double>(unit.nanoseconds)));
        labels.push_back({x(unit.origin + offset), fmt::format("{:.9g}", ticks.at(i))});
    }
    return labels;
}

std::string TimeScale::title() const {
    const TimeUnit unit = unit_for(*this);
    if (unit.origin == start) return fmt::format("time since the first frame, {}", unit.name);
    return fmt::format("time since {} s of the capture, {}", seconds_text(unit.origin - start), unit.name);
}

std::vector<Point> step_line(std::span<const StepValue> steps, const TimeScale& time, const OctetScale& octets) {
    std::vector<Point> points;
    const auto go_to = [&](double x, std::uint64_t value) {
        points.push_back({x, octets.y(static_cast<double>(value))});
    };
    const auto draw = [&](const Pixel& pixel, std::uint64_t before) {
        if (!points.empty()) go_to(pixel.x, before);
        if (pixel.low < std::min(before, pixel.last)) go_to(pixel.x, pixel.low);
        if (pixel.high > std::max(before, pixel.last)) go_to(pixel.x, pixel.high);
        go_to(pixel.x, pixel.last);
    };
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < steps.size();) {
        Pixel pixel{std::round(time.x(steps[i].time)), steps[i].value, steps[i].value, steps[i].value};
        for (++i; i < steps.size() && std::round(time.x(steps[i].time)) <= pixel.x; ++i) pixel.add(steps[i].value);
        draw(pixel, before);
        before = pixel.last;
    }
    if (!points.empty()) points.push_back({time.right, points.back().y});
    return points;
}

std::vector<Span> spans_of(std::span<const StepValue> steps, const TimeScale& time) {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].value == 0) continue;
        const double left = time.x(steps[i].time);
        const double right = std::max(left + 1, i + 1 < steps.size() ? time.x(steps[i + 1].time) : time.right);
        if (!spans.empty() && left <= spans.back().right) spans.back().right = std::max(spans.back().right, right);
        else spans.push_back({left, right});
    }
    return spans;
}

}  // namespace fabricscope::report
