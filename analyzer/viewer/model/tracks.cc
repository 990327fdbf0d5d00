// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/tracks.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricscope::viewer {
Row::Row(const Lane& lane, std::vector<std::uint32_t> slices) : lane_(&lane), slices_(std::move(slices)) {
    add_level(slices_.size(), [this](std::size_t i) {
        const Slice& one = slice(i);
        return Summary{one.begin, one.end, 1, one.activity};
    });
    while (levels_.back().size() > fan_out) {
        const std::vector<Summary>& below = levels_.back();
        add_level(below.size(), [&below](std::size_t i) { return below[i]; });
    }
}

void Row::add_level(std::size_t size, const std::function<Summary(std::size_t)>& below) {
    std::vector<Summary> level;
    level.reserve(size / fan_out + 1);
    for (std::size_t i = 0; i < size; ++i) {
        const Summary one = below(i);
        if (i % fan_out == 0) {
            level.push_back(one);
            continue;
        }
        Summary& sum = level.back();
        sum.end = std::max(sum.end, one.end);
        sum.count += one.count;
        sum.activity = std::max(sum.activity, one.activity);
    }
    levels_.push_back(std::move(level));
}

std::size_t Row::slice_at(Time time, Time tolerance) const {
    std::size_t best = SIZE_MAX;
    Time nearest = tolerance;
    visit(time - tolerance, time + tolerance, 0, [&](const Piece& piece) {
        const Time distance = std::max({piece.begin - time, time - piece.end, Time{0}});
        if (distance > nearest) return;
        nearest = distance;
        best = piece.slice;
    });
    return best;
}

std::size_t Row::memory() const {
    std::size_t octets = slices_.capacity() * sizeof(slices_[0]);
    for (const auto& level : levels_) octets += level.capacity() * sizeof(Summary);
    return octets;
}

std::vector<Track> tracks_of(const report::Overview& overview) {
    std::vector<Track> tracks;
    for (const std::size_t node : overview.in_tree_order()) {
        const auto& lanes = overview.nodes[node].lanes;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            Track track{node, lane, {}};
            for (auto& slices : report::rows_of(lanes[lane], Track::most_rows))
                track.rows.emplace_back(lanes[lane], std::move(slices));
            tracks.push_back(std::move(track));
        }
    }
    return tracks;
}

std::optional<Time> Statistics::percentile(double share) const {
    if (durations.empty()) return std::nullopt;
    const double rank = std::ceil(share * static_cast<double>(durations.size()));
    return durations[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<Statistics> statistics_of(const std::vector<const Lane*>& lanes, Time begin, Time end) {
    std::map<std::pair<std::uint32_t, Activity>, Statistics> by_label;
    for (const Lane* lane : lanes)
        for (const Slice& slice : lane->slices) {
            if (slice.begin > end) break;
            if (slice.end < begin) continue;
            Statistics& sum = by_label[{slice.label, slice.activity}];
            sum.label = slice.label;
            sum.activity = slice.activity;
            ++sum.count;
            sum.octets += slice.octets;
            if (slice.ended) sum.durations.push_back(slice.duration());
        }
    std::vector<Statistics> all;
    for (auto& [label, sum] : by_label) {
        std::ranges::sort(sum.durations);
        all.push_back(std::move(sum));
    }
    std::ranges::stable_sort(all, std::greater{}, &Statistics::count);
    return all;
}

}  // namespace fabricscope::viewer
