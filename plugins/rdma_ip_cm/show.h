// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's RDMA CM content as tree and columns.
#pragma once

#include "capture/packet.h"
#include "plugins/common/wireshark_compat.h"
#include "plugins/rdma_ip_cm/record.h"

namespace fabricscope::plugin {

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
struct Display {
    packet_info* pinfo;
    proto_tree* tree;
    const Record* record;
    bool columns;  ///< whether the columns are ours to write
    bool details;  ///< whether anybody looks at the tree or at expert infos
};

/// A message; `packet` is the frame's, `mad` begins with the MAD.
void show_message(const Display& display, tvbuff_t* mad, const capture::Packet& packet, const FrameFacts& facts);

/// A packet that a connection carries; Wireshark has shown its content.
void show_traffic(const Display& display, tvbuff_t* frame, const FrameFacts& facts);

}  // namespace fabricscope::plugin
