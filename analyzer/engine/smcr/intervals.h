// SPDX-License-Identifier: GPL-2.0-or-later
// A set of octet positions, kept as disjoint ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fabricscope::engine::smcr {

/// Ordinary traffic keeps one range, so operations are short and allocate nothing.
class RangeSet {
public:
    struct Range {
        std::uint64_t begin, end;
    };

    /// Adds [begin, end) and returns how many positions were new.
    std::uint64_t add(std::uint64_t begin, std::uint64_t end) {
        auto first = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.end >= begin; });
        auto last = first;
        std::uint64_t known = 0;
        Range joined{begin, end};
        for (; last != ranges_.end() && last->begin <= end; ++last) {
            const std::uint64_t low = std::max(last->begin, begin);
            const std::uint64_t high = std::min(last->end, end);
            if (high > low) known += high - low;
            joined = {std::min(joined.begin, last->begin), std::max(joined.end, last->end)};
        }
        if (first == last) {
            ranges_.insert(first, joined);
        } else {
            *first = joined;
            ranges_.erase(first + 1, last);
        }
        return end - begin - known;
    }

    /// Forgets positions below `limit`; they count as known from then on only to their own add().
    void forget_below(std::uint64_t limit) {
        while (ranges_.size() > 1 && ranges_.front().end <= limit) ranges_.erase(ranges_.begin());
    }

private:
    std::vector<Range> ranges_;
};

}  // namespace fabricscope::engine::smcr
