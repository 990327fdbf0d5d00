// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's FC-AE-RDMA content as tree and columns, behind what Wireshark's FCP and SCSI dissectors have shown.
#pragma once

#include "plugins/common/fc_hooks.h"
#include "plugins/fcaerdma/record.h"

namespace fabricscope::plugin {

using Display = FcDisplay<Record>;

/// Whether the columns are ours to write, or those of Wireshark's FCP dissector stay.
void set_writes_columns(bool writes);

/// A frame of an IU.
void show_iu(const Display& display, const FcView& view, const FrameEntry& entry);

/// A frame that concerns a message's Exchange, or only breaks a rule.
void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry);

}  // namespace fabricscope::plugin
