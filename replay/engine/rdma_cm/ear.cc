// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/rdma_cm/ear.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/rc_stream.h"
#include "protocols/ib/mtu.h"
#include "replay/engine/rdma_cm/dialects.h"
#include "replay/stack/ib/packet.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace wire = fabricscope::rdma_ip_cm;
using capture::psn_after;
using capture::psn_distance;
using ib::Operation;
using ib::Position;

constexpr std::size_t longest_message = std::size_t{1} << 26;
constexpr std::size_t reads_at_once = 256;

enum Opcode : std::uint8_t { send_only = 0x04, write_only = 0x0A, read_response_only = 0x10, with_immediate = 1 };

const char* name_of(Operation operation) {
    switch (operation) {
        case Operation::send: return send_name;
        case Operation::rdma_write: return write_name;
        case Operation::rdma_read_request: return read_name;
        default: return read_response_name;
    }
}

bool begins_message(Position position) { return position == Position::first || position == Position::only; }
bool ends_message(Position position) { return position == Position::last || position == Position::only; }

/// A message that begins with this packet, as a packet that holds all of it would begin.
Message begun(Side from, const capture::Packet& packet, std::uint8_t opcode) {
    Message message{
        .dialect = &rc_dialect(), .from = from, .name = name_of(packet.ib.opcode().operation), .lane = rc_lane};
    ib::Bth bth = packet.ib.bth;
    bth.opcode = opcode;
    stack::append(message.octets, bth);
    return message;
}

void append(Octets& octets, ByteView more) { octets.insert(octets.end(), more.begin(), more.end()); }

/// The last packet says what holds for the message as a whole.
void end_message(Message& message, const capture::IbPacket& packet) {
    ib::Bth bth{};
    layout::parse_into(bth, message.octets);
    bth.solicited_event = packet.bth.solicited_event;
    if (packet.has_immdt) {
        bth.opcode |= with_immediate;
        const std::size_t headers = bth.opcode == (write_only | with_immediate)
                                        ? layout::size_of<ib::Bth> + layout::size_of<ib::Reth>
                                        : layout::size_of<ib::Bth>;
        const Octets immediate = layout::octets_of(packet.immdt);
        message.octets.insert(
            message.octets.begin() + static_cast<std::ptrdiff_t>(headers), immediate.begin(), immediate.end());
    }
    layout::build_into(bth, std::span(message.octets).first(layout::size_of<ib::Bth>));
}

}  // namespace

void Ear::object(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
}

bool Ear::whole() const {
    return std::ranges::none_of(requests_.values, [](const Requests& requests) {
        const bool gap = requests.ahead && psn_distance(requests.next_psn, *requests.ahead) >= 0;
        return !requests.refused_psn && (gap || requests.open.has_value());
    });
}

std::uint32_t Ear::packets_for(std::uint32_t length) const { return length == 0 ? 1 : (length + mtu_ - 1) / mtu_; }

void Ear::hear(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    if (packet.transport != capture::Transport::ib) return;
    if (packet.ib.has_deth && packet.ib.bth.destination_qpn == ib::gsi_qpn) return hear_cm(from, packet, heard);
    if (packet.ib.has_deth) return hear_datagram(from, packet, heard);
    if (ends_[engine::other(from)].qpn != packet.ib.bth.destination_qpn) return;
    if (ib::service_of(packet.ib.bth.opcode) == ib::Service::rc) return hear_rc(from, packet, heard);
    object("its queue pairs are of another kind than reliable connection or datagram");
}

void Ear::complete(Message message, const capture::Packet& packet, std::vector<Heard>& heard) {
    message.time = packet.time;
    message.frame = packet.number;
    ++completed_;
    heard.push_back({std::move(message)});
}

// ---- Communication Management --------------------------------------------------------------------

void Ear::hear_cm(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    const std::string name = cm_name(packet.ib.payload);
    if (name.empty()) return;
    Message message{.dialect = &cm_dialect(packet.ib.payload), .from = from, .name = name, .lane = cm_lane};
    append(message.octets, packet.ib.payload);
    message.optional = name == "MRA";
    if (std::ranges::find(mads_[from], message.octets) != mads_[from].end()) {
        message.time = packet.time;
        message.frame = packet.number;
        return heard.push_back({std::move(message), true});
    }
    mads_[from].push_back(message.octets);
    learn(from, wire::parse(message.octets));
    complete(std::move(message), packet, heard);
}

void Ear::learn(Side from, const wire::Message& message) {
    // The PSN is that at which the other side begins (IBA 12.7.31).
    const auto begin = [&](std::uint32_t psn) {
        requests_[engine::other(from)].next_psn = psn;
        requests_[engine::other(from)].begun = true;
    };
    if (const auto* req = std::get_if<wire::Req>(&message.body)) {
        request_ = *req;
        ends_[from] = {req->body.local_qpn, req->body.starting_psn, req->body.local_q_key};
        mtu_ = std::max(ib::mtu_octets(req->body.path_mtu), 256U);
        begin(req->body.starting_psn);
    } else if (const auto* rep = std::get_if<ib::CmRep>(&message.body)) {
        reply_ = *rep;
        ends_[from] = {rep->local_qpn, rep->starting_psn, rep->local_q_key};
        begin(rep->starting_psn);
    } else if (const auto* resolved = std::get_if<wire::SidrRep>(&message.body);
               resolved && resolved->body.status == 0) {
        ends_[from] = {resolved->body.qpn, 0, resolved->body.q_key};
    }
}

// ---- datagrams -----------------------------------------------------------------------------------

/// SIDR tells the server's queue pair only; the client's is in its first datagram.
void Ear::hear_datagram(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    const End& receiver = ends_[engine::other(from)];
    if (receiver.qpn != packet.ib.bth.destination_qpn) return;
    if (ends_[from].qpn && ends_[from].qpn != packet.ib.deth.source_qpn) return;
    if (!ends_[from].qpn) ends_[from] = {packet.ib.deth.source_qpn, 0, packet.ib.deth.q_key};
    if (packet.ib.payload.size() < packet.ib.payload_length) object("its data were not captured whole");
    Message message{.dialect = &ud_dialect(), .from = from, .name = datagram_name, .lane = ud_lane};
    stack::append(message.octets, packet.ib.bth);
    stack::append(message.octets, packet.ib.deth);
    if (packet.ib.has_immdt) stack::append(message.octets, packet.ib.immdt);
    append(message.octets, packet.ib.payload);
    complete(std::move(message), packet, heard);
}

// ---- reliable connections ------------------------------------------------------------------------

void Ear::hear_rc(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    const Operation operation = packet.ib.opcode().operation;
    switch (operation) {
        case Operation::send:
        case Operation::rdma_write:
        case Operation::rdma_read_request: return hear_request(from, packet, heard);
        case Operation::rdma_read_response: return hear_read_response(from, packet, heard);
        case Operation::acknowledge: return hear_acknowledge(from, packet, heard);
        default: return object("it has atomic operations, which the emulated stack does not know");
    }
}

void Ear::hear_request(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    Requests& requests = requests_[from];
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    const std::uint32_t psn = packet.ib.bth.psn;
    if (!requests.begun) return;
    if (psn != requests.next_psn) {
        if (psn_distance(requests.next_psn, psn) > 0 && (!requests.ahead || psn_distance(*requests.ahead, psn) > 0))
            requests.ahead = psn;
        return;
    }
    if (opcode.has(ib::ieth)) object("it has SEND with Invalidate, which the emulated stack does not know");
    if (packet.ib.payload.size() < packet.ib.payload_length) object("its data were not captured whole");
    if (opcode.operation == Operation::rdma_read_request) return hear_read(from, packet, heard);
    if (begins_message(opcode.position)) {
        const bool write = opcode.operation == Operation::rdma_write;
        requests.open = begun(from, packet, write ? write_only : send_only);
        if (write) stack::append(requests.open->octets, packet.ib.reth);
    }
    if (!requests.open) return;  // it is not what a responder would execute
    requests.next_psn = psn_after(psn);
    append(requests.open->octets, packet.ib.payload);
    if (requests.open->octets.size() > longest_message) {
        object("it has a message of more than 64 MiB");
        return requests.open.reset();
    }
    if (!ends_message(opcode.position)) return;
    end_message(*requests.open, packet.ib);
    complete(std::move(*requests.open), packet, heard);
    requests.open.reset();
}

void Ear::hear_read(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    Requests& requests = requests_[from];
    const ib::Reth& reth = packet.ib.reth;
    if (reth.dma_length > longest_message || requests.reads.size() >= reads_at_once)
        return object("it reads more at once than is kept");
    const std::uint32_t packets = packets_for(reth.dma_length);
    requests.reads.push_back({packet.ib.bth.psn, packets, 0, reth.dma_length, completed_, {}});
    requests.next_psn = psn_after(packet.ib.bth.psn, packets);
    Message message = begun(from, packet, packet.ib.bth.opcode);
    stack::append(message.octets, reth);
    complete(std::move(message), packet, heard);
}

/// Echoes the PSNs of the other side's READ.
void Ear::hear_read_response(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    std::deque<Read>& reads = requests_[engine::other(from)].reads;
    const auto read = std::ranges::find_if(reads, [&](const Read& candidate) {
        return psn_after(candidate.first_psn, candidate.arrived) == packet.ib.bth.psn;
    });
    if (read == reads.end()) return;
    if (packet.ib.payload.size() < packet.ib.payload_length) object("its data were not captured whole");
    append(read->octets, packet.ib.payload);
    if (++read->arrived < read->packets) return;
    Message message = begun(from, packet, read_response_only);
    message.answers = read->number;
    append(message.octets, read->octets);
    reads.erase(read);
    complete(std::move(message), packet, heard);
}

/// Only what ends the connection is a message: the rest is the transport's own.
void Ear::hear_acknowledge(Side from, const capture::Packet& packet, std::vector<Heard>& heard) {
    const ib::AethSyndrome syndrome = ib::AethSyndrome::of(packet.ib.aeth.syndrome);
    if (syndrome.kind != ib::AethSyndrome::Class::nak || syndrome.value == ib::AethSyndrome::psn_sequence_error) return;
    Requests& refused = requests_[engine::other(from)];
    if (refused.refused_psn == packet.ib.bth.psn) return;
    refused.refused_psn = packet.ib.bth.psn;
    refused.open.reset();
    std::erase_if(
        refused.reads, [&](const Read& read) { return psn_distance(packet.ib.bth.psn, read.first_psn) >= 0; });
    Message message = begun(from, packet, packet.ib.bth.opcode);
    message.name = nak_name;
    stack::append(message.octets, packet.ib.aeth);
    complete(std::move(message), packet, heard);
}

}  // namespace fabricscope::replay::rdma_cm
