// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/setup_steps.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/timeline.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

constexpr std::array sides{Side::client, Side::server};

/// Every sample that announces more is an operation, which lasts until its last octet has been consumed.
void add_operations(Lane& lane, const Direction& direction, std::uint32_t label) {
    std::uint64_t produced = 0;
    std::deque<std::pair<std::uint64_t, std::size_t>> waiting;  // up to which position, and which slice
    for (const CursorSample& sample : direction.timeline) {
        if (sample.produced > produced) {
            waiting.emplace_back(sample.produced, lane.slices.size());
            lane.slices.push_back(
                {.begin = sample.time,
                 .end = sample.time,
                 .frame = sample.frame,
                 .octets = sample.produced - produced,
                 .label = label,
                 .activity = Activity::operation,
                 .ended = false});
            produced = sample.produced;
        }
        for (; !waiting.empty() && waiting.front().first <= sample.consumed; waiting.pop_front()) {
            Slice& slice = lane.slices[waiting.front().second];
            slice.end = std::max(slice.begin, sample.time);
            slice.ended = true;
        }
    }
}

void add_waits(Lane& lane, const Direction& direction, std::uint32_t label) {
    const CursorCurves curves = curves_of(direction);
    for (std::size_t i = 0; i < curves.full.size(); ++i) {
        const bool was_full = i != 0 && curves.full[i - 1].value != 0;
        if (was_full) lane.slices.back().end = std::max(lane.slices.back().begin, curves.full[i].time);
        if (curves.full[i].value == 0 || was_full) continue;
        const Time begin = curves.full[i].time;
        lane.slices.push_back(
            {.begin = begin,
             .end = begin,
             .frame = direction.timeline[i].frame,
             .label = label,
             .activity = Activity::wait});
    }
}

/// From each step that was captured to the next one.
void add_setup(Lane& lane, const Connection& connection, Overview& overview) {
    struct Seen {
        FrameStamp step;
        const char* words;
    };
    std::vector<Seen> seen;
    for (const SetupStep& each : setup_steps)
        if (const auto& step = connection.setup.*each.step) seen.push_back({*step, each.words});
    std::ranges::stable_sort(seen, {}, [](const Seen& each) { return each.step.time; });
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const FrameStamp& from = seen[i == 0 ? 0 : i - 1].step;
        const bool declined = connection.decline && connection.decline->frame == seen[i].step.frame;
        lane.slices.push_back(
            {.begin = from.time,
             .end = seen[i].step.time,
             .frame = seen[i].step.frame,
             .label = overview.label(seen[i].words),
             .activity = declined ? Activity::trouble : Activity::setup});
    }
}

void add_exchanges(Lane& lane, const LinkGroup& group, Overview& overview) {
    for (const LlcExchange& exchange : group.exchanges) {
        const FrameStamp& first = exchange.request.frame != 0 || !exchange.reply ? exchange.request : *exchange.reply;
        if (first.frame == 0) continue;
        // A peer with one RNIC refuses a second link, as it should.
        const bool failed = exchange.refused && exchange.type != wire::LlcType::add_link;
        lane.slices.push_back(
            {.begin = first.time,
             .end = exchange.reply ? std::max(first.time, exchange.reply->time) : first.time,
             .frame = first.frame,
             .label = overview.label(llc_name(exchange) + (exchange.refused ? ", refused" : "")),
             .activity = failed ? Activity::trouble : Activity::control,
             .ended = exchange.reply.has_value()});
    }
}

std::string host_of(const std::optional<SocketAddress>& end) { return end ? to_string(end->address) : "?"; }

std::string hosts_of(const Connection& connection) {
    return connection.client || connection.server ? pair_name(host_of(connection.client), host_of(connection.server))
                                                  : "hosts not captured";
}

/// By a connection that tells their addresses, else by their ports.
std::string hosts_of(const LinkGroup& group, const Model& model) {
    for (const std::uint32_t id : group.connections)
        if (const Connection& connection = model.connections[id - 1]; connection.client && connection.server)
            return hosts_of(connection);
    for (const Link& link : group.links) {
        const auto& client = link.end[Side::client].gid;
        const auto& server = link.end[Side::server].gid;
        if (client && server)
            return pair_name(to_string(capture::Address::of(*client)), to_string(capture::Address::of(*server)));
    }
    return "hosts not captured";
}

void add_group(const LinkGroup& group, const Model& model, Overview& overview) {
    Node& node = overview.add(overview.group(Node::none, hosts_of(group, model)), link_group_name(group.id));
    node.about = version_text(group.version, group.release) + " link group, " + counted(group.links.size(), "link");
    node.packets = node.retransmitted = 0;
    for (const Link& link : group.links) {
        *node.packets += link.packets;
        *node.retransmitted += link.retransmissions;
        if (link.state == LinkState::failed && link.packets != 0) {
            node.outcome = "link failed";
            node.troubled = true;
        }
    }
    if (node.outcome.empty()) node.outcome = group.links.empty() ? "" : name_of(group.links.back().state);
    add_exchanges(node.lanes.emplace_back(Lane{.name = "LLC"}), group, overview);
}

void add_connection(const Connection& connection, std::size_t parent, Overview& overview) {
    Node& node = overview.add(parent, connection_name(connection.id));
    node.about = end_text(connection.client) + " > " + end_text(connection.server);
    node.outcome = name_of(connection.outcome);
    node.troubled = connection.outcome == Outcome::failed || connection.outcome == Outcome::fallback ||
                    connection.close == Close::abnormal;
    if (connection.outcome == Outcome::smc_r) node.outcome += std::string(", ") + name_of(connection.close);
    node.first = connection.first_time;
    node.last = connection.last_time;
    node.first_frame = connection.first_frame;
    add_setup(node.lanes.emplace_back(Lane{.name = setup_lane}), connection, overview);
    if (connection.outcome != Outcome::smc_r && connection.outcome != Outcome::unknown) return;
    const bool both_heard = connection.from[Side::client].both_heard();
    if (both_heard) node.octets = 0;
    for (const Side from : sides) {
        if (both_heard) *node.octets += connection.from[from].bytes_written;
        add_operations(
            node.lanes.emplace_back(Lane{.name = direction_name(from)}), connection.from[from], overview.label("data"));
        add_waits(
            node.lanes.emplace_back(Lane{.name = fmt::format("{} waits", name_of(from))}), connection.from[from],
            overview.label("window full"));
    }
}

// ---- memory ----------------------------------------------------------------------------------------

/// Octets [from, to) of the stream, in the RMB element: two accesses where they wrap.
void add_access(Memory& memory, const Direction& direction, Access access, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t base = *direction.cursor_base, room = *memory.size - base;
    from = std::max(from, to - std::min(to, room));
    while (from < to) {
        access.address = base + from % room;
        access.octets = std::min(to - from, room - from % room);
        memory.accesses.push_back(access);
        from += access.octets;
    }
}

Memory memory_of(const Connection& connection, Side from) {
    const Direction& direction = connection.from[from];
    Memory memory{.title = rmb_element_title(from), .size = direction.rmbe_size, .accesses = {}};
    if (!capacity_of(direction) || !direction.positions_known || !direction.from_start) return memory;
    std::uint64_t produced = 0, consumed = 0;
    for (const CursorSample& sample : direction.timeline) {
        Access access{
            .begin = sample.time, .end = sample.time, .frame = sample.frame, .writes = true, .by = name_of(from)};
        add_access(memory, direction, access, produced, sample.produced);
        access.writes = false;
        access.by = name_of(other(from));
        add_access(memory, direction, access, consumed, sample.consumed);
        produced = std::max(produced, sample.produced);
        consumed = std::max(consumed, sample.consumed);
    }
    return memory;
}

}  // namespace

void smcr_overview(const engine::Models& models, Overview& overview) {
    const Model& model = *models.smcr;
    std::vector<std::size_t> groups(model.link_groups.size() + 1, Node::none);
    for (const LinkGroup& group : model.link_groups)
        if (came_to_be(group)) {
            add_group(group, model, overview);
            groups[group.id] = overview.last();
        }
    for (const Connection& connection : model.connections) {
        if (connection.merged) continue;
        const std::size_t group = groups[connection.link_group];
        add_connection(
            connection, group != Node::none ? group : overview.group(Node::none, hosts_of(connection)), overview);
    }
}

std::vector<CurvePanel> smcr_curves(const Connection& connection) {
    std::vector<CurvePanel> panels;
    for (const Side from : sides) {
        CursorCurves curves = curves_of(connection.from[from]);
        if (curves.produced.empty()) continue;
        CurvePanel& panel = panels.emplace_back(CurvePanel{direction_name(from), {}});
        if (!curves.window.empty())
            panel.curves.push_back({"window's end", window_colour, true, std::move(curves.window)});
        panel.curves.push_back({"produced", produced_colour, false, std::move(curves.produced)});
        panel.curves.push_back({"consumed", consumed_colour, false, std::move(curves.consumed)});
    }
    return panels;
}

std::string rmb_element_title(Side from) {
    return fmt::format("RMB element of the {}, written by the {}", name_of(other(from)), name_of(from));
}

std::vector<Memory> smcr_memories(const Connection& connection) {
    std::vector<Memory> memories;
    for (const Side from : sides) memories.push_back(memory_of(connection, from));
    return memories;
}

}  // namespace fabricscope::report
