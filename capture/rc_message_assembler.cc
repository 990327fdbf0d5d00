// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rc_message_assembler.h"

#include <algorithm>

namespace fabricscope::capture {

using ib::Operation;
using ib::psn_after;
using Progress = AssembledMessage::Progress;

AssembledMessage MessageAssembler::feed(const IbPacket& packet, std::uint64_t frame) {
    const ib::OpcodeInfo& opcode = packet.opcode();
    const bool response = opcode.operation == Operation::rdma_read_response;
    if (opcode.position == ib::Position::only && !response) return single_packet_message(packet, frame);
    if (opcode.position == ib::Position::first && !response) open(packet, opcode.operation, frame);
    Incomplete* const found = find(packet.bth.psn);
    if (found == nullptr || found->operation != opcode.operation) return {};
    append(*found, packet);
    const bool complete = response ? --found->packets_left == 0 : ends_message(opcode.position);
    found->open = !complete;
    AssembledMessage message = found->message;
    message.progress = complete ? Progress::complete : Progress::part;
    if (complete) message.payload = found->bytes;
    return message;
}

void MessageAssembler::expect_response(const IbPacket& request, std::uint32_t packets, std::uint64_t frame) {
    open(request, Operation::rdma_read_response, frame).packets_left = packets;
}

std::optional<Operation> MessageAssembler::awaiting(std::uint32_t psn) const {
    for (const Incomplete& each : incomplete_)
        if (each.open && each.next_psn == psn) return each.operation;
    return std::nullopt;
}

bool MessageAssembler::has_incomplete() const { return std::ranges::any_of(incomplete_, &Incomplete::open); }

void MessageAssembler::abandon() {
    for (Incomplete& each : incomplete_) each.open = false;
}

/// Its payload need not be copied. A message that should have been continued here is not going to be.
AssembledMessage MessageAssembler::single_packet_message(const IbPacket& packet, std::uint64_t frame) {
    if (Incomplete* const given_up = find(packet.bth.psn)) given_up->open = false;
    return {
        .progress = Progress::complete,
        .bth = packet.bth,
        .reth = packet.reth,
        .first_frame = frame,
        .length = packet.payload_length,
        .payload = packet.payload};
}

MessageAssembler::Incomplete* MessageAssembler::find(std::uint32_t psn) {
    const auto found = std::ranges::find_if(
        incomplete_, [psn](const Incomplete& each) { return each.open && each.next_psn == psn; });
    return found == incomplete_.end() ? nullptr : &*found;
}

/// In the place of a message that should have been continued here, or of the oldest.
MessageAssembler::Incomplete& MessageAssembler::open(const IbPacket& packet, Operation operation, std::uint64_t frame) {
    Incomplete* place = find(packet.bth.psn);
    if (place == nullptr) {
        if (incomplete_.size() < limits_.messages) incomplete_.emplace_back();
        place = &incomplete_[next_++ % limits_.messages];
    }
    place->open = true;
    place->operation = operation;
    place->next_psn = packet.bth.psn;
    place->message = {};
    place->message.bth = packet.bth;
    place->message.reth = packet.reth;
    place->message.first_frame = frame;
    place->bytes.clear();
    return *place;
}

/// Behind bytes that were not captured nothing is kept.
void MessageAssembler::append(Incomplete& to, const IbPacket& packet) const {
    const std::size_t limit = to.operation == Operation::rdma_write ? limits_.write_bytes : limits_.bytes;
    const bool whole = to.bytes.size() == to.message.length;
    const std::size_t room = limit - to.bytes.size();
    const ByteView bytes = packet.payload.first(whole ? std::min(packet.payload.size(), room) : 0);
    to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.end());
    to.message.length += packet.payload_length;
    to.next_psn = psn_after(to.next_psn);
}

}  // namespace fabricscope::capture
