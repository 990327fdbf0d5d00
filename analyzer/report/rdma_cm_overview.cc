// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "analyzer/report/rdma_cm_report.h"
#include "protocols/ib/cm.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;

std::string host_of(const Connection& connection, Side side) {
    const auto& socket = side == Side::client ? connection.client : connection.server;
    return to_string(socket ? socket->address : connection.end[side].address);
}

/// From a message to the one that answers it; a message that answers nothing is a moment.
void add_messages(Lane& lane, const Connection& connection, Overview& overview) {
    for (const MessageSeen& message : connection.messages) {
        const char* const name = layout::name_of(ib::cm_attribute_names, static_cast<std::uint16_t>(message.attribute));
        const bool answers = message.request_frame != 0 && !message.repeated && message.request_time <= message.time;
        const bool refuses = connection.reject && connection.reject->frame == message.frame;
        lane.slices.push_back(
            {.begin = answers ? message.request_time : message.time,
             .end = message.time,
             .frame = message.frame,
             .label = overview.label(
                 fmt::format("{}{}", name != nullptr ? name : "?", message.repeated ? " again" : "")),
             .activity = refuses ? Activity::trouble : Activity::setup});
    }
}

void add_traffic(Node& node, const Connection& connection, Side from, Overview& overview) {
    const Traffic& traffic = connection.from[from];
    node.octets = node.octets.value_or(0) + traffic.bytes;
    node.packets = node.packets.value_or(0) + traffic.packets;
    node.retransmitted = node.retransmitted.value_or(0) + traffic.retransmissions;
    if (!traffic.first || !traffic.last) return;
    Lane& lane = node.lanes.emplace_back(Lane{.name = direction_name(from)});
    lane.slices.push_back(
        {.begin = *traffic.first,
         .end = *traffic.last,
         .frame = traffic.first_frame,
         .octets = traffic.bytes,
         .label = overview.label("traffic"),
         .activity = Activity::span});
}

}  // namespace

void rdma_cm_overview(const engine::Models& models, Overview& overview) {
    for (const Connection& connection : models.rdma_cm->connections) {
        if (connection.merged) continue;
        const std::size_t hosts = overview.group(
            Node::none, pair_name(host_of(connection, Side::client), host_of(connection, Side::server)));
        Node& node = overview.add(hosts, cm_connection_name(connection.id));
        node.about = end_text(connection, Side::client) + " > " + end_text(connection, Side::server);
        node.outcome = name_of(connection.outcome);
        node.troubled = connection.outcome == Outcome::rejected || connection.outcome == Outcome::timeout;
        add_messages(node.lanes.emplace_back(Lane{.name = setup_lane}), connection, overview);
        for (const Side from : {Side::client, Side::server}) add_traffic(node, connection, from, overview);
    }
}

}  // namespace fabricscope::report
