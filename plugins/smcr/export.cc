// SPDX-License-Identifier: GPL-2.0-or-later
// Export Objects: each direction of each connection as a file (tshark --export-objects smcr,DIR).
#include "plugins/common/export_objects.h"
#include "plugins/common/line.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/taps.h"

namespace fabricscope::plugin {
namespace {

using engine::smcr::Side;

ExportObjects objects;

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const StreamTapData*>(data);
    const Record::Parties& parties = tap.record->parties(tap.connection);
    for (const StreamReader::Piece& piece : *tap.pieces) {
        const std::uint64_t key = std::uint64_t{tap.connection} << 1 | (piece.from == Side::server ? 1 : 0);
        Line file("smcr-");
        file << tap.connection << "-from-" << name_of(piece.from) << ".bin";
        const char* host = parties.text[piece.from].c_str();
        objects.append({list, key}, pinfo->num, {.host = host, .file = file.c_str()}, piece.octets);
    }
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_export() { register_export_object(fields().protocol, export_packet, begin_export); }

void begin_export() { objects.forget(); }

}  // namespace fabricscope::plugin
