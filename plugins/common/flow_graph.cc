// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/flow_graph.h"

#include "plugins/common/sequence_analysis.h"

namespace fabricscope::plugin {
namespace {

void replace_address(address& place, const address* with) {
    if (with == nullptr) return;
    free_address(&place);
    copy_address(&place, with);
}

}  // namespace

void add_arrow(void* graph, packet_info* pinfo, const Arrow& arrow) {
    auto* info = static_cast<_seq_analysis_info*>(graph);
    _seq_analysis_item* item = sequence_analysis_create_sai_with_addresses(pinfo, info);
    if (item == nullptr) return;
    replace_address(item->src_addr, arrow.from);
    replace_address(item->dst_addr, arrow.to);
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
