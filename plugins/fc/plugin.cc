// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc/plugin.h"

#include "plugins/shell/flow_graph.h"

namespace fabricscope::plugin {

std::optional<capture::Time> first_answered(const FcRecord& record, const packet_info* pinfo, const FcEntry& entry) {
    const FcRecord::Answer answer = record.answer(entry);
    if (answer.request_frame == 0 || record.notes().response(answer.request_frame) != entry.frame) return {};
    return pinfo->abs_ts.secs * capture::second + pinfo->abs_ts.nsecs - answer.elapsed;
}

void add_port_arrow(
    void* graph, packet_info* pinfo, const fc::FrameHeader& header, std::uint32_t conversation, const char* label,
    const Line& comment, bool has_data) {
    const PortAddress source(header.s_id), destination(header.d_id);
    const address from = source.get(), to = destination.get();
    Arrow arrow;
    arrow.from = &from;
    arrow.to = &to;
    arrow.label = label;
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(conversation);
    arrow.width = has_data ? 2 : 1;
    add_arrow(graph, pinfo, arrow);
}

}  // namespace fabricscope::plugin
