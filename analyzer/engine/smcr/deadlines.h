// SPDX-License-Identifier: GPL-2.0-or-later
// What must happen within a time: looked at when packets show that the time has passed.
#pragma once

#include <deque>

#include "capture/frame.h"

namespace fabricscope::engine::smcr {

/// One fixed patience, so that what was begun first is due first.
template <class Expectation> class Deadlines {
public:
    static constexpr std::size_t most_kept = 4096;

    explicit Deadlines(capture::Time patience) : patience_(patience) {}

    /// False if too much is expected already.
    bool add(capture::Time now, const Expectation& expectation) {
        if (waiting_.size() >= most_kept) return false;
        waiting_.push_back({now + patience_, expectation});
        return true;
    }
    /// Hands out what should have happened by now.
    template <class Judge> void pass(capture::Time now, Judge&& judge) {
        while (!waiting_.empty() && waiting_.front().due < now) take(judge);
    }
    /// Hands out the rest.
    template <class Judge> void finish(Judge&& judge) {
        while (!waiting_.empty()) take(judge);
    }

private:
    struct Waiting {
        capture::Time due;
        Expectation expectation;
    };
    template <class Judge> void take(Judge& judge) {
        const Expectation expectation = waiting_.front().expectation;
        waiting_.pop_front();
        judge(expectation);
    }

    capture::Time patience_;
    std::deque<Waiting> waiting_;
};

}  // namespace fabricscope::engine::smcr
