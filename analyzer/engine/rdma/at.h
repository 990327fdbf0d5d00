// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of Streams share: the packet that they deal with.
#pragma once

#include "analyzer/engine/rdma/streams.h"
#include "capture/rc_message_assembler.h"

namespace fabricscope::engine::rdma {

/// The packet at hand.
struct Streams::At {
    const capture::Packet& packet;
    Half& half;
    Direction& direction;
    FrameFacts& facts;
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    std::uint32_t psn = packet.ib.bth.psn;
    std::uint32_t share = 1;  ///< of a request: how many PSNs it takes; 0: nobody knows
    Sent sent = half.order.take(packet.ip_identification, psn);

    FrameStamp stamp() const { return engine::step_of(packet); }
};

using capture::begins_message;
using capture::ends_message;
using capture::packets_for;

// Who is told that a packet is missing sends it again sooner; later it was a timer.
inline constexpr Time slowest_reaction = 50 * capture::millisecond;

/// They are missing from a capture that has what came around them.
inline void lose_before_capture(Direction& direction, FrameFacts& facts, std::uint32_t packets) {
    direction.lost += packets;
    direction.lost_before += packets;
    facts.lost += packets;
}

/// A packet comes late that was not lost.
inline void note_overtaken(Direction& direction, FrameFacts& facts) {
    ++direction.out_of_order;
    facts.out_of_order = true;
}

inline void count(Retransmitted& retransmitted, Cause cause) {
    ++retransmitted.packets;
    switch (cause) {
        case Cause::nak: ++retransmitted.nak; break;
        case Cause::timeout: ++retransmitted.timeout; break;
        case Cause::rnr: ++retransmitted.rnr; break;
        case Cause::implied: ++retransmitted.implied; break;
        case Cause::unknown: break;
    }
}

}  // namespace fabricscope::engine::rdma
