// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fabricscope::report {
namespace {

template <class T> void add(std::optional<T>& sum, const std::optional<T>& value) {
    if (value) sum = sum.value_or(0) + *value;
}
template <class T> void raise(std::optional<T>& highest, const std::optional<T>& value) {
    if (value) highest = std::max(highest.value_or(*value), *value);
}
template <class T> void lower(std::optional<T>& lowest, const std::optional<T>& value) {
    if (value) lowest = std::min(lowest.value_or(*value), *value);
}

void take_in(Node& node, const Slice& slice) {
    if (!node.first || slice.begin < *node.first) node.first_frame = slice.frame;
    lower(node.first, std::optional(slice.begin));
    raise(node.last, std::optional(slice.end));
    if (slice.is_timed_operation()) raise(node.worst, std::optional(slice.duration()));
}

void take_in(Node& above, const Node& node) {
    add(above.octets, node.octets);
    add(above.packets, node.packets);
    add(above.retransmitted, node.retransmitted);
    raise(above.worst, node.worst);
    if (node.first && (!above.first || *node.first < *above.first)) above.first_frame = node.first_frame;
    lower(above.first, node.first);
    raise(above.last, node.last);
    above.troubled |= node.troubled;
}

}  // namespace

const char* name_of(Activity activity) {
    constexpr std::array names{"span", "set-up", "control", "operation", "wait", "trouble"};
    static_assert(names.size() == activity_count);
    return names[static_cast<std::size_t>(activity)];
}

Colour colour_of(Activity activity) {
    constexpr std::array colours{palette::faint, palette::blue,   palette::green,
                                 palette::sky,   palette::orange, palette::vermilion};
    static_assert(colours.size() == activity_count);
    return colours[static_cast<std::size_t>(activity)];
}

Lane& Node::lane(const std::string& lane_name, const char* prefix) {
    const auto found = std::ranges::find(lanes, lane_name, &Lane::name);
    return found != lanes.end() ? *found : lanes.emplace_back(Lane{.name = lane_name, .prefix = prefix});
}

Node& Overview::add(std::size_t parent, std::string name) {
    return nodes.emplace_back(Node{.name = std::move(name), .parent = parent});
}

std::size_t Overview::group(std::size_t parent, const std::string& name) {
    const auto [place, is_new] = groups_.try_emplace({parent, name}, nodes.size());
    if (is_new) add(parent, name);
    return place->second;
}

std::uint32_t Overview::label(const std::string& text) {
    const auto [place, is_new] = label_numbers_.try_emplace(text, static_cast<std::uint32_t>(labels.size()));
    if (is_new) labels.push_back(text);
    return place->second;
}

void Overview::sum_up() {
    for (Node& node : nodes) {
        std::erase_if(node.lanes, [](const Lane& lane) { return lane.slices.empty(); });
        for (Lane& lane : node.lanes) {
            if (!std::ranges::is_sorted(lane.slices, {}, &Slice::begin))
                std::ranges::stable_sort(lane.slices, {}, &Slice::begin);
            for (const Slice& slice : lane.slices) take_in(node, slice);
        }
    }
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
        if (node->parent != Node::none) take_in(nodes[node->parent], *node);
}

std::vector<std::size_t> Overview::in_tree_order() const {
    std::vector<std::vector<std::size_t>> children(nodes.size());
    std::vector<std::size_t> order, waiting;
    for (std::size_t i = nodes.size(); i-- != 0;)
        (nodes[i].parent == Node::none ? waiting : children[nodes[i].parent]).push_back(i);
    while (!waiting.empty()) {
        const std::size_t next = waiting.back();
        waiting.pop_back();
        order.push_back(next);
        waiting.insert(waiting.end(), children[next].begin(), children[next].end());
    }
    return order;
}

std::size_t Overview::depth_of(std::size_t node) const {
    std::size_t depth = 0;
    for (; nodes[node].parent != Node::none; node = nodes[node].parent) ++depth;
    return depth;
}

std::vector<std::vector<std::uint32_t>> rows_of(const Lane& lane, std::size_t most) {
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<engine::Time> free_from;
    for (std::uint32_t i = 0; i < lane.slices.size(); ++i) {
        const Slice& slice = lane.slices[i];
        std::size_t row = 0;
        while (row < rows.size() && free_from[row] > slice.begin) ++row;
        if (row == most) row = most - 1;
        if (row == rows.size()) {
            rows.emplace_back();
            free_from.push_back(slice.end);
        }
        rows[row].push_back(i);
        free_from[row] = std::max(free_from[row], slice.end);
    }
    return rows;
}

std::string direction_name(engine::Side from) {
    return fmt::format("{} → {}", engine::name_of(from), engine::name_of(engine::other(from)));
}

std::string pair_name(std::string one, std::string other) {
    if (other < one) std::swap(one, other);
    return one + " - " + other;
}

}  // namespace fabricscope::report
