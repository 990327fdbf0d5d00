// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a packet, for Wireshark's Info column, the head of its tree, and the viewer.
#pragma once

#include "analyzer/engine/rdma/observer.h"
#include "analyzer/info/line.h"

namespace fabricscope::info::rdma {

using engine::rdma::FrameFacts;
using engine::rdma::OperationType;

/// "WRITE 65536 bytes, first packet, QP 0x000014, PSN 1005"
/// "ACK of the WRITE in 12, QP 0x000011, PSN 1068"
Line summary_of(const capture::Packet& packet, const FrameFacts& facts);

/// What deserves attention, as TCP's Info has it: "Timeout retransmission"; nullptr if nothing does.
const char* mark_of(const FrameFacts& facts);

/// "SEND"
const char* words_for(OperationType type);

}  // namespace fabricscope::info::rdma
