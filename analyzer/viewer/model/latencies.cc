// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/latencies.h"

#include <algorithm>
#include <cmath>

namespace fabricscope::viewer {
namespace {

/// Branches that hang from another one, that itself, or all of them.
std::vector<std::size_t> nodes_below(const report::Overview& overview, std::optional<std::size_t> top) {
    std::vector<bool> inside(overview.nodes.size(), !top);
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < inside.size(); ++i) {  // parents come before their children
        const std::size_t parent = overview.nodes[i].parent;
        inside[i] = inside[i] || i == *top || (parent != report::Node::none && inside[parent]);
        if (inside[i]) nodes.push_back(i);
    }
    return nodes;
}

}  // namespace

std::vector<Latency> latencies_of(
    const Recording& recording, std::optional<std::size_t> node, const std::string& label) {
    const report::Overview& overview = recording.overview;
    std::vector<Latency> latencies;
    for (const std::size_t i : nodes_below(overview, node))
        for (const Lane& lane : overview.nodes[i].lanes)
            for (const Slice& slice : lane.slices)
                if (slice.is_timed_operation() && (label.empty() || overview.labels[slice.label] == label))
                    latencies.push_back({slice.duration(), &slice, i});
    std::ranges::stable_sort(latencies, std::greater{}, &Latency::time);
    return latencies;
}

Time percentile_of(const std::vector<Latency>& latencies, double share) {
    const auto count = static_cast<double>(latencies.size());
    const auto rank = static_cast<std::size_t>(std::max(std::ceil(share * count), 1.0));
    return latencies[latencies.size() - rank].time;
}

std::vector<std::string> operations_of(const Recording& recording, std::optional<std::size_t> node) {
    std::vector<bool> is_there(recording.overview.labels.size());
    for (const std::size_t i : nodes_below(recording.overview, node))
        for (const Lane& lane : recording.overview.nodes[i].lanes)
            for (const Slice& slice : lane.slices)
                if (slice.is_timed_operation()) is_there[slice.label] = true;
    std::vector<std::string> names;
    for (std::size_t label = 0; label < is_there.size(); ++label)
        if (is_there[label]) names.push_back(recording.overview.labels[label]);
    return names;
}

std::vector<SetUp> set_ups_of(const Recording& recording, std::optional<std::size_t> node) {
    std::vector<SetUp> all;
    for (const std::size_t i : nodes_below(recording.overview, node)) {
        for (const Lane& lane : recording.overview.nodes[i].lanes) {
            if (lane.name != report::setup_lane) continue;
            SetUp one{.node = i};
            for (const Slice& slice : lane.slices) {
                // What follows from nothing before is no step any more: how the connection ends.
                if (!one.steps.empty() && slice.begin > one.end) break;
                one.steps.push_back(&slice);
                one.end = std::max(one.end, slice.end);
            }
            if (one.steps.empty()) continue;
            one.begin = one.steps.front()->begin;
            all.push_back(std::move(one));
        }
    }
    std::ranges::stable_sort(all, std::greater{}, [](const SetUp& each) { return each.end - each.begin; });
    return all;
}

}  // namespace fabricscope::viewer
