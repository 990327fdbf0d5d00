// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/traffic.h"

#include <algorithm>

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::size_t max_receivers = 4096;  // of one datagram queue pair
constexpr std::size_t max_unplaced = 4096;   // packets of one queue pair
constexpr std::size_t most_leaving = 256;

bool is_datagram(const Connection& connection) { return connection.service == Service::ud; }

}  // namespace

void TrafficCounter::register_end(const Connection& connection, Side side) {
    const Endpoint& end = connection.end[side];
    if (!end.qpn) return;
    register_at({end.address, *end.qpn}, connection, side);
    if (end.lid) register_at({*end.lid, *end.qpn}, connection, side);
}

void TrafficCounter::register_at(const QueuePairKey& queue_pair, const Connection& connection, Side side) {
    std::vector<Receiver>& there = receivers_[queue_pair];
    // A queue pair of a connection belongs to it alone, whoever had the number before.
    if (!is_datagram(connection)) there.clear();
    else if (there.size() >= max_receivers) there.erase(there.begin());
    there.push_back({connection.id, side, nullptr, {}});
}

void TrafficCounter::leave(const Connection& connection, Time now) {
    leaving_.emplace_back(now, connection.id);
    while (leaving_.size() > most_leaving || leaving_.front().first + greatest_skew < now) {
        release(model_.connections[leaving_.front().second - 1]);
        leaving_.pop_front();
    }
}

void TrafficCounter::release(const Connection& connection) {
    for (const Endpoint& end : connection.end.values) {
        if (!end.qpn) continue;
        release_at({end.address, *end.qpn}, connection);
        if (end.lid) release_at({*end.lid, *end.qpn}, connection);
    }
}

void TrafficCounter::release_at(const QueuePairKey& queue_pair, const Connection& connection) {
    const auto found = receivers_.find(queue_pair);
    if (found == receivers_.end()) return;
    for (Receiver& receiver : found->second)
        if (receiver.connection == connection.id) receiver.stream.reset(), receiver.unplaced.clear();
}

/// How surely the packet comes from the receiver's peer; 0: it does not. A datagram's sender may not be
/// known yet.
int TrafficCounter::fit(const Receiver& receiver, const capture::Packet& packet) const {
    const Connection& connection = model_.connections[receiver.connection - 1];
    const Endpoint& peer = connection.end[other(receiver.side)];
    if (!(peer.address == packet.source) && peer.lid != packet.source) return 0;
    if (!packet.ib.has_deth || !peer.qpn) return 1;
    return *peer.qpn == packet.ib.deth.source_qpn ? 2 : 0;
}

TrafficCounter::Receiver* TrafficCounter::find(const capture::Packet& packet) {
    const auto found = receivers_.find({packet.destination, packet.ib.bth.destination_qpn});
    if (found == receivers_.end() || found->second.empty()) return nullptr;
    const auto fits = [&](const Receiver& receiver) { return fit(receiver, packet); };
    const auto best = std::ranges::max_element(found->second, {}, fits);
    return fits(*best) != 0 ? &*best : nullptr;
}

/// SIDR tells the server's queue pair only; the client's is in its first datagram.
void TrafficCounter::learn_client(Connection& connection, const capture::Packet& packet) {
    Endpoint& client = connection.end[Side::client];
    if (client.qpn) return;
    client.qpn = packet.ib.deth.source_qpn;
    register_end(connection, Side::client);
}

bool TrafficCounter::is_repeated(Receiver& receiver, const capture::Packet& packet) {
    if (!receiver.stream) receiver.stream = std::make_unique<capture::RcReceiver>();
    const capture::RcEvent event = receiver.stream->receive(packet);
    const std::uint32_t psn = packet.ib.bth.psn;
    if (event.repeated() || (!ib::is_response(packet.ib.opcode().operation) && receiver.unplaced.contains(psn)))
        return true;
    if (event.kind != capture::RcEvent::Kind::unplaceable) return false;
    if (receiver.unplaced.size() >= max_unplaced) receiver.unplaced.clear();
    receiver.unplaced.insert(psn);
    return false;
}

void TrafficCounter::on_packet(const capture::Packet& packet) {
    if (receivers_.empty()) return;
    Receiver* receiver = find(packet);
    if (receiver == nullptr) return;
    Connection& connection = model_.connections[receiver->connection - 1];
    const Side from = other(receiver->side);
    bool repeated = false;
    const ib::Service service = ib::service_of(packet.ib.bth.opcode);
    if (service == ib::Service::rc || service == ib::Service::xrc) repeated = is_repeated(*receiver, packet);
    count(connection.from[from], packet, repeated);
    connection.last_time = std::max(connection.last_time, packet.time);
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.connection = connection.id;
    facts.from = from;
    facts.retransmission = repeated;
    observer_.on_facts(facts);
    observer_.on_packet(facts, packet);
    if (packet.ib.has_deth && from == Side::client) learn_client(connection, packet);
}

void TrafficCounter::count(Traffic& traffic, const capture::Packet& packet, bool repeated) {
    using ib::Operation;
    using ib::Position;
    ++traffic.packets;
    if (!traffic.first) {
        traffic.first = packet.time;
        traffic.first_frame = packet.number;
    }
    traffic.last = packet.time;
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    if (opcode.operation == Operation::acknowledge) {
        const auto kind = ib::AethSyndrome::of(packet.ib.aeth.syndrome).kind;
        ++(kind == ib::AethSyndrome::Class::nak       ? traffic.naks
           : kind == ib::AethSyndrome::Class::rnr_nak ? traffic.rnr_naks
                                                      : traffic.acks);
        return;
    }
    if (repeated) return;
    traffic.bytes += packet.ib.payload_length;
    if (opcode.position != Position::only && opcode.position != Position::first) return;
    switch (opcode.operation) {
        case Operation::send: ++traffic.sends; return;
        case Operation::rdma_write: ++traffic.writes; return;
        case Operation::rdma_read_request: ++traffic.reads; return;
        case Operation::atomic_request: ++traffic.atomics; return;
        default: return;
    }
}

}  // namespace fabricscope::engine::rdma_cm
