// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/rdma.h"

#include "protocols/ib/retries.h"

namespace fabricscope::info::rdma {
namespace {

using engine::rdma::Cause;
using ib::AethSyndrome;
using ib::Position;

const char* words_for(Position position) {
    switch (position) {
        case Position::only: break;
        case Position::first: return ", first packet";
        case Position::middle: return ", middle packet";
        case Position::last: return ", last packet";
    }
    return "";
}

/// As Wireshark writes queue pairs: six digits.
void add_queue_pair(Line& line, std::uint32_t qpn) {
    line << ", QP 0x";
    for (std::uint32_t most = 0xF'FFFF; most != 0 && qpn <= most; most >>= 4) line << "0";
    line.hex(qpn);
}

void add_transport(Line& line, const capture::Packet& packet) {
    switch (ib::service_of(packet.ib.bth.opcode)) {
        case ib::Service::uc: line << "UC "; break;
        case ib::Service::ud: line << "UD "; break;
        case ib::Service::xrc: line << "XRC "; break;
        default: break;
    }
}

/// As the request says; a SEND of several packets does not.
std::optional<std::uint64_t> length_of(const capture::Packet& packet, const FrameFacts& facts) {
    if (facts.operation_bytes) return facts.operation_bytes;
    if (packet.ib.has_reth) return packet.ib.reth.dma_length;
    if (packet.ib.opcode().position != Position::only) return std::nullopt;
    return packet.ib.payload_length;
}

void add_request(Line& line, const capture::Packet& packet, const FrameFacts& facts) {
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    add_transport(line, packet);
    line << (facts.operation ? rdma::words_for(*facts.operation) : "request");
    if (opcode.has(ib::immdt)) line << " with immediate";
    if (opcode.has(ib::ieth)) line << " with invalidate";
    const bool atomic = facts.operation == OperationType::atomic;
    if (const auto length = atomic ? std::nullopt : length_of(packet, facts)) line << " " << *length << " bytes";
    line << words_for(opcode.position);
    if (facts.request_frame != 0 && facts.request_frame != facts.frame) line << ", begun in " << facts.request_frame;
}

void add_refusal(Line& line, std::uint8_t code) {
    const AethSyndrome syndrome = AethSyndrome::of(code);
    line << to_string(syndrome);
    if (syndrome.kind != AethSyndrome::Class::rnr_nak) return;
    line << ", wait " << ib::rnr_timer_microseconds(syndrome.value) << " us";
}

void add_answer(Line& line, const capture::Packet& packet, const FrameFacts& facts) {
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    add_transport(line, packet);
    if (facts.nak) return add_refusal(line, *facts.nak);
    const bool acknowledges = opcode.operation == ib::Operation::acknowledge;
    if (acknowledges) line << "ACK";
    else if (facts.operation) line << rdma::words_for(*facts.operation) << " response";
    if (!acknowledges) line << words_for(opcode.position);
    if (facts.request_frame == 0) return;
    if (acknowledges && facts.operation) line << " of the " << rdma::words_for(*facts.operation) << " in ";
    else line << " to ";
    line << facts.request_frame;
}

}  // namespace

const char* words_for(OperationType type) {
    switch (type) {
        case OperationType::send: return "SEND";
        case OperationType::write: return "WRITE";
        case OperationType::read: return "READ";
        case OperationType::atomic: return "ATOMIC";
    }
    return "";
}

Line summary_of(const capture::Packet& packet, const FrameFacts& facts) {
    Line line;
    if (facts.cnp) line << "CNP";
    else if (facts.request) add_request(line, packet, facts);
    else add_answer(line, packet, facts);
    add_queue_pair(line, packet.ib.bth.destination_qpn);
    if (!facts.cnp) line << ", PSN " << packet.ib.bth.psn;
    return line;
}

const char* mark_of(const FrameFacts& facts) {
    if (facts.retransmission) switch (*facts.retransmission) {
            case Cause::nak:
            case Cause::implied: return "[Fast retransmission]";
            case Cause::timeout: return "[Timeout retransmission]";
            case Cause::rnr: return "[RNR retransmission]";
            case Cause::unknown: return "[Retransmission]";
        }
    if (facts.out_of_order) return "[Out of order]";
    if (facts.missing != 0) return "[Previous packets not seen]";
    if (facts.unseen) return "[Acknowledges packets not seen]";
    return facts.duplicate_ack ? "[Duplicate ACK]" : nullptr;
}

}  // namespace fabricscope::info::rdma
