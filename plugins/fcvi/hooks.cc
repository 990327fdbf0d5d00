// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wireshark's Fibre Channel dissector knows nothing of FC-VI: it shows the frame header, and all else as data. IUs are
// added when it is done, over whatever carried the frame.
#include "plugins/fcvi/hooks.h"

#include <memory>

#include "plugins/common/entry_points.h"
#include "plugins/common/fc_frame.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/show.h"
#include "plugins/fcvi/taps.h"
#include "plugins/module.h"

namespace fabricscope::plugin {
namespace {

std::unique_ptr<Record> record;
FcReassemblyPause pause;
int expert_tap, frame_tap;

bool is_enabled() {
    static protocol_t* const protocol = find_protocol_by_id(fields().protocol);
    return proto_is_protocol_enabled(protocol) != 0;
}

/// FC-VI's own frame, in the packet itself.
bool holds_iu(std::span<const FrameEntry> entries) {
    return entries.size() == 1 && entries.front().iu && entries.front().kept == 0;
}

void before_frame(const Visit& visit) try {
    if (visit.first) record->on_packet(capture::decode(visit.frame), visit.has_interface_id);
    if (is_enabled() && holds_iu(record->entries(visit.pinfo->num))) pause.begin();
} catch (const std::exception& error) {
    // Out of memory, say: Wireshark still shows what it can by itself.
    ws_warning("fabricscope: frame %u: %s", visit.pinfo->num, error.what());
}

void tap(const Visit& visit, const FcView& view, const FrameEntry& entry) {
    const bool is_copy = entry.frame != visit.pinfo->num;
    if (is_copy || have_tap_listener(frame_tap) == 0) return;
    // Listeners are called when the frame is done.
    auto* data = wmem_new(visit.pinfo->pool, TapData);
    *data = {record.get(), entry, view.frame};
    tap_queue_packet(frame_tap, visit.pinfo, data);
}

void show(const Visit& visit, std::span<const FrameEntry> entries) {
    const bool details = proto_field_is_referenced(visit.tree, fields().protocol) != 0 ||
                         have_tap_listener(expert_tap) != 0;
    Display display{visit.pinfo, visit.tree, record.get(), details, true};
    if (holds_iu(entries)) hide_data(visit.tree);
    for (const FrameEntry& entry : entries) {
        FcView view;
        if (entry.iu) {
            view = entry.kept != 0 ? view_of_octets(visit, record->kept_octets(entry.kept)) : view_in_packet(visit);
            show_iu(display, view, entry);
        } else {
            show_other(display, visit.tvb, entry);
        }
        display.first = false;
        tap(visit, view, entry);
    }
}

void after_frame(const Visit& visit) {
    pause.end();
    if (!is_enabled()) return;
    const std::span<const FrameEntry> entries = record->entries(visit.pinfo->num);
    if (entries.empty()) return;
    const char* around = visit.pinfo->current_proto;
    visit.pinfo->current_proto = kProtocolName;  // whose expert infos are
    show(visit, entries);
    visit.pinfo->current_proto = around;
}

}  // namespace

void install_hooks() {
    frame_tap = find_tap_id(kFrameTap);
    wrap_entry_points({before_frame, after_frame}, fibre_channel_links());
}

void begin_capture(const engine::fcvi::Options& options) {
    expert_tap = find_tap_id("expert");  // registered after us
    record = std::make_unique<Record>(options);
    restart_first_visits();
}

void end_capture() { record.reset(); }

const Record* current_record() { return record.get(); }

}  // namespace fabricscope::plugin
