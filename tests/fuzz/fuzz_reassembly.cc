// SPDX-License-Identifier: GPL-2.0-or-later
// TCP segments and RC packets in any order, pieces and copies, cut out of a stream whose octets tell their position:
// what comes out is that stream, and memory stays within the limits.
#include <algorithm>
#include <cstdlib>
#include <numeric>

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
        stream.consume(script.octet());
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Script script({data, std::min<std::size_t>(size, 4096)});
    if (script.flag()) tcp(script);
    else rc(script);
    return 0;
}
