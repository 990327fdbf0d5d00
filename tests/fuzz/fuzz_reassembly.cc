// SPDX-License-Identifier: GPL-2.0-or-later
// TCP segments, RC packets and Fibre Channel frames in any order, pieces and copies, cut out of a stream whose octets
// tell their position: what comes out is that stream, and memory stays within the limits.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "capture/fc_sequence.h"
#include "capture/fcip.h"
#include "capture/rc_stream.h"
#include "capture/tcp_stream.h"
#include "tests/fuzz/script.h"

namespace {

using namespace fabricscope;
using fuzz::Script;

constexpr std::uint32_t first_sequence = 0xFFFF'FF00;  // wraps soon

void must(bool holds) {
    if (!holds) std::abort();
}

std::uint8_t octet_at(std::uint64_t position) { return static_cast<std::uint8_t>(position * 7 + (position >> 8)); }

std::vector<std::uint8_t> octets_at(std::uint64_t position, std::size_t count) {
    std::vector<std::uint8_t> octets(count);
    for (std::uint8_t& octet : octets) octet = octet_at(position++);
    return octets;
}

void tcp(Script& script) {
    constexpr std::size_t limit = 2048;
    capture::TcpStream stream(limit);
    stream.start(first_sequence);
    for (std::uint64_t frame = 1; script.more(); ++frame) {
        const std::uint64_t position = stream.position() + script.number() % 4096;
        const std::uint64_t back = script.below(64);
        const std::uint64_t begin = position - std::min(position, back);
        const std::size_t length = script.octet();
        const std::size_t captured = script.below(8) == 0 ? length / 2 : length;
        stream.insert(
            first_sequence + static_cast<std::uint32_t>(begin), octets_at(begin, captured),
            static_cast<std::uint32_t>(length), frame);
        const ByteView readable = stream.readable();
        must(readable.size() <= limit + 255);
        for (std::size_t i = 0; i < readable.size(); ++i) must(readable[i] == octet_at(stream.position() + i));
        if (!readable.empty()) must(stream.frame_completing(stream.position()) <= frame);
        switch (script.below(8)) {
            case 0: stream.skip(script.number() % 1024); break;
            case 1: stream.skip_hole(); break;
            default: stream.consume(script.octet());
        }
    }
}

void rc(Script& script) {
    constexpr std::uint64_t address = 0x1000;
    capture::RcReceiver receiver;
    std::uint32_t psn = 0xFF'FFF0;
    capture::Packet packet;
    packet.transport = capture::Transport::ib;
    while (script.more()) {
        psn = capture::psn_after(psn, script.below(4) == 0 ? script.number() & 0xFF'FFFF : 1);
        if (script.below(8) == 0) psn = capture::psn_after(psn, 0xFF'FFFE);  // back by two
        const std::vector<std::uint8_t> payload = octets_at(psn, script.octet());
        ++packet.number;
        packet.ib.bth.opcode = static_cast<std::uint8_t>(script.below(0x18));
        packet.ib.bth.psn = psn;
        packet.ib.payload = payload;
        packet.ib.payload_length = static_cast<std::uint32_t>(payload.size()) + script.below(2);
        packet.ib.has_reth = packet.ib.opcode().has(ib::reth);
        packet.ib.reth = {address, 1, script.number()};
        const capture::RcEvent event = receiver.receive(packet);
        must(event.first_frame <= packet.number);
        if (event.kind == capture::RcEvent::Kind::send_message) {
            must(event.message.size() <= event.message_length);
            must(event.message.size() <= capture::RcReceiver::message_limit || event.first);
        }
        if (event.kind == capture::RcEvent::Kind::write) must(event.length == packet.ib.payload_length);
    }
}

/// Frames of one party of an Exchange: of 16 octets each, except the ones that are not.
void fc_sequences(Script& script) {
    constexpr capture::FcSequenceLimits limits{.data = 4096, .runs = 8, .sequences = 4};
    capture::FcSequences sequences(limits);
    capture::Packet packet;
    packet.transport = capture::Transport::fc;
    packet.fc.emplace();
    fabricscope::fc::Frame& frame = packet.fc->frame;
    while (script.more()) {
        frame.header.seq_id = static_cast<std::uint8_t>(script.below(8) == 0);
        frame.header.seq_cnt = static_cast<std::uint16_t>(script.number());
        frame.header.f_ctl.end_sequence = script.below(8) == 0;
        frame.header.f_ctl.relative_offset_present = script.flag();
        frame.header.parameter = frame.header.seq_cnt * 16U;
        packet.fc->sof = static_cast<fabricscope::fc::Sof>(script.below(12));
        const std::vector<std::uint8_t> payload = octets_at(frame.header.parameter, script.below(16) == 0 ? 3 : 16);
        frame.payload = payload;
        frame.payload_length = static_cast<std::uint32_t>(payload.size()) + (script.below(32) == 0 ? 1 : 0);
        ++packet.number;
        const capture::FcSequenceEvent event = sequences.receive(packet, script.below(16) != 0);
        must(event.sequence != nullptr && event.sequence->first_frame <= packet.number);
        must(event.data.size() <= 4096 && (event.data.empty() || event.completes));
        if (event.completes) must(event.sequence->complete() && event.sequence->missing == 0);
        if (script.below(64) == 0) sequences = capture::FcSequences(limits);
    }
}

/// Any octets as the two directions of an FCIP connection.
void fcip(Script& script) {
    capture::FcipStreams streams;
    const auto sink = [](const capture::Packet& packet) {
        must(packet.transport == capture::Transport::fc && packet.fc->octets.size() <= 4096);
    };
    while (script.more()) {
        capture::Packet packet;
        packet.transport = capture::Transport::tcp;
        const bool answer = script.below(4) == 0;
        packet.tcp.source_port = answer ? 3225 : 1;
        packet.tcp.destination_port = answer ? 1 : 3225;
        packet.tcp.sequence = script.number();
        packet.tcp.acknowledgment = script.number();
        packet.tcp.flags = static_cast<std::uint8_t>(
            script.below(4) == 0 ? std::uint8_t{capture::ack} : script.octet());
        packet.tcp.payload = script.octets(script.octet());
        packet.tcp.payload_length = static_cast<std::uint32_t>(packet.tcp.payload.size()) + (script.below(8) == 0);
        ++packet.number;
        streams.on_packet(packet, sink);
    }
    streams.finish(sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Script script({data, std::min<std::size_t>(size, 4096)});
    switch (script.below(4)) {
        case 0: tcp(script); break;
        case 1: rc(script); break;
        case 2: fc_sequences(script); break;
        default: fcip(script);
    }
    return 0;
}
