// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/rdma_cm/conversation_assembler.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/ib/mtu.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/stack/ib/packet.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace wire = fabricscope::rdma_cm;
using ib::Operation;
using ib::psn_after;
using ib::psn_distance;
using Progress = capture::AssembledMessage::Progress;

constexpr std::size_t asked_at_once = 256;
constexpr const char* cut = "a packet of it was cut by the snap length";
constexpr const char* too_much = "it reads more at once than is kept";

const char* name_of(Operation operation) {
    switch (operation) {
        case Operation::send: return send_name;
        case Operation::rdma_write: return write_name;
        case Operation::rdma_read_request: return read_name;
        case Operation::atomic_request: return atomic_name;
        case Operation::atomic_acknowledge: return atomic_response_name;
        default: return read_response_name;
    }
}

/// The message as it would be in a single packet of this operation, as far as XRC's header. `packet` is one of its own.
Message single_packet(Side from, ib::Bth bth, std::uint8_t operation, const capture::IbPacket& packet) {
    constexpr std::uint8_t service_bits = 0xE0;
    bth.opcode = static_cast<std::uint8_t>((bth.opcode & service_bits) | (operation & ~service_bits));
    Message message{
        .format = &rc_format(),
        .from = from,
        .name = name_of(ib::opcode_info(bth.opcode).operation),
        .channel = channel_of(bth.opcode)};
    stack::append(message.octets, bth);
    if (const auto xrc = packet.rare_header<ib::XrcEth>(ib::xrceth)) stack::append(message.octets, *xrc);
    return message;
}

/// Of a packet that is a message, or all that is known of one.
Message single_packet(Side from, const capture::IbPacket& packet) {
    return single_packet(from, packet.bth, packet.bth.opcode, packet);
}

void append(Octets& octets, ByteView more) { octets.insert(octets.end(), more.begin(), more.end()); }

std::uint8_t single_packet_opcode(const capture::IbPacket& last) {
    if (last.opcode().has(ib::ieth)) return ib::rc::send_only_invalidate;
    const std::uint8_t opcode = last.opcode().operation == Operation::rdma_write ? ib::rc::write_only
                                                                                 : ib::rc::send_only;
    return static_cast<std::uint8_t>(opcode + (last.has_immdt ? 1 : 0));
}

/// Solicited Event, immediate data and the key to be invalidated are those of the last packet.
Message single_packet(Side from, const capture::AssembledMessage& assembled, const capture::IbPacket& last) {
    const bool write = last.opcode().operation == Operation::rdma_write;
    ib::Bth bth = assembled.bth;
    bth.solicited_event = last.bth.solicited_event;
    Message message = single_packet(from, bth, single_packet_opcode(last), last);
    if (write) stack::append(message.octets, assembled.reth);
    if (last.has_immdt) stack::append(message.octets, last.immdt);
    if (const auto invalidate = last.rare_header<ib::Ieth>(ib::ieth)) stack::append(message.octets, *invalidate);
    append(message.octets, assembled.payload);
    return message;
}

}  // namespace

void ConversationAssembler::set_obstacle(std::string obstacle) {
    if (obstacle_.empty()) obstacle_ = std::move(obstacle);
}

bool ConversationAssembler::complete() const {
    return std::ranges::none_of(requests_.values, [](const Requests& requests) {
        const bool gap = requests.ahead && psn_distance(requests.next_psn, *requests.ahead) >= 0;
        return !requests.refused_psn && (gap || requests.assembler.has_incomplete());
    });
}

bool ConversationAssembler::lacks_responses() const {
    return std::ranges::any_of(requests_.values, [](const Requests& requests) { return !requests.asked.empty(); });
}

void ConversationAssembler::feed(Side from, const capture::Packet& packet, Messages& messages) {
    if (packet.transport != capture::Transport::ib) return;
    if (packet.ib.has_deth && packet.ib.bth.destination_qpn == ib::gsi_qpn) return feed_cm(from, packet, messages);
    if (packet.ib.has_deth) return feed_datagram(from, packet, messages);
    if (ends_[engine::other(from)].qpn != packet.ib.bth.destination_qpn) return;
    const ib::Service service = ib::service_of(packet.ib.bth.opcode);
    if (service == ib::Service::cnp) return;  // congestion is the network's, which is another one in a run
    if (service != ib::Service::rd) return feed_connected(from, packet, messages);
    set_obstacle("its queue pairs are of a kind that the emulated stack does not know");
}

void ConversationAssembler::add(Message message, const capture::Packet& packet, Messages& messages) {
    message.time = packet.time;
    message.frame = packet.number;
    ++added_;
    messages.push_back({std::move(message)});
}

// ---- Communication Management --------------------------------------------------------------------

void ConversationAssembler::feed_cm(Side from, const capture::Packet& packet, Messages& messages) {
    if (packet.ib.payload.size() < packet.ib.payload_length) set_obstacle(cut);
    const std::string name = cm_name(packet.ib.payload);
    if (name.empty()) return;
    Message message{.format = &cm_format(packet.ib.payload), .from = from, .name = name, .channel = cm_channel};
    append(message.octets, packet.ib.payload);
    message.optional = name == "MRA";
    if (std::ranges::find(mads_[from], message.octets) != mads_[from].end()) {
        message.time = packet.time;
        message.frame = packet.number;
        return messages.push_back({std::move(message), true});
    }
    mads_[from].push_back(message.octets);
    learn_queue_pairs(from, wire::parse(message.octets));
    add(std::move(message), packet, messages);
}

void ConversationAssembler::learn_queue_pairs(Side from, const wire::Message& message) {
    // The PSN is that at which the other side begins (IBA 12.7.31).
    const auto begin = [&](std::uint32_t psn) {
        requests_[engine::other(from)].next_psn = psn;
        requests_[engine::other(from)].started = true;
    };
    if (const auto* req = std::get_if<wire::Req>(&message.body)) {
        request_ = *req;
        ends_[from] = {req->body.local_qpn, req->body.starting_psn, req->body.local_q_key};
        mtu_ = std::max(ib::mtu_octets(req->body.path_mtu), 256U);
        begin(req->body.starting_psn);
    } else if (const auto* rep = std::get_if<ib::CmRep>(&message.body)) {
        reply_ = *rep;
        ends_[from] = {ib::queue_pair_of(*rep), rep->starting_psn, rep->local_q_key};
        begin(rep->starting_psn);
    } else if (const auto* resolved = std::get_if<wire::SidrRep>(&message.body);
               resolved && resolved->body.status == 0) {
        ends_[from] = {resolved->body.qpn, 0, resolved->body.q_key};
    }
}

// ---- datagrams -----------------------------------------------------------------------------------

/// SIDR tells the server's queue pair only; the client's is in its first datagram.
void ConversationAssembler::feed_datagram(Side from, const capture::Packet& packet, Messages& messages) {
    const End& receiver = ends_[engine::other(from)];
    if (receiver.qpn != packet.ib.bth.destination_qpn) return;
    if (ends_[from].qpn && ends_[from].qpn != packet.ib.deth.source_qpn) return;
    if (!ends_[from].qpn) ends_[from] = {packet.ib.deth.source_qpn, 0, packet.ib.deth.q_key};
    if (packet.ib.payload.size() < packet.ib.payload_length) set_obstacle(cut);
    Message message{.format = &ud_format(), .from = from, .name = datagram_name, .channel = ud_channel};
    stack::append(message.octets, packet.ib.bth);
    stack::append(message.octets, packet.ib.deth);
    if (packet.ib.has_immdt) stack::append(message.octets, packet.ib.immdt);
    append(message.octets, packet.ib.payload);
    add(std::move(message), packet, messages);
}

// ---- connections ------------------------------------------------------------------------

void ConversationAssembler::feed_connected(Side from, const capture::Packet& packet, Messages& messages) {
    const Operation operation = packet.ib.opcode().operation;
    switch (operation) {
        case Operation::send:
        case Operation::rdma_write:
        case Operation::rdma_read_request:
        case Operation::atomic_request: return feed_request(from, packet, messages);
        case Operation::rdma_read_response: return feed_read_response(from, packet, messages);
        case Operation::acknowledge: return feed_acknowledge(from, packet, messages);
        case Operation::atomic_acknowledge: return feed_atomic_response(from, packet, messages);
        default: return set_obstacle("it has operations that the emulated stack does not know");
    }
}

void ConversationAssembler::feed_request(Side from, const capture::Packet& packet, Messages& messages) {
    Requests& requests = requests_[from];
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    const std::uint32_t psn = packet.ib.bth.psn;
    if (!requests.started) return;
    if (psn != requests.next_psn) {
        if (psn_distance(requests.next_psn, psn) > 0 && (!requests.ahead || psn_distance(*requests.ahead, psn) > 0))
            requests.ahead = psn;
        return;
    }
    if (packet.ib.payload.size() < packet.ib.payload_length) set_obstacle(cut);
    if (opcode.operation == Operation::rdma_read_request) return feed_read_request(from, packet, messages);
    if (opcode.operation == Operation::atomic_request) return feed_atomic_request(from, packet, messages);
    const capture::AssembledMessage assembled = requests.assembler.feed(packet.ib, packet.number);
    if (assembled.progress == Progress::orphan) return;  // a responder would not execute it
    requests.next_psn = psn_after(psn);
    if (assembled.length > longest_message) {
        set_obstacle("it has a message of more than 64 MiB");
        return requests.assembler.abandon();
    }
    if (assembled.progress == Progress::complete) add(single_packet(from, assembled, packet.ib), packet, messages);
}

void ConversationAssembler::feed_read_request(Side from, const capture::Packet& packet, Messages& messages) {
    Requests& requests = requests_[from];
    const ib::Reth& reth = packet.ib.reth;
    if (reth.dma_length > longest_message || requests.asked.size() >= asked_at_once) return set_obstacle(too_much);
    const std::uint32_t packets = capture::packets_for(reth.dma_length, mtu_);
    capture::MessageAssembler response({.bytes = longest_message});
    response.expect_response(packet.ib, packets);
    requests.asked.push_back({packet.ib.bth.psn, added_, std::move(response)});
    requests.next_psn = psn_after(packet.ib.bth.psn, packets);
    Message message = single_packet(from, packet.ib);
    stack::append(message.octets, reth);
    add(std::move(message), packet, messages);
}

void ConversationAssembler::feed_atomic_request(Side from, const capture::Packet& packet, Messages& messages) {
    Requests& requests = requests_[from];
    const auto atomic = packet.ib.rare_header<ib::AtomicEth>(ib::atomic_eth);
    if (!atomic) return set_obstacle(cut);
    if (requests.asked.size() >= asked_at_once) return set_obstacle(too_much);
    requests.asked.push_back({packet.ib.bth.psn, added_});
    requests.next_psn = psn_after(packet.ib.bth.psn);
    Message message = single_packet(from, packet.ib);
    stack::append(message.octets, *atomic);
    add(std::move(message), packet, messages);
}

/// Echoes the PSN of the other side's request.
void ConversationAssembler::feed_atomic_response(Side from, const capture::Packet& packet, Messages& messages) {
    std::deque<Asked>& asked = requests_[engine::other(from)].asked;
    const auto request = std::ranges::find_if(
        asked, [&](const Asked& candidate) { return !candidate.response && candidate.psn == packet.ib.bth.psn; });
    const auto answer = packet.ib.rare_header<ib::AtomicAckEth>(ib::atomic_ack_eth);
    if (request == asked.end()) return;
    if (!answer) return set_obstacle(cut);
    Message message = single_packet(from, packet.ib);
    message.answers = request->message;
    stack::append(message.octets, *answer);
    asked.erase(request);
    add(std::move(message), packet, messages);
}

/// Echoes the PSNs of the other side's READ.
void ConversationAssembler::feed_read_response(Side from, const capture::Packet& packet, Messages& messages) {
    std::deque<Asked>& asked = requests_[engine::other(from)].asked;
    const auto read = std::ranges::find_if(asked, [&](const Asked& candidate) {
        return candidate.response && candidate.response->awaiting(packet.ib.bth.psn).has_value();
    });
    if (read == asked.end()) return;
    if (packet.ib.payload.size() < packet.ib.payload_length) set_obstacle(cut);
    const capture::AssembledMessage assembled = read->response->feed(packet.ib);
    if (assembled.progress != Progress::complete) return;
    Message message = single_packet(from, packet.ib.bth, ib::rc::read_response_only, packet.ib);
    message.answers = read->message;
    append(message.octets, assembled.payload);
    asked.erase(read);
    add(std::move(message), packet, messages);
}

/// Only what ends the connection is a message: the rest is the transport's own.
void ConversationAssembler::feed_acknowledge(Side from, const capture::Packet& packet, Messages& messages) {
    const ib::AethSyndrome syndrome = ib::AethSyndrome::of(packet.ib.aeth.syndrome);
    if (syndrome.kind != ib::AethSyndrome::Class::nak || syndrome.value == ib::AethSyndrome::psn_sequence_error) return;
    Requests& refused = requests_[engine::other(from)];
    if (refused.refused_psn == packet.ib.bth.psn) return;
    refused.refused_psn = packet.ib.bth.psn;
    refused.assembler.abandon();
    std::erase_if(refused.asked, [&](const Asked& one) { return psn_distance(packet.ib.bth.psn, one.psn) >= 0; });
    Message message = single_packet(from, packet.ib);
    message.name = nak_name;
    stack::append(message.octets, packet.ib.aeth);
    add(std::move(message), packet, messages);
}

}  // namespace fabricscope::replay::rdma_cm
