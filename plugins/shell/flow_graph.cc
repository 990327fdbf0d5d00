// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/flow_graph.h"

#include "plugins/shell/sequence_analysis.h"

namespace fabricscope::plugin {
namespace {

/// Wireshark takes an arrow's ends from the packet, which has no network addresses on Fibre Channel.
_seq_analysis_item* make_item(packet_info* pinfo, _seq_analysis_info* info, const Arrow& arrow) {
    if (arrow.from == nullptr) return sequence_analysis_create_sai_with_addresses(pinfo, info);
    const address addresses[] = {pinfo->net_src, pinfo->net_dst, pinfo->src, pinfo->dst};
    pinfo->net_src = pinfo->src = *arrow.from;
    pinfo->net_dst = pinfo->dst = *arrow.to;
    _seq_analysis_item* item = sequence_analysis_create_sai_with_addresses(pinfo, info);
    pinfo->net_src = addresses[0];
    pinfo->net_dst = addresses[1];
    pinfo->src = addresses[2];
    pinfo->dst = addresses[3];
    return item;
}

}  // namespace

void add_arrow(void* graph, packet_info* pinfo, const Arrow& arrow) {
    auto* info = static_cast<_seq_analysis_info*>(graph);
    _seq_analysis_item* item = make_item(pinfo, info, arrow);
    if (item == nullptr) return;
    item->frame_number = pinfo->num;
    item->frame_label = g_strdup(arrow.label);
    item->comment = g_strdup(arrow.comment);
    item->conv_num = arrow.conversation;
    item->line_style = arrow.width;
    item->display = true;
    sequence_analysis_use_color_filter(pinfo, item);
    g_queue_push_tail(info->items, item);
}

void register_flow_graph(int protocol, const char* name, const char* label, const char* tap, tap_packet_cb handler) {
    register_seq_analysis(name, label, protocol, tap, 0, handler);
}

}  // namespace fabricscope::plugin
