// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wireshark's InfiniBand dissector decodes messages first and hands their private data to whomever it
// likes; ours are added when it is done. So all messages are treated alike, those that it does not know
// and those it gives up on because the capture cut them, and nobody's order of heuristics matters.
#include "plugins/rdma_ip_cm/hooks.h"

#include <memory>

#include "plugins/common/entry_points.h"
#include "plugins/module.h"
#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/show.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

std::unique_ptr<Record> record;
bool writes_columns = true;
int expert_tap, frame_tap;

bool is_enabled() { return proto_is_protocol_enabled(find_protocol_by_id(fields().protocol)) != 0; }

Display display_of(const Visit& visit) {
    const bool details = proto_field_is_referenced(visit.tree, fields().protocol) != 0 ||
                         have_tap_listener(expert_tap) != 0;
    return {visit.pinfo, visit.tree, record.get(), writes_columns, details};
}

void before_frame(const Visit& visit) try {
    if (visit.first) record->on_packet(capture::decode(visit.frame), visit.has_interface_id);
} catch (const std::exception& error) {
    // Out of memory, say: Wireshark still shows what it can by itself.
    ws_warning("fabricscope: frame %u: %s", visit.pinfo->num, error.what());
}

void show(const Visit& visit, const capture::Packet& packet, const FrameFacts& facts) {
    if (!facts.message) return show_traffic(display_of(visit), visit.tvb, facts);
    tvbuff_t* mad = tvb_new_subset_length_caplen(
        visit.tvb, static_cast<int>(packet.ib.payload_offset), static_cast<int>(packet.ib.payload.size()),
        static_cast<int>(packet.ib.payload_length));
    show_message(display_of(visit), mad, packet, facts);
}

void tap(const Visit& visit, const capture::Packet& packet, const FrameFacts& facts) {
    const bool is_copy = facts.frame != visit.pinfo->num;
    if (is_copy || have_tap_listener(frame_tap) == 0) return;
    // Listeners are called when the frame is done.
    static FrameFacts tapped;
    static TapData data;
    tapped = facts;
    data = {record.get(), &tapped, facts.message ? packet.ib.payload : ByteView{}};
    tap_queue_packet(frame_tap, visit.pinfo, &data);
}

void after_frame(const Visit& visit) {
    FrameFacts facts;
    if (!is_enabled() || !record->find_facts(visit.pinfo->num, facts)) return;
    const capture::Packet packet = facts.message ? capture::decode(visit.frame) : capture::Packet{};
    const char* around = visit.pinfo->current_proto;
    visit.pinfo->current_proto = kProtocolName;  // whose expert infos are
    show(visit, packet, facts);
    tap(visit, packet, facts);
    visit.pinfo->current_proto = around;
}

}  // namespace

void install_hooks() {
    frame_tap = find_tap_id(kFrameTap);
    wrap_entry_points({before_frame, after_frame}, infiniband_links());
}

void begin_capture(const engine::rdma_cm::Options& options, bool write_columns) {
    expert_tap = find_tap_id("expert");  // registered after us
    record = std::make_unique<Record>(options);
    writes_columns = write_columns;
    restart_first_visits();
}

void end_capture() { record.reset(); }

const Record* current_record() { return record.get(); }

}  // namespace fabricscope::plugin
