// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/engine/rdma/at.h"
#include "analyzer/engine/rdma_cm/tracker.h"

namespace fabricscope::engine::rdma {

using capture::Packet;

namespace {

std::optional<Transport> transport_of(std::uint8_t opcode) {
    switch (ib::service_of(opcode)) {
        case ib::Service::rc: return Transport::rc;
        case ib::Service::uc: return Transport::uc;
        case ib::Service::ud: return Transport::ud;
        case ib::Service::xrc: return Transport::xrc;
        default: return std::nullopt;
    }
}

std::optional<OperationType> type_of(ib::Operation operation) {
    switch (operation) {
        case ib::Operation::send: return OperationType::send;
        case ib::Operation::rdma_write: return OperationType::write;
        case ib::Operation::rdma_read_request:
        case ib::Operation::rdma_read_response: return OperationType::read;
        case ib::Operation::atomic_request:
        case ib::Operation::atomic_acknowledge: return OperationType::atomic;
        default: return std::nullopt;
    }
}

bool carries_data(ib::Operation operation) {
    return operation == ib::Operation::send || operation == ib::Operation::rdma_write ||
           operation == ib::Operation::rdma_read_response;
}

/// Management packets are no traffic of anybody's queue pair.
bool is_management(const Packet& packet) {
    if (packet.ib.has_deth) return packet.ib.bth.destination_qpn <= 1 || packet.ib.deth.source_qpn <= 1;
    return packet.ib.bth.destination_qpn <= 1 && ib::service_of(packet.ib.bth.opcode) == ib::Service::ud;
}

}  // namespace

void Streams::on_packet(const Packet& packet) {
    now_ = std::max(now_, packet.time);
    if (packet.mac_control != 0) return pauses_.on_packet(packet);
    if (packet.transport != capture::Transport::ib) return;
    if (is_management(packet)) return on_management(packet);
    if (packet.ib.opcode().operation == ib::Operation::congestion_notification) return on_cnp(packet);
    Half* found = half_of(packet);
    if (found == nullptr) return;
    const bool request = !ib::is_response(packet.ib.opcode().operation);
    if (request && is_reliable(found->key.transport) && begins_anew(*found, packet)) found = &made_anew(*found, packet);
    Half& half = *found;
    half.migration_seen[packet.ib.bth.migration ? 1 : 0] = true;
    if (half.peer == nullptr && is_reliable(half.key.transport))
        if (Half* peer = request ? find_responder(half, packet) : find_peer(half, packet))
            join(half, *peer, Learned::acknowledgments);

    Stream& stream = *half.stream;
    Direction& direction = stream.from[half.side];
    ++direction.packets;
    if (!direction.first_time) direction.first_time = packet.time;
    direction.last_time = packet.time;
    stream.last_frame = packet.number;
    stream.last_time = packet.time;

    FrameFacts facts;
    facts.operation = type_of(packet.ib.opcode().operation);
    facts.ce = packet.congestion_experienced();
    if (facts.ce) note_marked(half, packet);
    At at{packet, half, direction, facts};
    half.icrc_checks.on_packet(packet, direction.icrcs, icrc_room_);
    if (!ends_message(at.opcode.position)) learn_mtu(at);
    if (half.key.transport != Transport::ud && carries_data(at.opcode.operation)) judge_length(at);
    if (request) on_request(at);
    else on_response(at);
    if (is_observed_) tell(at);
}

/// A packet of one of both was not taken: it, or what should have answered it, may have come with a wrong ICRC.
void Streams::suspect_loss(Half& half) {
    half.icrc_checks.suspect();
    if (half.peer != nullptr) half.peer->icrc_checks.suspect();
}

/// nullptr: there is no room for another host.
HostPackets* Streams::packets_of(const Address& host) {
    const bool is_room = model_.hosts.size() < options_.limits.hosts;
    const auto found = is_room ? model_.hosts.try_emplace(host).first : model_.hosts.find(host);
    return found != model_.hosts.end() ? &found->second : nullptr;
}

void Streams::on_management(const Packet& packet) {
    if (HostPackets* sender = packets_of(packet.source)) ++sender->management_sent;
    if (HostPackets* receiver = packets_of(packet.destination)) ++receiver->management_received;
    if (packet.ib.bth.destination_qpn != ib::gsi_qpn) return;
    note_unread(packet);
    make_room_for_connection(packet);
}

/// It may be a DREQ as well.
void Streams::note_unread(const Packet& mad) {
    if (!rdma_cm::is_unread(mad)) return;
    const bool is_room = unread_.size() < options_.limits.hosts;
    const auto found = is_room ? unread_.try_emplace({mad.source, mad.destination}).first
                               : unread_.find({mad.source, mad.destination});
    if (found != unread_.end()) found->second = mad.number;
    else unread_elsewhere_ = mad.number;
}

bool Streams::may_be_disconnected(const Stream& stream) const {
    const auto unread_from = [&](const Address& source, const Address& destination) {
        const auto found = unread_.find({source, destination});
        return found != unread_.end() && found->second > stream.first_frame;
    };
    const Address &one = stream.end[a].address, &other = stream.end[b].address;
    return unread_from(one, other) || unread_from(other, one) || unread_elsewhere_ > stream.first_frame;
}

/// REQ and REP name a queue pair: if it is one whose connection is over, or that had its packets before, its number is
/// used again.
void Streams::make_room_for_connection(const Packet& mad) {
    const std::optional<std::uint32_t> qpn = rdma_cm::queue_pair_named_by(mad);
    if (!qpn) return;
    for (const Transport transport : {Transport::rc, Transport::xrc, Transport::uc}) {
        Half* const* half = half_by_key_.find(Key{{mad.destination, mad.source}, *qpn, 0, transport});
        if (half == nullptr || *half == nullptr) continue;
        if (is_disconnected(**half) || is_of_before(**half, {mad.source, *qpn})) retire(**half);
    }
}

/// Nothing was sent to it any more when the connection that names it now was asked for.
bool Streams::is_of_before(const Half& half, const QueuePairKey& named) {
    const std::uint32_t id = sessions_.latest_connection(named);
    if (id == 0) return false;
    const std::optional<FrameStamp>& req = announcements_.cm.connections[id - 1].req;
    return req && req->time - half.stream->last_time > greatest_skew;
}

void Streams::tell(At& at) {
    FrameFacts& facts = at.facts;
    const Stream& stream = *at.half.stream;
    facts.frame = at.packet.number;
    facts.time = at.packet.time;
    facts.stream = stream.id;
    facts.from = at.half.side;
    facts.request = !ib::is_response(at.opcode.operation);
    facts.response = !facts.request;
    facts.psn = at.psn;
    facts.source_qpn = stream.end[at.half.side].qpn;
    Half* requester = facts.request ? &at.half : at.half.peer;
    if (requester != nullptr && requester->requests.started() && is_reliable(at.half.key.transport)) {
        facts.relative_psn = static_cast<std::uint32_t>(facts.psn - requester->requests.first_psn()) & ib::psn_mask;
        facts.packets_in_flight = requester->requests.in_flight();
        facts.bytes_in_flight = requester->requests.bytes_in_flight(stream.mtu);
    }
    observer_.on_facts(facts);
    observer_.on_packet(facts, at.packet);
}

/// It is sent to the queue pair whose packets were marked. What else goes there tells its stream; as long as nothing
/// has, the marked packets do, if they are those of one stream only.
void Streams::on_cnp(const Packet& packet) {
    ++model_.cnps;
    if (HostPackets* sender = packets_of(packet.source)) ++sender->cnps_sent;
    if (HostPackets* receiver = packets_of(packet.destination)) ++receiver->cnps_received;
    Key key{{packet.source, packet.destination}, packet.ib.bth.destination_qpn, 0, {}};
    for (const Transport transport : {Transport::rc, Transport::xrc, Transport::uc}) {
        key.transport = transport;
        Half* const* found = half_by_key_.find(key);
        if (found == nullptr || *found == nullptr) continue;
        Half& half = **found;
        judge_cnp_interval(half, packet);
        return take_cnp(packet, *half.stream, half.side, half.peer);
    }
    if (const Half* half = marked_for(packet)) return take_cnp(packet, *half->stream, other(half->side), half);
    key.transport = {};
    if (waiting_cnps_.size() < options_.limits.streams) ++waiting_cnps_[key];
}

void Streams::take_cnp(const Packet& packet, const Stream& stream, Side from, const Half* marked) {
    ++model_.streams[stream.id - 1].from[other(from)].cnps;
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.stream = stream.id;
    facts.from = from;
    facts.cnp = true;
    if (marked != nullptr && marked->congestion && marked->congestion->last_marked)
        facts.cnp_latency = packet.time - *marked->congestion->last_marked;
    facts.source_qpn = stream.end[from].qpn;
    observer_.on_facts(facts);
    observer_.on_packet(facts, packet);
}

/// The only one whose packets come from the queue pair that the CNP goes to, as far as that is known.
Streams::Half* Streams::marked_for(const Packet& cnp) {
    const std::vector<Half*>* marked = marked_.find({cnp.destination, cnp.source});
    if (marked == nullptr) return nullptr;
    const auto fits = [&](const Half* half) {
        if (half->key.transport == Transport::ud) return half->key.source_qpn == cnp.ib.bth.destination_qpn;
        return half->peer == nullptr && !half->gone;
    };
    const auto found = std::ranges::find_if(*marked, fits);
    if (found == marked->end() || std::any_of(found + 1, marked->end(), fits)) return nullptr;
    return *found;
}

void Streams::note_marked(Half& half, const Packet& packet) {
    ++direction_of(half).ce_marked;
    ++model_.ce_marked;
    if (!half.congestion) half.congestion = std::make_unique<Congestion>();
    if (!std::exchange(half.congestion->last_marked, packet.time)) {
        std::vector<Half*>& marked = marked_[half.key.pair];
        if (marked.size() >= options_.limits.candidates) marked.erase(marked.begin());
        marked.push_back(&half);
    }
}

/// Those that came before anything else that goes their way.
void Streams::take_waiting_cnps(const Half& half) {
    if (waiting_cnps_.empty()) return;
    const auto waiting = waiting_cnps_.find(Key{half.key.pair, half.key.qpn, 0, {}});
    if (waiting == waiting_cnps_.end()) return;
    opposite_of(half).cnps += waiting->second;
    waiting_cnps_.erase(waiting);
}

void Streams::judge_cnp_interval(Half& half, const Packet& packet) {
    constexpr Time interval = 50 * capture::microsecond;
    if (!half.congestion) half.congestion = std::make_unique<Congestion>();
    const std::optional<FrameStamp> before = std::exchange(half.congestion->last_cnp, engine::step_of(packet));
    if (!before || before->interface != packet.interface) return;
    const Time waited = packet.time - before->time;
    if (waited >= interval) return verdicts_.satisfied(rules::cnp_interval);
    verdicts_.broken(
        rules::cnp_interval, {before->frame, packet.number}, {half.stream->id},
        fmt::format("a CNP comes {} us after the one before", waited / capture::microsecond));
}

std::optional<Streams::Key> Streams::key_of(const Packet& packet) {
    const auto transport = transport_of(packet.ib.bth.opcode);
    if (!transport || (*transport == Transport::ud && !packet.ib.has_deth)) return std::nullopt;
    const std::uint32_t source_qpn = *transport == Transport::ud ? packet.ib.deth.source_qpn : 0;
    return Key{{packet.source, packet.destination}, packet.ib.bth.destination_qpn, source_qpn, *transport};
}

Streams::Half* Streams::half_of(const Packet& packet) {
    const std::optional<Key> key = key_of(packet);
    if (!key) return nullptr;
    // Queue pairs of both hosts often have the same number, and hosts the same last octet.
    Half*& latest = latest_[mixed(packet.source.back() ^ key->qpn) % latest_.size()];
    if (latest != nullptr && !latest->gone && latest->key == *key) return latest;
    Half* const* found = half_by_key_.find(*key);
    return latest = found != nullptr && *found != nullptr ? *found : new_half(*key, packet);
}

/// It was lost for its receiver, and is so here.
void Streams::on_damaged(const Packet& packet) {
    const std::optional<Key> key = packet.transport == capture::Transport::ib ? key_of(packet) : std::nullopt;
    Half* const* half = key ? half_by_key_.find(*key) : nullptr;
    if (half == nullptr || *half == nullptr) return;
    Icrcs& icrcs = (*half)->stream->from[(*half)->side].icrcs;
    ++icrcs.checked;
    icrcs.any_right = true;
    icrcs.add_wrong(packet.number);
}

/// Datagrams name both queue pairs; an answer belongs to what it answers.
Streams::Half* Streams::peer_from_the_start(Half& half, const Packet& packet) {
    const Key& key = half.key;
    if (key.transport == Transport::ud) {
        const Key back{{key.pair.destination, key.pair.source}, key.source_qpn, key.qpn, key.transport};
        Half* const* peer = half_by_key_.find(back);
        return peer != nullptr && *peer != &half ? *peer : nullptr;
    }
    return ib::is_response(packet.ib.opcode().operation) ? find_peer(half, packet) : nullptr;
}

Streams::Half* Streams::new_half(const Key& key, const Packet& packet) {
    Half& half = halves_.emplace_back(key, options_.limits);
    half.first_frame = packet.number;
    Half* const peer = peer_from_the_start(half, packet);
    if (peer == nullptr && model_.streams.size() >= options_.limits.streams) {
        halves_.pop_back();
        ++model_.dropped_streams;
        return nullptr;
    }
    half_by_key_[key] = &half;
    if (peer != nullptr) {
        forget_candidate(*peer);
        half.stream = peer->stream;
        half.side = other(peer->side);
        half.peer = peer, peer->peer = &half;
        Stream& stream = *half.stream;
        stream.end[peer->side].qpn = key.qpn;
        if (!stream.learned) stream.learned = Learned::acknowledgments;
        settle_silent(*peer);
        take_waiting_cnps(half);
        return &half;
    }
    Stream& stream = model_.streams.emplace_back();
    merged_.emplace_back();
    events_of_.push_back(0);
    half.stream = &stream;
    stream.id = static_cast<std::uint32_t>(model_.streams.size());
    stream.transport = key.transport;
    stream.end = {{{key.pair.source, std::nullopt}, {key.pair.destination, key.qpn}}};
    stream.first_frame = packet.number;
    if (key.transport == Transport::ud) {
        stream.end[a].qpn = key.source_qpn;
        stream.learned = Learned::datagrams;
    }
    if (key.transport != Transport::ud) take_waiting_cnps(half);
    if (!is_reliable(key.transport)) return &half;
    std::vector<Half*>& candidates = candidates_[key.pair];
    if (candidates.size() >= options_.limits.candidates) candidates.erase(candidates.begin());
    candidates.push_back(&half);
    return &half;
}

/// What comes to its number, and to its peer's, is another stream's from now on.
void Streams::retire(Half& half) {
    for (Half* gone : {&half, half.peer}) {
        if (gone == nullptr) continue;
        gone->gone = true;
        forget_candidate(*gone);
        half_by_key_[gone->key] = nullptr;
    }
}

/// Whether nothing is outstanding, and for longer than anybody waits before it sends again.
bool Streams::has_rested(const Half& half, Time now) {
    constexpr Time longest_timeout = 10 * capture::second;
    return half.requests.pending.empty() && now - half.stream->last_time > longest_timeout;
}

/// Whether these are the requests of another queue pair: their PSNs have nothing to do with those before, or begin
/// where they did, with something else than what has been acknowledged there.
bool Streams::begins_anew(Half& half, const Packet& packet) {
    const Requests& requests = half.requests;
    const Beginning beginning{packet.ib.bth.opcode, packet.ib.payload_length};
    if (!half.beginning) half.beginning = beginning;
    if (!requests.started()) return false;
    if (requests.is_foreign(packet.ib.bth.psn)) return true;
    const bool again = packet.ib.bth.psn == requests.first_psn() && requests.has_arrived(packet.ib.bth.psn);
    if (again && (*half.beginning != beginning || has_rested(half, packet.time))) return true;
    half.may_be_anew |= again;
    return false;
}

/// The numbers of its packets have nothing to do with those before: another queue pair has got its number.
Streams::Half& Streams::made_anew(Half& half, const Packet& packet) {
    std::optional<Silence>& silence = half.stream->silence;
    if (silence && !silence->is_final_at(packet.time)) silence.reset();
    retire(half);
    Half* made = new_half(half.key, packet);
    if (made == nullptr) return half;
    made->beginning = Beginning{packet.ib.bth.opcode, packet.ib.payload_length};
    return *made;
}

// ---- what is kept ----------------------------------------------------------------------------------

/// Its stream may have been joined with another one since it was asked for.
void Streams::keep(const Half& asker, Operation& operation) {
    operation.stream = asker.stream->id;
    operation.by = asker.side;
    if (model_.operations.size() >= options_.limits.operations) {
        ++model_.dropped_operations;
        return;
    }
    constexpr std::size_t expected = 100'000;  // memory that is asked for is used only once they come
    if (model_.operations.empty()) model_.operations.reserve(std::min(options_.limits.operations, expected));
    model_.operations.push_back(operation);
}

Event* Streams::add_event(const At& at, Event::Kind kind, std::uint32_t psn, std::uint64_t count) {
    std::uint32_t& kept = events_of_[at.half.stream->id - 1];
    if (model_.events.size() >= options_.limits.events || kept >= options_.limits.events_of_a_stream) {
        ++model_.dropped_events;
        return nullptr;
    }
    ++kept;
    return &model_.events.emplace_back(
        Event{at.half.stream->id, at.half.side, kind, at.packet.time, at.packet.number, psn, count, {}, {}, {}});
}

}  // namespace fabricscope::engine::rdma
