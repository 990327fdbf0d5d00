// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/flow.h"

#include <algorithm>

namespace fabricscope::viewer {
namespace {

std::uint64_t value_at(std::span<const StepValue> steps, Time time) {
    const auto behind = std::ranges::upper_bound(steps, time, {}, &StepValue::time);
    return behind != steps.begin() ? std::prev(behind)->value : 0;
}

}  // namespace

std::vector<StepValue> in_flight_of(const CurvePanel& panel) {
    std::vector<StepValue> flight;
    if (panel.curves.size() < 2) return flight;
    const auto& sent = panel.curves[panel.curves.size() - 2].steps;
    const auto& settled = panel.curves.back().steps;
    std::uint64_t out = 0, back = 0;
    for (auto one = sent.begin(), other = settled.begin(); one != sent.end() || other != settled.end();) {
        const bool sends = other == settled.end() || (one != sent.end() && one->time <= other->time);
        const Time time = sends ? one->time : other->time;
        if (sends) out = (one++)->value;
        else back = (other++)->value;
        const std::uint64_t value = out - std::min(out, back);
        if (!flight.empty() && flight.back().time == time) flight.back().value = value;
        else flight.push_back({time, value});
    }
    return flight;
}

std::vector<Rate> rates_of(std::span<const StepValue> steps, const Stretch& stretch, std::size_t parts) {
    std::vector<Rate> rates;
    const Time part = std::max<Time>(stretch.length() / static_cast<Time>(std::max<std::size_t>(parts, 1)), 1);
    std::uint64_t before = value_at(steps, stretch.begin);
    for (Time begin = stretch.begin; begin < stretch.end; begin += part) {
        const std::uint64_t after = std::max(value_at(steps, begin + part), before);
        rates.push_back(
            {begin,
             static_cast<double>(after - before) * static_cast<double>(capture::second) / static_cast<double>(part)});
        before = after;
    }
    return rates;
}

}  // namespace fabricscope::viewer
