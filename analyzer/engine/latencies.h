// SPDX-License-Identifier: GPL-2.0-or-later
// How long something took, each time: percentiles in little memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::engine {

using capture::Time;

/// A log-linear histogram: percentiles are right to about 3 %, the longest one is exact.
class Latencies {
public:
    void add(Time duration);
    void add(const Latencies& others);

    std::uint64_t count() const { return count_; }
    /// A `share` of all, up to 1, were no longer than that; nullopt if there were none.
    std::optional<Time> percentile(double share) const;
    std::optional<Time> max() const { return count_ != 0 ? std::optional(max_) : std::nullopt; }

private:
    std::uint32_t& count_of(std::size_t bucket) {
        if (bucket - first_ >= counts_.size()) make_room(bucket);
        return counts_[bucket - first_];
    }
    void make_room(std::size_t bucket);

    std::vector<std::uint32_t> counts_;  ///< of the buckets from first_ on
    std::size_t first_ = 0;
    std::uint64_t count_ = 0;
    Time min_ = 0, max_ = 0;
};

}  // namespace fabricscope::engine
