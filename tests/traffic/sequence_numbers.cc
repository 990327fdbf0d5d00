// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/sequence_numbers.h"

#include "capture/rc_message_assembler.h"
#include "tests/traffic/edit.h"

namespace fabricscope::traffic {

Numbered numbered(const Recording& recording, std::size_t index) {
    const capture::Packet packet = capture::decode(frame_at(recording, index));
    Numbered frame{.transport = packet.transport, .source = packet.source, .destination = packet.destination};
    if (packet.transport == capture::Transport::tcp) {
        const capture::TcpSegment& tcp = packet.tcp;
        frame.from = tcp.source_port, frame.to = tcp.destination_port;
        frame.number = tcp.sequence;
        if (tcp.has(capture::ack)) frame.reply = tcp.acknowledgment;
        frame.size = tcp.payload_length + (tcp.has(capture::syn) ? 1 : 0) + (tcp.has(capture::fin) ? 1 : 0);
    } else if (packet.transport == capture::Transport::ib) {
        const ib::Bth& bth = packet.ib.bth;
        frame.to = bth.destination_qpn, frame.from = packet.ib.has_deth ? packet.ib.deth.source_qpn : 0;
        frame.number = bth.psn, frame.size = 1;
        const ib::OpcodeInfo& opcode = packet.ib.opcode();
        if (ib::is_response(opcode.operation)) frame.reply = bth.psn;
        else frame.ends_message = capture::ends_message(opcode.position);
        if (packet.ib.has_aeth) frame.messages = packet.ib.aeth.msn;
    }
    return frame;
}

void set_number(Recording& recording, std::size_t index, const char* field, std::uint32_t number) {
    set_field(frame_to_edit(recording, index), field, value_of_number(number));
}

void renumber(Recording& recording, std::size_t index, const Numbered& where, std::uint32_t first, std::int32_t by) {
    for (; by != 0 && index < recording.frames.size(); ++index) {
        const Numbered frame = numbered(recording, index);
        if (frame.same_sender(where) && frame.is_request() && where.distance(first, frame.number) >= 0)
            set_number(recording, index, frame.number_field(), frame.number + static_cast<std::uint32_t>(by));
        constexpr std::int32_t close = 0x10'0000;
        // An acknowledgment of TCP names the octet that comes next.
        const std::int32_t least = where.transport == capture::Transport::tcp ? 1 : 0;
        if (!frame.replies_to(where)) continue;
        const std::int32_t behind = where.distance(first, *frame.reply);
        if (behind < least || behind >= close) continue;
        set_number(recording, index, frame.reply_field(), *frame.reply + static_cast<std::uint32_t>(by));
        if (where.ends_message && frame.messages)
            set_number(
                recording, index, "infiniband.aeth.msn",
                (*frame.messages + static_cast<std::uint32_t>(by)) & ib::psn_mask);
    }
}

Numbered next_at(const Recording& recording, std::size_t index, Numbered frame) {
    std::optional<std::uint32_t> next;
    for (std::size_t i = 0; i < recording.frames.size() && !(i >= index && next); ++i) {
        const Numbered other = numbered(recording, i);
        if (!other.same_sender(frame) || !other.is_request()) continue;
        const std::uint32_t behind = other.number + (i < index ? other.size : 0);
        if (!next || frame.distance(*next, behind) > 0) next = behind;
        frame.reply = other.reply;
    }
    frame.number = next.value_or(frame.number);
    return frame;
}

}  // namespace fabricscope::traffic
