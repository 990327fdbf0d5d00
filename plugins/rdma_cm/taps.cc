// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z show of RDMA CM: response times, counts, flow graph.
#include "analyzer/info/rdma_cm.h"
#include "plugins/rdma_cm/plugin.h"
#include "plugins/shell/addresses.h"
#include "plugins/shell/flow_graph.h"

namespace fabricscope::plugin::rdma_cm {

// ---- how long answers took (-z rdma_ip_cm,srt) ---------------------------------------------------

/// By the answer: a REQ may be answered by MRA, REP or REJ, which take differently long.
const std::array<ResponseTimeTable, 1> response_times{
    {{"RDMA CM answers", "CM", "Answer", "rdma_ip_cm.mad.attribute_id", ib::cm_attribute_names}}};

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const FrameFacts& facts = tapped<Tap>(data).facts;
    if (!facts.message || facts.request_frame == 0 || facts.retransmission) return TAP_PACKET_DONT_REDRAW;
    const auto attribute = static_cast<unsigned>(record().attribute(facts.frame));
    add_response_time(tables, 0, attribute, facts.request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts (-z rdma_ip_cm,tree) -----------------------------------------------------------------

namespace {

using info::rdma_cm::name_of_message;
using info::rdma_cm::rejection_of;
using info::rdma_cm::summary_of;

int message_node, rejection_node, traffic_node, rule_node;

void tick_message(stats_tree* tree, const Tap& tap) {
    const wire::Message message = wire::parse(tap.mad);
    Line label = name_of_message(message);
    if (tap.facts.retransmission) label << ", retransmitted";
    stats_tree_tick_pivot(tree, message_node, label.c_str());
    const Connection* connection = record().connection(tap.facts.connection);
    if (connection == nullptr || !connection->reject || connection->reject->frame != tap.facts.frame) return;
    stats_tree_tick_pivot(tree, rejection_node, rejection_of(*connection).c_str());
}

}  // namespace

void make_counts(stats_tree* tree) {
    message_node = stats_tree_create_pivot(tree, "RDMA CM messages", 0);
    rejection_node = stats_tree_create_pivot(tree, "Rejections", 0);
    traffic_node = stats_tree_create_pivot(tree, "Packets of connections", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    if (tap.facts.message) {
        tick_message(tree, tap);
    } else if (tap.facts.connection != 0) {
        Line label("cm-");
        label << tap.facts.connection << " from " << name_of(tap.facts.from);
        stats_tree_tick_pivot(tree, traffic_node, label.c_str());
    }
    tick_findings(tree, rule_node, tap);
    return TAP_PACKET_REDRAW;
}

// ---- flow graph: the handshakes as ladders between the hosts (-z flow,rdma_ip_cm,...) ------------

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    if (!facts.message) return TAP_PACKET_DONT_REDRAW;
    const wire::Message message = wire::parse(tap.mad);
    const Connection* connection = record().connection(facts.connection);
    const Line label = name_of_message(message);
    const Line comment = summary_of({message, tap.mad.size(), connection, tap.ends.source, tap.ends.destination});
    Arrow arrow;
    address from = ADDRESS_INIT_NONE;
    address to = ADDRESS_INIT_NONE;
    if (connection != nullptr && connection->client && connection->server) {
        const engine::PerSide<const engine::SocketAddress*> sockets{{&*connection->client, &*connection->server}};
        from = address_of(sockets[facts.from]->address);
        to = address_of(sockets[other(facts.from)]->address);
        arrow.from = &from;
        arrow.to = &to;
    }
    arrow.label = label.c_str();
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(facts.connection);
    add_arrow(graph, pinfo, arrow);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace fabricscope::plugin::rdma_cm
