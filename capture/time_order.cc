// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/time_order.h"

#include <algorithm>
#include <utility>

namespace fabricscope::capture {

bool TimeOrder::later(const Held& a, const Held& b) {
    return std::pair(a.frame.time, a.arrival) > std::pair(b.frame.time, b.arrival);
}

/// The capture goes on after a pause, or with a clock that was set: then two frames agree on the time. A
/// single frame from elsewhere, as damage makes it, must not turn all that follows it into latecomers.
void TimeOrder::follow_clock(Time time) {
    const bool near = time >= youngest_ - limits_.window && time <= youngest_ + limits_.window;
    const bool agrees = leap_ && time >= *leap_ - limits_.window && time <= *leap_ + limits_.window;
    if (near || arrivals_ == 0) youngest_ = arrivals_ == 0 ? time : std::max(youngest_, time);
    else if (agrees) youngest_ = std::max(*leap_, time);
    leap_ = near || agrees ? std::nullopt : std::optional(time);
}

void TimeOrder::push(const Frame& frame) {
    follow_clock(frame.time);
    octets_ += frame.data.size();
    // The buffer of the frame delivered last is free again.
    std::vector<std::uint8_t> octets = std::exchange(delivered_.octets, {});
    octets.assign(frame.data.begin(), frame.data.end());
    held_.push_back({frame, arrivals_++, std::move(octets)});
    std::ranges::push_heap(held_, later);
}

bool TimeOrder::is_due() const {
    if (held_.empty()) return false;
    return held_.size() >= limits_.frames || octets_ >= limits_.octets ||
           youngest_ - held_.front().frame.time >= limits_.window;
}

bool TimeOrder::pop(Frame& frame) {
    if (held_.empty()) return false;
    std::ranges::pop_heap(held_, later);
    delivered_ = std::move(held_.back());
    held_.pop_back();
    octets_ -= delivered_.octets.size();
    frame = delivered_.frame;
    frame.data = delivered_.octets;
    return true;
}

namespace {

class OrderedSource final : public Source {
public:
    OrderedSource(std::unique_ptr<Source> source, ReorderLimits limits) : source_(std::move(source)), order_(limits) {}

    bool next(Frame& frame) override {
        while (!order_.is_due() && fetch()) continue;
        return order_.pop(frame);
    }

    std::vector<Error> errors() const override { return source_->errors(); }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

private:
    bool fetch() {
        Frame frame;
        ended_ = ended_ || !source_->next(frame);
        if (!ended_) order_.push(frame);
        return !ended_;
    }

    std::unique_ptr<Source> source_;
    TimeOrder order_;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> sorted(std::unique_ptr<Source> source, ReorderLimits limits) {
    return std::make_unique<OrderedSource>(std::move(source), limits);
}

std::unique_ptr<Source> in_time_order(std::unique_ptr<Source> source, ReorderLimits limits) {
    return source->interface_count() <= 1 ? std::move(source) : sorted(std::move(source), limits);
}

}  // namespace fabricscope::capture
