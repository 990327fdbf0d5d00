// SPDX-License-Identifier: GPL-2.0-or-later
// Flow graph: messages as a ladder between the ports (-z flow,fcaerdma,...); data IUs with the frame that ends them.
#include "plugins/common/flow_graph.h"
#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/summary.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

tap_packet_status ladder_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Message* message = tap.record->message(tap.entry.message);
    if (!tap.entry.iu || message == nullptr || !tap.frame.header.f_ctl.end_sequence) return TAP_PACKET_DONT_REDRAW;
    const Line comment = summary_of(tap.entry, tap.frame, *message);
    const PortAddress source(tap.frame.header.s_id), destination(tap.frame.header.d_id);
    const address from = source.get(), to = destination.get();
    Arrow arrow;
    arrow.from = &from;
    arrow.to = &to;
    arrow.label = name_of_iu(tap.frame);
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(message->id);
    arrow.width = tap.frame.header.r_ctl == static_cast<std::uint8_t>(fc_ae_rdma::Iu::data) ? 2 : 1;
    add_arrow(graph, pinfo, arrow);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

void register_ladder() {
    register_flow_graph(fields().protocol, "fcaerdma", "FC-AE-RDMA Flows", kFrameTap, ladder_packet);
}

}  // namespace fabricscope::plugin
