// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a message, for Wireshark's Info column, the head of its tree, and the viewer.
#pragma once

#include "analyzer/engine/smcr/observer.h"
#include "analyzer/info/line.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"

namespace fabricscope::info::smcr {

namespace wire = fabricscope::smcr;
using engine::smcr::FrameFacts;

/// "CLC DECLINE (v1), no SMC device found"
Line summary_of(const wire::ClcMessage& message);
/// "LLC CONFIRM LINK request, link 1"
Line summary_of(const wire::LlcMessage& message, const FrameFacts& facts);
/// "CDC smcr-1 client→server produced 1234 (+100) consumed +50 [B]"
Line summary_of(const wire::Cdc& cdc, const FrameFacts& facts);
/// "RDMA WRITE smcr-1 client→server RMBE offset 0, 100 bytes"
Line summary_of_write(const FrameFacts& facts);
/// "CLC message, 12 bytes of it completed in frame 7"; `completion` 0: nothing of where.
Line summary_of_clc_part(std::uint32_t octets, std::uint64_t completion = 0);
/// "Part of a longer message, link 1"
Line summary_of_part(const FrameFacts& facts);

}  // namespace fabricscope::info::smcr
