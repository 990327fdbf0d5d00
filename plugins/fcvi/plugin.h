// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-VI plugin has registered with Wireshark, and what it knows of the capture that is open.
#pragma once

#include "analyzer/engine/fcvi/generated_fields.h"
#include "plugins/fc/plugin.h"
#include "plugins/fcvi/record.h"

namespace fabricscope::plugin::fcvi {

inline Fields fields;
inline expert_field rejected = EI_INIT;
inline expert_field failed = EI_INIT;
inline int segments_subtree = -1;
inline int other_subtree = -1;  ///< of a frame that is not FC-VI's, but concerns one of its Exchanges
using Generated = GeneratedName<engine::fcvi::generated_fields>;
inline int id_of(Generated name) { return fields.generated[name.index]; }

FcPlugin<Record>& plugin();

/// The frame's sender and receiver, as fcvi.source and fcvi.destination have them; none for a frame of no connection.
Ends ends_of(const Record& record, const FrameEntry& entry);

// ---- for the description: follow, export, flow graph, statistics (taps.cc) -----------------------

/// Number of the frame's connection; 0 = none
std::uint32_t connection_of(std::uint32_t frame);
/// To be freed.
char* filter_for_connection(unsigned number, unsigned sub_stream = 0);
extern const Follower follower;
extern const std::array<ResponseTimeTable, 2> response_times;

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void forget_exports();
tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void make_counts(stats_tree* tree);
tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t);

}  // namespace fabricscope::plugin::fcvi
