// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a message, for the Info column and the head of its tree. All texts live as long as
// the packet is being dissected.
#pragma once

#include "plugins/common/wireshark_compat.h"
#include "plugins/smcr/record.h"

namespace fabricscope::plugin {

/// "CLC DECLINE (v1), no SMC device found"
const char* summary_of(const packet_info* pinfo, const smcr::ClcMessage& message);
/// "LLC CONFIRM LINK request, link 1"
const char* summary_of(const packet_info* pinfo, const smcr::LlcMessage& message, const FrameFacts& facts);
/// "CDC smcr-1 client→server produced 1234 (+100) consumed +50 [B]"
const char* summary_of(const packet_info* pinfo, const smcr::Cdc& cdc, const FrameFacts& facts);
/// "RDMA WRITE smcr-1 client→server RMBE offset 0, 100 bytes"
const char* summary_of_write(const packet_info* pinfo, const FrameFacts& facts);
/// "SEND, part of a longer message, link 1"
const char* summary_of_part(const packet_info* pinfo, const FrameFacts& facts);

}  // namespace fabricscope::plugin
