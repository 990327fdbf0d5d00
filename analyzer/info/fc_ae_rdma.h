// SPDX-License-Identifier: GPL-2.0-or-later
// One line about an IU's frame, for Wireshark's Info column, the head of its tree, and the viewer.
#pragma once

#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/info/line.h"
#include "protocols/fc/frame.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"

namespace fabricscope::info::fc_ae_rdma {

namespace wire = fabricscope::fc_ae_rdma;
using engine::fc_ae_rdma::Message;

/// "FCP_CMND fc-ae-rdma-1 write LUN 4, 9000 bytes, 0x1000-0x3327"
/// "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 0-2047 of 9000, 0x1000-0x17ff"
/// "FCP_RSP fc-ae-rdma-1 write LUN 4: BUFFER OVERRUN (0x5d)"
/// `repeated`: its data were seen before.
Line summary_of(const fc::Frame& frame, const Message& message, bool repeated);

/// "FCP_CMND"
const char* name_of_iu(const fc::Frame& frame);

}  // namespace fabricscope::info::fc_ae_rdma
