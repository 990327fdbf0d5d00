// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that went on, as a tree of lanes over time: for the viewer, for traces and for pictures.
//
// Those of a protocol come from its NAME_overview.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/sides.h"
#include "analyzer/report/drawing.h"

namespace fabricscope::report {

/// What a slice shows, which decides its colour.
enum class Activity : std::uint8_t {
    span,       ///< what operations are made of, or part of: traffic, Exchanges
    setup,      ///< how connections begin and end
    control,    ///< requests between the ends of a link
    operation,  ///< data
    wait,       ///< nobody could go on
    trouble,    ///< failed, refused, aborted
};
inline constexpr std::size_t activity_count = 6;
/// "span", "set-up", ...
const char* name_of(Activity activity);
Colour colour_of(Activity activity);

/// Something that took a while, or happened at a moment.
struct Slice {
    engine::Time begin = 0;
    engine::Time end = 0;
    std::uint64_t frame = 0;  ///< its first
    std::uint64_t octets = 0;
    std::uint32_t label = 0;    ///< in Overview::labels
    std::uint32_t session = 0;  ///< its own number, as Lane::prefix has it; 0: none
    Activity activity{};
    bool ended = true;  ///< false: the capture does not tell when; `end` is as far as it was seen

    engine::Time duration() const { return end - begin; }
    /// Whether it took a time that says something about others of its kind.
    bool is_timed_operation() const { return activity == Activity::operation && ended; }
};

/// The lane of how connections begin and end.
inline constexpr const char* setup_lane = "set-up";

/// What went on in one place; slices may overlap.
struct Lane {
    std::string name;
    std::vector<Slice> slices{};
    const char* prefix = nullptr;  ///< of the names of sessions that its slices are: "xchg-"
};

/// Hosts, a link group, a connection: a branch of the tree.
struct Node {
    static constexpr std::size_t none = SIZE_MAX;

    std::string name;     ///< "smcr-1"
    std::string about{};  ///< "192.0.2.10:38234 > 192.0.2.20:18001"
    std::string outcome{};
    bool troubled = false;
    std::size_t parent = none;
    std::optional<std::uint64_t> octets{}, packets{}, retransmitted{};
    std::optional<engine::Time> worst{};  ///< the longest operation
    std::optional<engine::Time> first{}, last{};
    std::uint64_t first_frame = 0;  ///< 0: not known
    std::deque<Lane> lanes{};

    /// The lane of that name, which is added if it is not there.
    Lane& lane(const std::string& lane_name, const char* prefix);
};

struct Overview {
    std::deque<Node> nodes;  ///< parents before their children
    std::vector<std::string> labels;

    Node& add(std::size_t parent, std::string name);
    /// The branch of that name, which is added if it is not there.
    std::size_t group(std::size_t parent, const std::string& name);
    std::size_t last() const { return nodes.size() - 1; }
    std::uint32_t label(const std::string& text);
    /// Parents before their children, siblings together.
    std::vector<std::size_t> in_tree_order() const;
    /// How many branches it hangs from.
    std::size_t depth_of(std::size_t node) const;
    /// From what is in the lanes to the nodes, and from these to those above.
    void sum_up();

private:
    std::map<std::pair<std::size_t, std::string>, std::size_t> groups_;
    std::unordered_map<std::string, std::uint32_t> label_numbers_;
};

/// Slices that overlap, in rows below each other: indexes in the lane. Of more than `most` at a time the rest go to the
/// last row.
std::vector<std::vector<std::uint32_t>> rows_of(const Lane& lane, std::size_t most);

/// "192.0.2.10 - 192.0.2.20", the same for both directions
std::string pair_name(std::string one, std::string other);
/// "client → server"
std::string direction_name(engine::Side from);

}  // namespace fabricscope::report
