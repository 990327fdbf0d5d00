// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/spans.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::report {
namespace {

std::string long_time(capture::Time time) {
    const auto hours = static_cast<double>(time) / static_cast<double>(Spans::hour);
    return hours < 48 ? fmt::format("{:.1f} hours", hours) : fmt::format("{:.1f} days", hours / 24);
}

}  // namespace

bool Spans::take(const capture::Frame& frame) {
    std::optional<Span>& own = spans_[frame.origin.source];
    const std::optional<Span>& latest = spans_[latest_];
    if (!own) {
        if (latest && frame.time - latest->last > another_capture) return false;
        own = {frame.time, frame.time};
    }
    own->last = std::max(own->last, frame.time);
    if (!latest || own->last >= latest->last) latest_ = frame.origin.source;
    return true;
}

std::string Spans::why_not(const capture::Frame& frame, const std::vector<std::string>& files) const {
    return fmt::format(
        "{} begins {} after {} ends, so that they are not one capture", files[frame.origin.source],
        long_time(frame.time - spans_[latest_]->last), files[latest_]);
}

std::vector<std::string> Spans::gaps(const std::vector<std::string>& files) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < spans_.size(); ++i)
        if (spans_[i]) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return spans_[i]->first; });
    std::vector<std::string> gaps;
    for (std::size_t i = 1, latest = order.empty() ? 0 : order.front(); i < order.size(); ++i) {
        const std::size_t file = order[i];
        const capture::Time gap = spans_[file]->first - spans_[latest]->last;
        if (gap > hour)
            gaps.push_back(fmt::format(
                "{} begins {} after {} ends: if they have nothing to do with each other, --each reports each by itself",
                files[file], long_time(gap), files[latest]));
        if (spans_[file]->last > spans_[latest]->last) latest = file;
    }
    return gaps;
}

}  // namespace fabricscope::report
