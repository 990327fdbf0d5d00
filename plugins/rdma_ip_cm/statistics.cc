// SPDX-License-Identifier: GPL-2.0-or-later
// How long answers took (-z rdma_ip_cm,srt), and counts of messages and rejections (-z rdma_ip_cm,tree).
#include "plugins/common/response_times.h"
#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/summary.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

// ---- response times ------------------------------------------------------------------------------

/// By the answer: a REQ may be answered by MRA, REP or REJ, which take differently long.
void make_response_time_tables(register_srt_t*, GArray* tables) {
    add_response_time_table(
        tables, {"RDMA CM answers", "CM", "Answer", "rdma_ip_cm.mad.attribute_id", ib::cm_attribute_names});
}

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto* tap = static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap->facts;
    if (!facts.message || facts.request_frame == 0 || facts.retransmission) return TAP_PACKET_DONT_REDRAW;
    const auto attribute = static_cast<unsigned>(tap->record->attribute(facts.frame));
    add_response_time(tables, 0, attribute, facts.request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts --------------------------------------------------------------------------------------

constexpr const char* kRoot = "RDMA CM messages";
constexpr const char* kTraffic = "Packets of connections";
int message_node, rejection_node, traffic_node, rule_node;

void make_nodes(stats_tree* tree) {
    message_node = stats_tree_create_pivot(tree, kRoot, 0);
    rejection_node = stats_tree_create_pivot(tree, "Rejections", 0);
    traffic_node = stats_tree_create_pivot(tree, kTraffic, 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

void tick_message(stats_tree* tree, const TapData& tap) {
    const rdma_ip_cm::Message message = rdma_ip_cm::parse(tap.mad);
    Line label = name_of_message(message);
    if (tap.facts->retransmission) label << ", sent again";
    stats_tree_tick_pivot(tree, message_node, label.c_str());
    const Connection* connection = tap.record->connection(tap.facts->connection);
    if (connection == nullptr || !connection->reject || connection->reject->frame != tap.facts->frame) return;
    stats_tree_tick_pivot(tree, rejection_node, rejection_of(*connection).c_str());
}

tap_packet_status tree_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto* tap = static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap->facts;
    if (facts.message) {
        tick_message(tree, *tap);
    } else if (facts.connection != 0) {
        Line label("cm-");
        label << facts.connection << " from " << name_of(facts.from);
        stats_tree_tick_pivot(tree, traffic_node, label.c_str());
    }
    for (const FrameNotes::Broken& broken : tap->record->notes().broken_rules(facts.frame))
        stats_tree_tick_pivot(tree, rule_node, broken.rule->id);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_statistics() {
    register_tap(kFrameTap);
    register_srt_table(fields().protocol, kFrameTap, 1, response_time_packet, make_response_time_tables, nullptr);
    stats_tree_register_plugin(kFrameTap, "rdma_ip_cm", "RDMA CM", 0, tree_packet, make_nodes, nullptr);
}

}  // namespace fabricscope::plugin
