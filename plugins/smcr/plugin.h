// SPDX-License-Identifier: GPL-2.0-or-later
// What the SMC-R plugin has registered with Wireshark, and what it knows of the capture that is open.
#pragma once

#include "analyzer/engine/smcr/generated_fields.h"
#include "plugins/shell/plugin.h"
#include "plugins/shell/taps.h"
#include "plugins/smcr/record.h"
#include "plugins/smcr/streams.h"

namespace fabricscope::plugin::smcr {

using engine::smcr::Side;

inline Fields fields;
inline expert_field rfc_add_link = EI_INIT;
using Generated = GeneratedName<engine::smcr::generated_fields>;
inline int id_of(Generated name) { return fields.generated[name.index]; }

Plugin& plugin();
/// Of the capture that is open.
const Record& record();

/// The frame's sender and receiver, as smcr.source and smcr.destination have them; none for a frame of no
/// connection.
Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts);

/// What listeners are given of a frame.
struct Tap : TapFrame {
    FrameFacts facts;
    ByteView message;  ///< llc, cdc: as far as captured
};

/// What listeners of the taps for streams are given, with a frame of the connection.
struct StreamTap {
    std::uint32_t connection;
    Side from;  ///< who sent the frame
    const StreamReader::Pieces* pieces;
};

// ---- for the description: follow, export, flow graph, statistics (taps.cc) -----------------------

/// The number of the frame's connection, 0 if it has none.
std::uint32_t connection_of(std::uint32_t frame);
/// To be freed.
char* filter_for_connection(unsigned number, unsigned sub_stream = 0);
extern const Follower follower;
extern const std::array<ResponseTimeTable, 2> response_times;

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
/// The objects of the latest pass over the capture are as complete as they ever get.
void begin_export();
tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void make_counts(stats_tree* tree);
tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t);

}  // namespace fabricscope::plugin::smcr
