// SPDX-License-Identifier: GPL-2.0-or-later
// Flow graph: IUs as a ladder between the ports (-z flow,fcvi,...), each with the frame that ends it.
#include "plugins/common/flow_graph.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/summary.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

tap_packet_status ladder_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    if (!tap.entry.iu || !tap.frame.header.f_ctl.end_sequence) return TAP_PACKET_DONT_REDRAW;
    const fcvi::DeviceHeader header = fcvi::parse_device_header(
        tap.frame.device_header(), tap.frame.header.df_ctl.device_header_octets(), tap.entry.version());
    const Line label = name_of_iu(header);
    const Line comment = summary_of(
        {tap.entry, tap.frame, header, nullptr, tap.record->connection(tap.entry.connection),
         tap.record->message(tap.entry.message)});
    const PortAddress source(tap.frame.header.s_id), destination(tap.frame.header.d_id);
    const address from = source.get(), to = destination.get();
    Arrow arrow;
    arrow.from = &from;
    arrow.to = &to;
    arrow.label = label.c_str();
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(tap.entry.connection);
    arrow.width = tap.frame.payload_length != 0 ? 2 : 1;
    add_arrow(graph, pinfo, arrow);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

void register_ladder() { register_flow_graph(fields().protocol, "fcvi", "FC-VI Flows", kFrameTap, ladder_packet); }

}  // namespace fabricscope::plugin
