// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a packet, for the Info column and the head of its tree.
#pragma once

#include "plugins/rdma/record.h"
#include "plugins/shell/line.h"

namespace fabricscope::plugin::rdma {

/// "WRITE 65536 bytes, first packet, QP 0x000014, PSN 1005"
/// "ACK of the WRITE in 12, QP 0x000011, PSN 1068"
Line summary_of(const capture::Packet& packet, const FrameFacts& facts);

/// What deserves attention, as TCP's Info has it: "Timeout retransmission"; nullptr if nothing does.
const char* mark_of(const FrameFacts& facts);

/// "SEND"
const char* words_for(OperationType type);

}  // namespace fabricscope::plugin::rdma
