// SPDX-License-Identifier: GPL-2.0-or-later
// A set of octet positions, kept as disjoint ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fabricscope::engine {

/// Ordinary traffic keeps one range, so operations are short and allocate nothing. Once there are `most_ranges`, what
/// touches none of them is left out, and counted.
class RangeSet {
public:
    static constexpr std::size_t most_ranges = 16'384;

    struct Range {
        std::uint64_t begin, end;
    };

    /// Adds [begin, end) and returns how many positions were new and taken in.
    std::uint64_t add(std::uint64_t begin, std::uint64_t end) {
        auto first = std::ranges::lower_bound(ranges_, begin, {}, &Range::end);
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
            if (ranges_.size() == most_ranges) {
                left_out_ += end - begin;
                return 0;
            }
            ranges_.insert(first, joined);
        } else {
            *first = joined;
            ranges_.erase(first + 1, last);
        }
        return end - begin - known;
    }

    /// Whether all of [begin, end) has been added. What has been forgotten counts as such.
    bool covers(std::uint64_t begin, std::uint64_t end) const {
        begin = std::max(begin, forgotten_);
        return begin >= end ||
               std::ranges::any_of(ranges_, [&](const Range& r) { return r.begin <= begin && end <= r.end; });
    }

    /// Forgets positions below `limit`; they count as known from then on only to their own add().
    void forget_below(std::uint64_t limit) {
        if (ranges_.size() < 2 || ranges_.front().end > limit) return;
        const auto kept = std::ranges::upper_bound(ranges_.begin(), ranges_.end() - 1, limit, {}, &Range::end);
        forgotten_ = std::prev(kept)->end;
        ranges_.erase(ranges_.begin(), kept);
    }

    /// As new; a list that was short keeps its memory.
    void clear() {
        constexpr std::size_t few = 8;
        if (ranges_.capacity() > few) ranges_ = {};
        ranges_.clear();
        forgotten_ = left_out_ = 0;
    }

    const std::vector<Range>& ranges() const { return ranges_; }

    /// Positions that were added, but not taken in for want of room; one that was added twice counts twice.
    std::uint64_t left_out() const { return left_out_; }

private:
    std::vector<Range> ranges_;
    std::uint64_t forgotten_ = 0;  ///< end of the last range that was
    std::uint64_t left_out_ = 0;
};

}  // namespace fabricscope::engine
