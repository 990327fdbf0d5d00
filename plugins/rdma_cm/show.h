// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's RDMA CM content as tree and columns.
#pragma once

#include "plugins/rdma_cm/plugin.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin::rdma_cm {

/// A message; `packet` is the frame's, `mad` begins with the MAD. Whether the columns are ours to write.
void show_message(
    const Display& display, const Record& record, tvbuff_t* mad, const capture::Packet& packet, const FrameFacts& facts,
    bool with_columns);

/// A packet that a connection carries; Wireshark has shown its content.
void show_traffic(const Display& display, const Record& record, tvbuff_t* frame, const FrameFacts& facts);

}  // namespace fabricscope::plugin::rdma_cm
