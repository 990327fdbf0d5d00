// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA plugin has registered with Wireshark, and what it knows of the capture that is open.
#pragma once

#include "plugins/rdma/record.h"
#include "plugins/shell/plugin.h"
#include "plugins/shell/taps.h"

namespace fabricscope::plugin::rdma {

inline Fields fields;
using Generated = GeneratedName<engine::rdma::generated_fields>;
inline int id_of(Generated name) { return fields.generated[name.index]; }

Plugin& plugin();
/// Of the capture that is open.
const Record& record();

/// The frame's sender and receiver, as rdma.source and rdma.destination have them.
Ends ends_of(const FrameFacts& facts);

/// What listeners are given of a frame.
struct Tap : TapFrame {
    FrameFacts facts;
    const ib::OpcodeInfo* opcode;
    ByteView payload;
};

// ---- for the description: flow graph, statistics, Follow (taps.cc) -------------------------------

extern const std::array<ResponseTimeTable, 1> response_times;
extern const Follower follower;

/// The CM connection that set the frame's stream up, as far as the frames seen until now tell; 0: none is known.
std::uint32_t cm_connection_of(std::uint32_t frame);

char* filter_for_stream(unsigned stream, unsigned);
std::uint32_t stream_of(std::uint32_t frame);
tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t);
void make_counts(stats_tree* tree);
tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t);

}  // namespace fabricscope::plugin::rdma
