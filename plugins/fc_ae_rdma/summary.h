// SPDX-License-Identifier: GPL-2.0-or-later
// One line about an IU's frame, for the Info column and the head of its tree.
#pragma once

#include "plugins/fc_ae_rdma/record.h"
#include "plugins/shell/line.h"
#include "protocols/fc/frame.h"

namespace fabricscope::plugin::fc_ae_rdma {

/// "FCP_CMND fc-ae-rdma-1 write LUN 4, 9000 bytes, 0x1000-0x3327"
/// "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 0-2047 of 9000, 0x1000-0x17ff"
/// "FCP_RSP fc-ae-rdma-1 write LUN 4: BUFFER OVERRUN (0x5d)"
Line summary_of(const FrameEntry& entry, const fc::Frame& frame, const Message& message);

/// "FCP_CMND"
const char* name_of_iu(const fc::Frame& frame);

}  // namespace fabricscope::plugin::fc_ae_rdma
