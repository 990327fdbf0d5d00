// SPDX-License-Identifier: GPL-2.0-or-later
// How long answers took (-z fcvi,srt), and counts of IUs, Messages and reasons (-z fcvi,tree).
#include "plugins/common/response_times.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/summary.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

fcvi::DeviceHeader header_of(const TapData& tap) {
    return fcvi::parse_device_header(
        tap.frame.device_header(), tap.frame.header.df_ctl.device_header_octets(), tap.entry.version());
}

// ---- response times ------------------------------------------------------------------------------

enum : unsigned { iso_table, rev_1_0_table };

/// By the response; the versions have other opcodes.
void make_response_time_tables(register_srt_t*, GArray* tables) {
    add_response_time_table(tables, {"FC-VI (ISO)", "ISO", "Response", "fcvi.opcode", fcvi::iso_opcode_names});
    add_response_time_table(
        tables, {"FC-VI (rev 1.0)", "Rev 1.0", "Response", "fcvi.opcode", fcvi::rev_1_0_opcode_names});
}

/// To the first frame of the response.
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const auto request_time = first_answered(pinfo, tap);
    if (!request_time) return TAP_PACKET_DONT_REDRAW;
    add_response_time(tables, tap.entry.iso ? iso_table : rev_1_0_table, header_of(tap).opcode(), *request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts --------------------------------------------------------------------------------------

constexpr const char* kRoot = "FC-VI frames";
int frame_node, message_node, reason_node, connection_node, rule_node;

void make_nodes(stats_tree* tree) {
    frame_node = stats_tree_create_pivot(tree, kRoot, 0);
    message_node = stats_tree_create_pivot(tree, "Messages begun", 0);
    reason_node = stats_tree_create_pivot(tree, "Reasons", 0);
    connection_node = stats_tree_create_pivot(tree, "Frames of connections", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

void tick_iu(stats_tree* tree, const TapData& tap) {
    const fcvi::DeviceHeader header = header_of(tap);
    Line name = tap.entry.readable ? name_of_iu(header) : Line("unreadable");
    if (tap.entry.repeated) name << ", repeated";
    stats_tree_tick_pivot(tree, frame_node, name.c_str());
    if (const fcvi::Status* status = header.status(); status != nullptr && tap.entry.readable)
        stats_tree_tick_pivot(tree, reason_node, fcvi::reason_name(header.version, status->reason));
    const Message* message = tap.record->message(tap.entry.message);
    if (message != nullptr && message->first.frame == tap.entry.frame && !tap.entry.repeated)
        stats_tree_tick_pivot(tree, message_node, name_of(message->operation));
}

tap_packet_status tree_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    if (tap.entry.iu) tick_iu(tree, tap);
    if (tap.entry.connection != 0) {
        Line label("fcvi-");
        label << tap.entry.connection << " from " << name_of(tap.entry.from());
        stats_tree_tick_pivot(tree, connection_node, label.c_str());
    }
    for (const FrameNotes::Broken& broken : tap.record->notes().broken_rules(tap.entry.frame))
        stats_tree_tick_pivot(tree, rule_node, broken.rule->id);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_statistics() {
    register_tap(kFrameTap);
    register_srt_table(fields().protocol, kFrameTap, 1, response_time_packet, make_response_time_tables, nullptr);
    stats_tree_register_plugin(kFrameTap, "fcvi", "FC-VI", 0, tree_packet, make_nodes, nullptr);
}

}  // namespace fabricscope::plugin
