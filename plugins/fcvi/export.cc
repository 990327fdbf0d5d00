// SPDX-License-Identifier: GPL-2.0-or-later
// Export Objects: the data of each Message as a file (tshark --export-objects fcvi,DIR).
#include "plugins/common/export_objects.h"
#include "plugins/common/line.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

ExportObjects objects;

const char* operation_text(const Message& message) {
    switch (message.operation) {
        case engine::fcvi::Operation::send: break;
        case engine::fcvi::Operation::write: return "write";
        case engine::fcvi::Operation::read: return "read";
    }
    return "send";
}

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Assembly* assembly = finished_message(tap);
    if (assembly == nullptr) return TAP_PACKET_DONT_REDRAW;
    const Message& message = *tap.record->message(tap.entry.message);
    Line file("fcvi-");
    file << message.connection << "-message-" << message.id << "-" << operation_text(message) << ".bin";
    const Ends ends = ends_of(*tap.record, tap.entry);
    objects.append(
        {list, message.id}, pinfo->num, {.host = ends.source, .file = file.c_str()}, assembly->octets(pinfo->pool));
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_export() {
    register_export_object(fields().protocol, export_packet, [] { objects.forget(); });
}

}  // namespace fabricscope::plugin
