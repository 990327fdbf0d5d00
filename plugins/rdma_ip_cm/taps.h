// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z are fed with.
#pragma once

#include "plugins/common/generated.h"
#include "plugins/rdma_ip_cm/record.h"

namespace fabricscope::plugin {

/// What listeners are given of a frame. Copies of frames are left out.
struct TapData {
    const Record* record;
    const FrameFacts* facts;
    ByteView mad;  ///< of a message, as far as captured
};

constexpr const char* kFrameTap = "rdma_ip_cm";

/// The frame's sender and receiver, as rdma_ip_cm.source and rdma_ip_cm.destination have them; none for a
/// frame of no connection.
Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts);

/// Once each, when the protocol is registered.
void register_conversations();
void register_statistics();
void register_ladder();
void register_menu();

}  // namespace fabricscope::plugin
