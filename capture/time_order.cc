// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <limits>
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

    bool fetch() {
        Frame frame;
        if (ended_ || !source_->next(frame)) {
            ended_ = true;
            return false;
        }
        youngest_ = std::max(youngest_, frame.time);
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
    Time youngest_ = std::numeric_limits<Time>::min();
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> in_time_order(std::unique_ptr<Source> source, ReorderLimits limits) {
    if (source->interface_count() <= 1) return source;
    return std::make_unique<OrderedSource>(std::move(source), limits);
}

}  // namespace fabricscope::capture
