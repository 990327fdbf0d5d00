// SPDX-License-Identifier: GPL-2.0-or-later
// Flow graph: the handshakes as ladders between the hosts (-z flow,rdma_ip_cm,...).
#include "plugins/common/addresses.h"
#include "plugins/common/flow_graph.h"
#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/summary.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

tap_packet_status ladder_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap.facts;
    if (!facts.message) return TAP_PACKET_DONT_REDRAW;
    const rdma_ip_cm::Message message = rdma_ip_cm::parse(tap.mad);
    const Connection* connection = tap.record->connection(facts.connection);
    const Line label = name_of_message(message);
    const Line comment = summary_of({message, tap.mad.size(), connection, ends_of(pinfo, *tap.record, facts)});
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

}  // namespace

void register_ladder() {
    register_flow_graph(fields().protocol, "rdma_ip_cm", "RDMA CM Flows", kFrameTap, ladder_packet);
}

}  // namespace fabricscope::plugin
