// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a message, for the Info column and the head of its tree.
#pragma once

#include "plugins/shell/line.h"
#include "plugins/smcr/record.h"

namespace fabricscope::plugin::smcr {

/// "CLC DECLINE (v1), no SMC device found"
Line summary_of(const wire::ClcMessage& message);
/// "LLC CONFIRM LINK request, link 1"
Line summary_of(const wire::LlcMessage& message, const FrameFacts& facts);
/// "CDC smcr-1 client→server produced 1234 (+100) consumed +50 [B]"
Line summary_of(const wire::Cdc& cdc, const FrameFacts& facts);
/// "RDMA WRITE smcr-1 client→server RMBE offset 0, 100 bytes"
Line summary_of_write(const FrameFacts& facts);
/// "Part of a longer message, link 1"
Line summary_of_part(const FrameFacts& facts);

}  // namespace fabricscope::plugin::smcr
