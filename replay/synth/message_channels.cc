// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/message_channels.h"

#include <algorithm>

#include "capture/packet.h"
#include "capture/rc_message_assembler.h"
#include "protocols/ib/psn.h"

namespace fabricscope::synth {

using engine::other;

// ---- TCP -----------------------------------------------------------------------------------------

TcpNumbers TcpChannel::next(Side from, std::uint8_t flags) const {
    return {next_[from], (flags & capture::ack) != 0 ? acknowledged_[from] : 0, window_[from]};
}

void TcpChannel::sent(Side from, const TcpNumbers& numbers, std::uint8_t flags, std::size_t payload) {
    const std::uint32_t length = static_cast<std::uint32_t>(payload) + ((flags & capture::syn) != 0 ? 1U : 0U) +
                                 ((flags & capture::fin) != 0 ? 1U : 0U);
    const std::uint32_t end = numbers.sequence + length;
    window_[from] = numbers.window;
    // What is sent again moves nothing.
    if (static_cast<std::int32_t>(end - next_[from]) <= 0) return;
    next_[from] = end;
    acknowledged_[other(from)] = end;
}

// ---- queue pairs ---------------------------------------------------------------------------------

std::uint32_t PairChannel::next_psn(Side from, std::uint8_t opcode) const {
    const ib::OpcodeInfo& info = ib::opcode_info(opcode);
    if (!ib::is_response(info.operation)) return next_[from];
    const Side asker = other(from);
    const bool has_read = !reads_[asker].empty();
    if (info.operation == ib::Operation::rdma_read_response && has_read) return reads_[asker].front().next;
    return latest_[asker];
}

void PairChannel::sent(Side from, std::uint8_t opcode, std::uint32_t psn, std::uint32_t read_length) {
    const ib::OpcodeInfo& info = ib::opcode_info(opcode);
    if (info.operation == ib::Operation::congestion_notification) return;
    if (ib::is_response(info.operation)) {
        std::deque<Read>& reads = reads_[other(from)];
        if (info.operation != ib::Operation::rdma_read_response || reads.empty()) return;
        reads.front().next = ib::psn_after(psn);
        if (reads.front().next == reads.front().end) reads.pop_front();
        return;
    }
    latest_[from] = psn;
    std::uint32_t packets = 1;
    if (info.operation == ib::Operation::rdma_read_request) {
        packets = capture::packets_for(read_length, mtu_);
        reads_[from].push_back({psn, ib::psn_after(psn, packets)});
        latest_[from] = psn;
    }
    const std::uint32_t end = ib::psn_after(psn, packets);
    if (ib::psn_distance(next_[from], end) <= 0) return;
    next_[from] = end;
    if (capture::ends_message(info.position)) messages_[from] = (messages_[from] + 1) & 0xFF'FFFF;
}

}  // namespace fabricscope::synth
