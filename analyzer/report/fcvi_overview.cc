// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/fcvi_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;

/// From each step that was captured to the next one.
void add_steps(
    Lane& lane, const std::vector<std::pair<const char*, std::optional<FrameStamp>>>& steps, Activity activity,
    Overview& overview) {
    std::optional<FrameStamp> before;
    for (const auto& [name, step] : steps) {
        if (!step) continue;
        lane.slices.push_back(
            {.begin = before && before->time < step->time ? before->time : step->time,
             .end = step->time,
             .frame = step->frame,
             .label = overview.label(name),
             .activity = activity});
        before = step;
    }
}

void add_setups(Lane& lane, const Connection& connection, Overview& overview) {
    for (const Setup& setup : connection.setups)
        add_steps(
            lane,
            {{"CONNECT_RQST", setup.rqst},
             {"CONNECT_RESP1", setup.resp1},
             {"CONNECT_RESP2", setup.resp2},
             {"CONNECT_RESP3", setup.resp3},
             {"ABTS", setup.abts}},
            setup.status ? Activity::trouble : Activity::setup, overview);
    for (const Disconnect& disconnect : connection.disconnects)
        add_steps(
            lane, {{"DISCONNECT_RQST", disconnect.rqst}, {"DISCONNECT_RESP", disconnect.resp}}, Activity::setup,
            overview);
}

Slice slice_of(const Message& message, Overview& overview) {
    const std::optional<FrameStamp>& end = message.response_end ? message.response_end : message.response;
    const bool failed = message.state == MessageState::failed || message.state == MessageState::aborted;
    return {
        .begin = message.first.time,
        .end = std::max(message.first.time, end ? end->time : message.last),
        .frame = message.first.frame,
        .octets = message.bytes,
        .label = overview.label(name_of(message.operation)),
        .activity = failed ? Activity::trouble : Activity::operation,
        .ended = message.state == MessageState::complete};
}

Node& add_connection(const Connection& connection, Overview& overview) {
    const auto& end = connection.end;
    const std::size_t ports = overview.group(
        Node::none, pair_name(to_string(end[Side::client].port), to_string(end[Side::server].port)));
    Node& node = overview.add(ports, fcvi_connection_name(connection.id));
    node.about = end_text(end[Side::client]) + " > " + end_text(end[Side::server]);
    const char* const close = close_of(connection);
    node.outcome = fmt::format("{}{}{}", name_of(connection.outcome), close != nullptr ? ", " : "", close ? close : "");
    node.troubled = connection.outcome == Outcome::rejected || connection.outcome == Outcome::aborted;
    node.octets = node.packets = node.retransmitted = 0;
    for (const Traffic& traffic : connection.from.values) {
        *node.octets += traffic.bytes;
        *node.packets += traffic.frames;
        *node.retransmitted += traffic.repeated_frames;
    }
    node.first = connection.first_time;
    node.last = connection.last_time;
    node.first_frame = connection.first_frame;
    add_setups(node.lanes.emplace_back(Lane{.name = setup_lane}), connection, overview);
    for (const Side from : {Side::client, Side::server}) node.lanes.push_back({.name = direction_name(from)});
    return node;
}

}  // namespace

void fcvi_overview(const engine::Models& models, Overview& overview) {
    std::vector<Node*> nodes;
    for (const Connection& connection : models.fcvi->connections)
        nodes.push_back(&add_connection(connection, overview));
    for (const Message& message : models.fcvi->messages)
        if (message.connection != 0 && message.connection <= nodes.size())
            nodes[message.connection - 1]->lanes[1 + static_cast<std::size_t>(message.from)].slices.push_back(
                slice_of(message, overview));
}

std::string fcvi_memory_title(Side owner) { return fmt::format("Memory of the {}", name_of(owner)); }

std::vector<Memory> fcvi_memories(const engine::fcvi::Model& model, std::size_t index) {
    const std::uint32_t id = model.connections[index].id;
    std::vector<Memory> memories;
    for (const Side owner : {Side::client, Side::server}) {
        Memory memory{.title = fcvi_memory_title(owner), .size = {}, .accesses = {}};
        for (const Message& message : model.messages) {
            if (message.connection != id || message.from == owner || !message.rmt_va || message.bytes == 0) continue;
            memory.accesses.push_back(
                {.begin = message.first.time,
                 .end = std::max(message.first.time, message.last),
                 .address = *message.rmt_va,
                 .octets = message.bytes,
                 .frame = message.first.frame,
                 .writes = !message.reads(),
                 .by = name_of(message.from)});
        }
        if (!memory.accesses.empty()) memories.push_back(std::move(memory));
    }
    return memories;
}

}  // namespace fabricscope::report
