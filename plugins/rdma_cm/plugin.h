// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA CM plugin has registered with Wireshark, and what it knows of the capture that is open.
#pragma once

#include <optional>

#include "analyzer/engine/rdma_cm/generated_fields.h"
#include "plugins/rdma_cm/record.h"
#include "plugins/shell/plugin.h"
#include "plugins/shell/taps.h"

namespace fabricscope::plugin::rdma_cm {

inline Fields fields;
inline expert_field rejected = EI_INIT;
inline int traffic_subtree = -1;  ///< of a packet that a connection carries
using Generated = GeneratedName<engine::rdma_cm::generated_fields>;
inline int id_of(Generated name) { return fields.generated[name.index]; }

Plugin& plugin();
/// Of the capture that is open.
const Record& record();
/// What the frame's connection is for, if it has one whose request was captured.
std::optional<std::uint64_t> service_id_of(std::uint32_t frame);

/// The frame's sender and receiver, as rdma_ip_cm.source and rdma_ip_cm.destination have them; none for a
/// frame of no connection.
Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts);

/// What listeners are given of a frame.
struct Tap : TapFrame {
    FrameFacts facts;
    ByteView mad;  ///< of a message, as far as captured
};

// ---- for the description: flow graph, statistics (taps.cc) ---------------------------------------

extern const std::array<ResponseTimeTable, 1> response_times;

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void make_counts(stats_tree* tree);
tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t);

}  // namespace fabricscope::plugin::rdma_cm
