// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes as rows that can be drawn: slices that overlap are put below each other, and summaries at several resolutions
// make a picture of millions of them as fast as one of a few.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/report/overview.h"

namespace fabricscope::viewer {

using engine::Time;
using report::Activity;
using report::Lane;
using report::Slice;

/// What is drawn in one piece.
struct Piece {
    Time begin = 0;
    Time end = 0;
    std::uint64_t count = 0;  ///< of slices; 1: the slice is shown itself
    std::uint32_t slice = 0;  ///< its index in the lane; of several the first
    Activity activity{};      ///< of several the one that matters most
};

/// Slices of a lane, in order of time. All rows but the last hold none that overlap.
class Row {
public:
    Row(const Lane& lane, std::vector<std::uint32_t> slices);

    /// What there is between two moments. What is shorter than `resolution` may be joined.
    template <class Draw> void visit(Time begin, Time end, Time resolution, const Draw& draw) const {
        if (!levels_.empty()) visit(levels_.size() - 1, 0, levels_.back().size(), {begin, end, resolution}, draw);
    }
    /// The slice there, or the nearest one that is not further away than `tolerance`; SIZE_MAX if there is none.
    std::size_t slice_at(Time time, Time tolerance) const;

    const Lane& lane() const { return *lane_; }
    std::size_t size() const { return slices_.size(); }
    /// What its summaries and indexes take.
    std::size_t memory() const;

private:
    static constexpr std::size_t fan_out = 16;

    struct Window {
        Time begin, end, resolution;
    };
    struct Summary {
        Time begin, end;
        std::uint32_t count;
        Activity activity;
    };

    const Slice& slice(std::size_t i) const { return lane_->slices[slices_[i]]; }
    void add_level(std::size_t size, const std::function<Summary(std::size_t)>& below);

    template <class Draw>
    void visit(std::size_t level, std::size_t first, std::size_t last, const Window& window, const Draw& draw) const {
        for (std::size_t i = first; i < last; ++i) {
            const Summary& summary = levels_[level][i];
            if (summary.end < window.begin || summary.begin > window.end) continue;
            const std::size_t first_below = i * fan_out;
            if (summary.end - summary.begin < window.resolution) {
                draw(
                    Piece{summary.begin, summary.end, summary.count, slices_[first_slice(level, i)], summary.activity});
            } else if (level != 0) {
                visit(level - 1, first_below, std::min(first_below + fan_out, levels_[level - 1].size()), window, draw);
            } else {
                visit_slices(first_below, std::min(first_below + fan_out, slices_.size()), window, draw);
            }
        }
    }
    template <class Draw>
    void visit_slices(std::size_t first, std::size_t last, const Window& window, const Draw& draw) const {
        for (std::size_t i = first; i < last; ++i) {
            const Slice& one = slice(i);
            if (one.end >= window.begin && one.begin <= window.end)
                draw(Piece{one.begin, one.end, 1, slices_[i], one.activity});
        }
    }
    static std::size_t first_slice(std::size_t level, std::size_t i) {
        for (std::size_t j = 0; j <= level; ++j) i *= fan_out;
        return i;
    }

    const Lane* lane_;
    std::vector<std::uint32_t> slices_;  ///< indexes in the lane
    std::vector<std::vector<Summary>> levels_;
};

/// The rows of a lane.
struct Track {
    static constexpr std::size_t most_rows = 8;

    std::size_t node = 0;  ///< in the overview
    std::size_t lane = 0;  ///< of the node
    std::vector<Row> rows;
};
/// In the order of the tree. They point into `overview`.
std::vector<Track> tracks_of(const report::Overview& overview);

/// What slices of one name came to.
struct Statistics {
    std::uint32_t label = 0;
    Activity activity{};
    std::uint64_t count = 0;
    std::uint64_t octets = 0;
    std::vector<Time> durations;  ///< of those that ended, sorted

    /// The share of durations that are not longer; nothing if none ended.
    std::optional<Time> percentile(double share) const;
};
/// Of the slices that touch a stretch of time, the most frequent first.
std::vector<Statistics> statistics_of(const std::vector<const Lane*>& lanes, Time begin, Time end);

}  // namespace fabricscope::viewer
