// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-AE-RDMA plugin has registered with Wireshark, and what it knows of the capture that is open.
#pragma once

#include "analyzer/engine/fc_ae_rdma/generated_fields.h"
#include "plugins/fc/plugin.h"
#include "plugins/fc_ae_rdma/record.h"

namespace fabricscope::plugin::fc_ae_rdma {

inline Fields fields;
inline expert_field failed = EI_INIT;
inline int segments_subtree = -1;
inline int other_subtree = -1;  ///< of a frame that is not FCP's, but concerns the message's Exchange
using Generated = GeneratedName<engine::fc_ae_rdma::generated_fields>;
inline int id_of(Generated name) { return fields.generated[name.index]; }

FcPlugin<Record>& plugin();

/// The frame's sender and receiver, as fcaerdma.source and fcaerdma.destination have them; none for a frame of no
/// message.
Ends ends_of(const Record& record, const FrameEntry& entry);

// ---- for the description: export, flow graph, statistics (taps.cc) -------------------------------

extern const std::array<ResponseTimeTable, 1> response_times;

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void forget_exports();
tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void make_counts(stats_tree* tree);
tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t);

}  // namespace fabricscope::plugin::fc_ae_rdma
