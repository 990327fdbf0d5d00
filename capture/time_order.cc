// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "capture/source.h"

namespace fabricscope::capture {
namespace {

class OrderedSource final : public Source {
public:
    OrderedSource(std::unique_ptr<Source> source, ReorderLimits limits) : source_(std::move(source)), limits_(limits) {}

    bool next(Frame& frame) override {
        while (!may_release() && fetch()) continue;
        if (held_.empty()) return false;
        std::ranges::pop_heap(held_, later);
        delivered_ = std::move(held_.back());
        held_.pop_back();
        octets_ -= delivered_.octets.size();
        frame = delivered_.frame;
        frame.data = delivered_.octets;
        return true;
    }

    std::vector<Error> errors() const override { return source_->errors(); }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

private:
    struct Held {
        Frame frame;
        std::uint64_t arrival = 0;
        std::vector<std::uint8_t> octets;
    };

    static bool later(const Held& a, const Held& b) {
        return std::pair(a.frame.time, a.arrival) > std::pair(b.frame.time, b.arrival);
    }

    bool may_release() const {
        if (held_.empty()) return false;
        return held_.size() >= limits_.frames || octets_ >= limits_.octets ||
               youngest_ - held_.front().frame.time >= limits_.window;
    }

    /// The capture goes on after a pause, or with a clock that was set: then two frames agree on the time. A
    /// single frame from elsewhere, as damage makes it, must not turn all that follows it into latecomers.
    void follow_clock(Time time) {
        const bool near = time >= youngest_ - limits_.window && time <= youngest_ + limits_.window;
        const bool agrees = leap_ && time >= *leap_ - limits_.window && time <= *leap_ + limits_.window;
        if (near || arrivals_ == 0) youngest_ = arrivals_ == 0 ? time : std::max(youngest_, time);
        else if (agrees) youngest_ = std::max(*leap_, time);
        leap_ = near || agrees ? std::nullopt : std::optional(time);
    }

    bool fetch() {
        Frame frame;
        if (ended_ || !source_->next(frame)) {
            ended_ = true;
            return false;
        }
        follow_clock(frame.time);
        octets_ += frame.data.size();
        // The buffer of the frame delivered last is free again.
        std::vector<std::uint8_t> octets = std::exchange(delivered_.octets, {});
        octets.assign(frame.data.begin(), frame.data.end());
        held_.push_back({frame, arrivals_++, std::move(octets)});
        std::ranges::push_heap(held_, later);
        return true;
    }

    std::unique_ptr<Source> source_;
    ReorderLimits limits_;
    std::vector<Held> held_;  ///< heap, earliest first
    Held delivered_;
    std::size_t octets_ = 0;
    std::uint64_t arrivals_ = 0;
    Time youngest_ = 0;         ///< of the frames so far, but for those from elsewhere
    std::optional<Time> leap_;  ///< of the frame before, if that was far from youngest_
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> in_time_order(std::unique_ptr<Source> source, ReorderLimits limits) {
    if (source->interface_count() <= 1) return source;
    return std::make_unique<OrderedSource>(std::move(source), limits);
}

}  // namespace fabricscope::capture
