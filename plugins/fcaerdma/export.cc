// SPDX-License-Identifier: GPL-2.0-or-later
// Export Objects: the data of each message, and each memory region as messages have read and written it (tshark
// --export-objects fcaerdma,DIR).
#include "plugins/common/export_objects.h"
#include "plugins/common/line.h"
#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/summary.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

ExportObjects objects;

constexpr std::uint64_t region_mark = 1ULL << 63;  ///< in keys; ids of messages do not get there

void export_message(void* list, packet_info* pinfo, const TapData& tap, const Message& message) {
    const Assembly* assembly = finished_message(tap);
    if (assembly == nullptr) return;
    Line file("fc-ae-rdma-");
    file << message.id << "-" << operation_of(message) << ".bin";
    const char* target = tap.record->parties(message).target.c_str();
    objects.append(
        {list, message.id}, pinfo->num, {.host = target, .file = file.c_str()}, assembly->octets(pinfo->pool));
}

/// What was read tells of the region as well as what was written: the latest counts.
void export_region(void* list, packet_info* pinfo, const TapData& tap, const Message& message) {
    if (tap.entry.repeated || tap.frame.header.r_ctl != static_cast<std::uint8_t>(fc_ae_rdma::Iu::data)) return;
    const std::uint64_t key = region_mark | std::uint64_t{message.target.fabric} << 32 |
                              std::uint64_t{message.target.id} << 8 | message.lun;
    const std::string& target = tap.record->parties(message).target;
    Line file("region ");
    file << target << " LUN " << message.lun << ".bin";
    objects.put(
        {list, key}, pinfo->num, {.host = target.c_str(), .file = file.c_str()},
        message.base_address + tap.entry.offset, tap.frame.payload);
}

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Message* message = tap.record->message(tap.entry.message);
    if (!tap.entry.iu || message == nullptr) return TAP_PACKET_DONT_REDRAW;
    export_region(list, pinfo, tap, *message);
    export_message(list, pinfo, tap, *message);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_export() {
    register_export_object(fields().protocol, export_packet, [] { objects.forget(); });
}

}  // namespace fabricscope::plugin
