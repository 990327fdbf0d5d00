// SPDX-License-Identifier: GPL-2.0-or-later
// Very many times, in little memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "capture/frame.h"

namespace fabricscope::replay {

/// Counts them in steps of at most 1/64 of their value.
class Latencies {
public:
    void add(capture::Time time) {
        const auto value = static_cast<std::uint64_t>(std::max<capture::Time>(time, 0));
        ++counts_[step_of(value)];
        ++count_;
        most_ = std::max(most_, value);
    }
    void add(const Latencies& more) {
        for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += more.counts_[i];
        count_ += more.count_;
        most_ = std::max(most_, more.most_);
    }
    std::uint64_t count() const { return count_; }
    capture::Time most() const { return static_cast<capture::Time>(most_); }
    /// That `share` of them do not exceed; 0 if there are none.
    capture::Time percentile(double share) const {
        const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            if ((seen += counts_[i]) >= wanted && seen != 0)
                return static_cast<capture::Time>(std::min(most_of(i), most_));
        return 0;
    }

private:
    static constexpr unsigned bits = 6;
    static constexpr std::uint64_t steps = std::uint64_t{1} << bits;  ///< in each power of two

    static std::size_t step_of(std::uint64_t value) {
        if (value < steps) return static_cast<std::size_t>(value);
        const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - bits - 1;
        return static_cast<std::size_t>(steps * shift + (value >> shift));
    }
    /// The largest value of a step.
    static std::uint64_t most_of(std::size_t step) {
        if (step < 2 * steps) return step;
        const unsigned shift = static_cast<unsigned>(step / steps) - 1;
        return ((step - steps * shift + 1) << shift) - 1;
    }

    std::array<std::uint64_t, steps*(64 - bits + 1)> counts_{};
    std::uint64_t count_ = 0, most_ = 0;
};

}  // namespace fabricscope::replay
