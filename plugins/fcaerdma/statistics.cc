// SPDX-License-Identifier: GPL-2.0-or-later
// How long messages took (-z fcaerdma,srt), and counts of IUs, statuses and regions (-z fcaerdma,tree).
#include "plugins/common/response_times.h"
#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/summary.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

// ---- response times ------------------------------------------------------------------------------

/// By the command's Read Data bit.
constexpr std::array operations{layout::ValueName{0, "write"}, layout::ValueName{1, "read"}};

void make_response_time_tables(register_srt_t*, GArray* tables) {
    add_response_time_table(tables, {"FC-AE-RDMA", "FC-AE-RDMA", "Operation", "fcaerdma.cntl.read_data", operations});
}

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const auto request_time = first_answered(pinfo, tap);
    const Message* message = tap.record->message(tap.entry.message);
    if (!request_time || message == nullptr) return TAP_PACKET_DONT_REDRAW;
    add_response_time(tables, 0, message->is_read ? 1 : 0, *request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts --------------------------------------------------------------------------------------

constexpr const char* kRoot = "FC-AE-RDMA frames";
int frame_node, message_node, status_node, region_node, rule_node;

void make_nodes(stats_tree* tree) {
    frame_node = stats_tree_create_pivot(tree, kRoot, 0);
    message_node = stats_tree_create_pivot(tree, "Messages begun", 0);
    status_node = stats_tree_create_pivot(tree, "Status codes", 0);
    region_node = stats_tree_create_pivot(tree, "Messages of memory regions", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

void tick_message(stats_tree* tree, const TapData& tap, const Message& message) {
    if (message.command.frame == tap.entry.frame) {
        stats_tree_tick_pivot(tree, message_node, operation_of(message));
        Line region(tap.record->parties(message).target);
        region << " LUN " << message.lun << ", " << operation_of(message);
        stats_tree_tick_pivot(tree, region_node, region.c_str());
    }
    if (!message.status || !message.response || message.response->frame != tap.entry.frame) return;
    const char* name = layout::name_of(fc_ae_rdma::status_names, *message.status);
    stats_tree_tick_pivot(tree, status_node, name != nullptr ? name : "reserved status");
}

tap_packet_status tree_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Message* message = tap.record->message(tap.entry.message);
    if (tap.entry.iu && message != nullptr) {
        Line name(name_of_iu(tap.frame));
        if (tap.entry.repeated) name << ", repeated";
        else tick_message(tree, tap, *message);
        stats_tree_tick_pivot(tree, frame_node, name.c_str());
    }
    for (const FrameNotes::Broken& broken : tap.record->notes().broken_rules(tap.entry.frame))
        stats_tree_tick_pivot(tree, rule_node, broken.rule->id);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_statistics() {
    register_tap(kFrameTap);
    register_srt_table(fields().protocol, kFrameTap, 1, response_time_packet, make_response_time_tables, nullptr);
    stats_tree_register_plugin(kFrameTap, "fcaerdma", "FC-AE-RDMA", 0, tree_packet, make_nodes, nullptr);
}

}  // namespace fabricscope::plugin
