// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's FC-AE-RDMA content as tree and columns, behind what Wireshark's FCP and SCSI dissectors have shown.
#pragma once

#include "plugins/fc/show.h"
#include "plugins/fc_ae_rdma/plugin.h"

namespace fabricscope::plugin::fc_ae_rdma {

/// A frame of an IU; whether the columns are ours to write, or those of Wireshark's FCP dissector stay.
void show_iu(
    const Display& display, const Record& record, const FcView& view, const FrameEntry& entry, bool with_columns);

/// A frame that concerns a message's Exchange, or only breaks a rule.
void show_other(const Display& display, const Record& record, tvbuff_t* packet, const FrameEntry& entry);

}  // namespace fabricscope::plugin::fc_ae_rdma
