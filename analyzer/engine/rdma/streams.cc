// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/streams.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine/rdma/sessions.h"
#include "protocols/net/headers.h"

namespace fabricscope::engine::rdma {

using capture::Packet;
using ib::AethSyndrome;
using ib::Position;
using ib::psn_after;
using ib::psn_distance;
using Refused = AethSyndrome::Class;

namespace {

// What overtakes on its way is there again sooner than anybody who misses it sends it again.
constexpr Time overtaken_within = capture::millisecond;
// Shorter silences are no time-outs unless the timer is known to be that short.
constexpr Time shortest_timeout = capture::millisecond;
// Who is told that a packet is missing sends it again sooner; later it was a timer.
constexpr Time slowest_reaction = 50 * capture::millisecond;
// Answers that overtake each other are no further apart.
constexpr Time longest_detour = capture::second;

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

bool begins(Position position) { return position == Position::first || position == Position::only; }
bool ends(Position position) { return position == Position::last || position == Position::only; }

/// Management packets are no traffic of anybody's queue pair.
bool is_management(const Packet& packet) {
    return packet.ib.has_deth && (packet.ib.bth.destination_qpn <= 1 || packet.ib.deth.source_qpn <= 1);
}

void add(OperationCount& to, const OperationCount& more) {
    to.count += more.count;
    to.bytes += more.bytes;
}

void add(Retransmitted& to, const Retransmitted& more) {
    to.packets += more.packets;
    to.nak += more.nak;
    to.timeout += more.timeout;
    to.rnr += more.rnr;
    to.implied += more.implied;
}

void add(Direction& to, const Direction& more) {
    to.packets += more.packets;
    to.bytes += more.bytes;
    for (std::size_t i = 0; i < operation_types; ++i) add(to.operations[i], more.operations[i]);
    add(to.retransmitted, more.retransmitted);
    to.lost += more.lost;
    to.not_captured += more.not_captured;
    to.out_of_order += more.out_of_order;
    to.duplicate_requests += more.duplicate_requests;
    to.naks += more.naks;
    to.rnr_naks += more.rnr_naks;
    to.cnps += more.cnps;
    to.ce_marked += more.ce_marked;
    to.timeouts += more.timeouts;
    to.longest_timeout = std::max(to.longest_timeout, more.longest_timeout);
    to.rnr_waited += more.rnr_waited;
    to.ack_rtt.add(more.ack_rtt);
    to.operation_time.add(more.operation_time);
    if (more.first_time) to.first_time = to.first_time ? std::min(*to.first_time, *more.first_time) : more.first_time;
    if (more.last_time) to.last_time = to.last_time ? std::max(*to.last_time, *more.last_time) : more.last_time;
}

void count(Retransmitted& retransmitted, Cause cause) {
    ++retransmitted.packets;
    switch (cause) {
        case Cause::nak: ++retransmitted.nak; break;
        case Cause::timeout: ++retransmitted.timeout; break;
        case Cause::rnr: ++retransmitted.rnr; break;
        case Cause::implied: ++retransmitted.implied; break;
        case Cause::unknown: break;
    }
}

bool is_fatal(AethSyndrome syndrome) {
    return syndrome.kind == Refused::nak && syndrome.value >= AethSyndrome::invalid_request &&
           syndrome.value <= AethSyndrome::invalid_rd_request;
}

}  // namespace

/// The packet at hand.
struct Streams::At {
    const Packet& packet;
    Half& half;
    Direction& direction;
    FrameFacts& facts;
    const ib::OpcodeInfo& opcode = packet.ib.opcode();
    std::uint32_t psn = packet.ib.bth.psn;

    FrameStamp stamp() const { return engine::step_of(packet); }
};

// ---- a packet's way --------------------------------------------------------------------------------

void Streams::on_packet(const Packet& packet) {
    now_ = std::max(now_, packet.time);
    model_.pfc_frames += packet.mac_control == net::mac_control_priority_pause ? 1 : 0;
    model_.pause_frames += packet.mac_control == net::mac_control_pause ? 1 : 0;
    if (packet.transport != capture::Transport::ib || is_management(packet)) return;
    if (packet.ib.opcode().operation == ib::Operation::congestion_notification) return on_cnp(packet);
    Half* found = half_of(packet);
    if (found == nullptr) return;
    const bool request = !ib::is_response(packet.ib.opcode().operation);
    if (request && is_reliable(found->key.transport) &&
        found->requests.place(packet.ib.bth.psn, true).place == Place::foreign)
        found = &made_anew(*found, packet);
    Half& half = *found;
    if (!request && half.peer == nullptr)
        if (Half* peer = find_peer(half, packet)) join(half, *peer, Learned::acknowledgments);

    Stream& stream = stream_of(half);
    Direction& direction = stream.from[half.side];
    ++direction.packets;
    if (!direction.first_time) direction.first_time = packet.time;
    direction.last_time = packet.time;
    stream.last_frame = packet.number;
    stream.last_time = packet.time;

    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.stream = half.stream;
    facts.from = half.side;
    facts.request = request;
    facts.response = !request;
    facts.psn = packet.ib.bth.psn;
    facts.source_qpn = stream.end[half.side].qpn;
    facts.operation = type_of(packet.ib.opcode().operation);
    facts.ce = packet.congestion_experienced();
    if (facts.ce) ++direction.ce_marked, ++model_.ce_marked;
    At at{packet, half, direction, facts};
    learn_mtu(at);
    if (request) on_request(at);
    else on_response(at);
    const Half* requester = request ? &half : half.peer;
    if (requester != nullptr && requester->requests.started() && is_reliable(half.key.transport)) {
        facts.relative_psn = static_cast<std::uint32_t>(facts.psn - requester->requests.first_psn()) & ib::psn_mask;
        facts.packets_in_flight = requester->requests.in_flight();
    }
    observer_.on_facts(facts);
    observer_.on_packet(facts, packet);
}

/// It is sent to the queue pair whose packets were marked.
void Streams::on_cnp(const Packet& packet) {
    ++model_.cnps;
    for (const Transport transport : {Transport::rc, Transport::xrc, Transport::uc}) {
        const Key key{{packet.source, packet.destination}, packet.ib.bth.destination_qpn, 0, transport};
        Half* const* found = half_by_key_.find(key);
        if (found == nullptr || *found == nullptr) continue;
        const Half& half = **found;
        ++opposite_of(half).cnps;
        FrameFacts facts;
        facts.frame = packet.number;
        facts.time = packet.time;
        facts.stream = half.stream;
        facts.from = half.side;
        facts.cnp = true;
        facts.source_qpn = stream_of(half).end[half.side].qpn;
        observer_.on_facts(facts);
        return observer_.on_packet(facts, packet);
    }
}

Streams::Half* Streams::half_of(const Packet& packet) {
    const auto transport = transport_of(packet.ib.bth.opcode);
    if (!transport || (*transport == Transport::ud && !packet.ib.has_deth)) return nullptr;
    const Key key{
        {packet.source, packet.destination},
        packet.ib.bth.destination_qpn,
        *transport == Transport::ud ? packet.ib.deth.source_qpn : 0,
        *transport};
    Half* const* found = half_by_key_.find(key);
    return found != nullptr && *found != nullptr ? *found : new_half(key, packet);
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
    half_by_key_[key] = &half;
    if (Half* peer = peer_from_the_start(half, packet)) {
        forget_candidate(*peer);
        half.stream = peer->stream;
        half.side = other(peer->side);
        half.peer = peer, peer->peer = &half;
        Stream& stream = stream_of(half);
        stream.end[peer->side].qpn = key.qpn;
        if (!stream.learned) stream.learned = Learned::acknowledgments;
        return &half;
    }
    if (model_.streams.size() >= options_.limits.streams) {
        half_by_key_[key] = nullptr;
        halves_.pop_back();
        ++model_.dropped_streams;
        return nullptr;
    }
    Stream& stream = model_.streams.emplace_back();
    merged_.emplace_back();
    events_of_.push_back(0);
    half.stream = stream.id = static_cast<std::uint32_t>(model_.streams.size());
    stream.transport = key.transport;
    stream.end = {{{key.pair.source, std::nullopt}, {key.pair.destination, key.qpn}}};
    stream.first_frame = packet.number;
    if (key.transport == Transport::ud) {
        stream.end[a].qpn = key.source_qpn;
        stream.learned = Learned::datagrams;
    }
    if (!is_reliable(key.transport)) return &half;
    std::vector<Half*>& candidates = candidates_[key.pair];
    if (candidates.size() >= options_.limits.candidates) candidates.erase(candidates.begin());
    candidates.push_back(&half);
    return &half;
}

/// The numbers of its packets have nothing to do with those before: another queue pair has got its number.
Streams::Half& Streams::made_anew(Half& half, const Packet& packet) {
    for (Half* gone : {&half, half.peer}) {
        if (gone == nullptr) continue;
        gone->gone = true;
        forget_candidate(*gone);
        half_by_key_[gone->key] = nullptr;
    }
    Half* made = new_half(half.key, packet);
    return made != nullptr ? *made : half;
}

// ---- which queue pairs belong together -------------------------------------------------------------

void Streams::forget_candidate(const Half& half) { std::erase(candidates_[half.key.pair], &half); }

/// The only one whose requests this packet can answer.
Streams::Half* Streams::find_peer(Half& half, const Packet& packet) {
    constexpr std::uint32_t eager_attempts = 64;
    if (++half.attempts > eager_attempts && half.attempts % eager_attempts != 0) return nullptr;
    const std::vector<Half*>* candidates = candidates_.find({half.key.pair.destination, half.key.pair.source});
    if (candidates == nullptr) return nullptr;
    Half* found = nullptr;
    for (Half* candidate : *candidates) {
        const Requests& requests = candidate->requests;
        const bool answers = candidate->key.transport == half.key.transport && requests.started() &&
                             psn_distance(requests.first_psn(), packet.ib.bth.psn) >= 0 &&
                             psn_distance(packet.ib.bth.psn, requests.next_psn()) > 0;
        if (!answers) continue;
        if (found != nullptr) return nullptr;
        found = candidate;
    }
    return found;
}

void Streams::join(Half& half, Half& peer, Learned learned) {
    forget_candidate(half);
    forget_candidate(peer);
    half.peer = &peer, peer.peer = &half;
    if (half.stream < peer.stream) merge(half, peer);
    else merge(peer, half);
    Stream& stream = stream_of(half);
    stream.learned = learned;
    stream.end[half.side].qpn = peer.key.qpn;
    stream.end[peer.side].qpn = half.key.qpn;
}

void Streams::merge(Half& kept, Half& dropped) {
    Stream& into = stream_of(kept);
    Stream& from = stream_of(dropped);
    add(into.from[other(kept.side)], from.from[dropped.side]);
    add(into.from[kept.side], from.from[other(dropped.side)]);
    from.from = {};
    from.merged = true;
    into.first_frame = std::min(into.first_frame, from.first_frame);
    into.last_frame = std::max(into.last_frame, from.last_frame);
    into.last_time = std::max(into.last_time, from.last_time);
    if (!into.mtu) into.mtu = from.mtu;
    if (from.fatal) {
        into.fatal = from.fatal;
        into.fatal->by = from.fatal->by == dropped.side ? other(kept.side) : kept.side;
    }
    merged_[from.id - 1] = {into.id, other(kept.side)};
    dropped.stream = into.id;
    dropped.side = other(kept.side);
    observer_.on_merged(from.id, into.id);
}

// ---- requests --------------------------------------------------------------------------------------

void Streams::learn_mtu(At& at) {
    const bool full = at.opcode.position == Position::first || at.opcode.position == Position::middle;
    if (!full || at.packet.ib.payload_length == 0) return;
    std::optional<std::uint32_t>& mtu = stream_of(at.half).mtu;
    if (!mtu) mtu = at.packet.ib.payload_length;
}

/// How many PSNs it takes; 0: nobody knows.
std::uint32_t Streams::share_of(const At& at) const {
    constexpr std::uint32_t smallest_mtu = 256;
    if (at.opcode.operation != ib::Operation::rdma_read_request) return 1;
    if (!at.packet.ib.has_reth) return 0;
    const std::uint32_t length = at.packet.ib.reth.dma_length;
    if (length <= smallest_mtu) return 1;
    const std::optional<std::uint32_t>& mtu = model_.streams[at.half.stream - 1].mtu;
    return mtu ? (length - 1) / *mtu + 1 : 0;
}

void Streams::on_request(At& at) {
    Half& half = at.half;
    if (half.key.transport == Transport::ud) return take_operation(at, false);
    const Requests::Placed placed = half.requests.place(at.psn, false);
    const bool reliable = is_reliable(half.key.transport);
    const bool seen_before = placed.place == Place::repeated;
    if (half.peer != nullptr && half.peer->own_nak && half.peer->own_nak->psn == at.psn) half.peer->own_nak.reset();
    if (placed.place == Place::late) on_late(at, placed);
    else if (seen_before && reliable) on_repeated(at, true);
    else half.again.reset(), half.late_next.reset();
    if (placed.place == Place::ahead) at.facts.missing = placed.missing;
    PendingOperations& pending = half.requests.pending;
    if (placed.place == Place::next && !pending.empty() && !pending.back().sized) {
        pending.back().end_psn = at.psn;
        pending.back().sized = true;
    }
    const std::uint32_t share = share_of(at);
    half.requests.take(at.psn, share, at.packet.time);
    if (placed.place == Place::ahead && half.requests.acknowledged()) {
        const std::uint32_t begin = psn_after(at.psn, ib::psn_mask + 1 - placed.missing);
        const std::uint32_t arrived = half.requests.fill(begin, psn_after(*half.requests.acknowledged()));
        if (arrived != 0) {
            at.direction.not_captured += arrived;
            add_event(at, Event::Kind::not_captured, begin, arrived);
        }
    }
    if (seen_before) {
        if (Pending* repeated = pending.covering(at.psn)) {
            ++repeated->seen.retransmitted;
            repeated->seen.last = at.stamp();
            at.facts.operation_number = repeated->number;
            at.facts.operation_bytes = repeated->asked_bytes;
        }
    } else {
        take_operation(at, placed.place == Place::late);
    }
    half.last_request = at.packet.time;
}

/// Others behind it have been seen: it was overtaken, or it was lost and comes again.
void Streams::on_late(At& at, const Requests::Placed& placed) {
    Half& half = at.half;
    const bool again = is_reliable(half.key.transport) &&
                       (goes_on(at) || placed.gap->refused || at.packet.time - placed.gap->since > overtaken_within);
    if (!again) {
        ++at.direction.out_of_order;
        at.facts.out_of_order = true;
        half.late_next = psn_after(at.psn);
        add_event(at, Event::Kind::out_of_order, at.psn, 1);
        return;
    }
    ++at.direction.lost;
    on_repeated(at, false);
}

void Streams::on_repeated(At& at, bool seen_before) {
    Half& half = at.half;
    if (seen_before && half.late_next == at.psn && at.direction.out_of_order > 0) {
        // What came late was no straggler: all behind it comes again, too.
        --at.direction.out_of_order;
        ++at.direction.lost;
        ++at.direction.retransmitted.packets;
    }
    half.late_next.reset();
    if (!goes_on(at)) begin_again(at);
    else if (half.again->event != nullptr) ++half.again->event->count;
    half.again->next = psn_after(at.psn);
    count(at.direction.retransmitted, half.again->cause);
    at.facts.retransmission = half.again->cause;
    if (half.lost_psn == at.psn) half.lost_psn.reset();
    if (half.requests.has_arrived(at.psn)) {
        ++at.direction.duplicate_requests;
        at.facts.duplicate_request = true;
    }
}

/// Whether the packet is one more of those that are being sent again, in whatever order they arrive.
bool Streams::goes_on(const At& at) const {
    const Half& half = at.half;
    const bool asked_anew = (half.nak && psn_distance(half.nak->psn, at.psn) >= 0) ||
                            (half.rnr && half.rnr->psn == at.psn);
    if (!half.again || asked_anew || at.packet.time - half.last_request > slowest_reaction) return false;
    return psn_distance(half.again->next, at.psn) >= 0 || at.packet.time - half.last_request < overtaken_within;
}

/// Why a requester begins again at this packet, and how long it has waited for that.
Cause Streams::cause_of_repetition(const At& at, Time& waited) const {
    const Half& half = at.half;
    if (half.rnr && half.rnr->psn == at.psn) {
        waited = at.packet.time - half.rnr->time;
        return Cause::rnr;
    }
    // The packet that was asked for itself may be missing.
    if (half.nak && psn_distance(half.nak->psn, at.psn) >= 0 && at.packet.time - half.nak->time < slowest_reaction) {
        waited = at.packet.time - half.nak->time;
        return Cause::nak;
    }
    waited = at.packet.time - std::max(half.last_request, half.last_answered);
    if (half.peer == nullptr) return Cause::unknown;
    if (at.opcode.operation == ib::Operation::rdma_read_request && waited < shortest_timeout) {
        const Pending* read = at.half.requests.pending.covering(at.psn);
        if (read != nullptr && read->missing_begin != read->missing_end) return Cause::implied;
    }
    return waited >= shortest_timeout ? Cause::timeout : Cause::unknown;
}

void Streams::begin_again(At& at) {
    Half& half = at.half;
    Time waited = 0;
    const Cause cause = cause_of_repetition(at, waited);
    half.again = Repetition{cause, 0, add_event(at, Event::Kind::retransmission, at.psn, 1)};
    if (half.again->event != nullptr) {
        half.again->event->cause = cause;
        half.again->event->waited = waited;
    }
    if (cause == Cause::rnr) {
        judge_rnr_wait(at, waited);
        at.direction.rnr_waited += waited;
    }
    half.nak.reset();
    half.rnr.reset();
    if (cause != Cause::timeout) return;
    ++at.direction.timeouts;
    at.direction.longest_timeout = std::max(at.direction.longest_timeout, waited);
    half.last_silence = waited;
    if (++half.timeouts <= half.most_timeouts) return;
    half.most_timeouts = half.timeouts;
    if (half.timeout_frames.size() >= half.timeouts || half.timeouts > 8) half.timeout_frames.clear();
    half.timeout_frames.push_back(at.packet.number);
}

/// Kernels count in ticks, and the first one may be nearly over.
void Streams::judge_rnr_wait(const At& at, Time waited) {
    const Time asked = rnr_wait_of(AethSyndrome::of(at.half.rnr->syndrome).value);
    if (at.half.rnr->interface != at.packet.interface)  // whose clock may be another
        return verdicts_.undecided(rules::rnr_wait, UndecidedReason::interface_order);
    if (2 * waited >= asked) return verdicts_.satisfied(rules::rnr_wait);
    verdicts_.broken(
        rules::rnr_wait, {at.half.rnr->frame, at.packet.number}, {at.half.stream},
        fmt::format(
            "PSN {} comes again {} us after an RNR NAK that asks for {} us", at.psn, waited / capture::microsecond,
            asked / capture::microsecond));
}

// ---- operations ------------------------------------------------------------------------------------

void Streams::count_bytes(At& at, std::uint64_t bytes) {
    at.direction.bytes += bytes;
    at.direction.operations[static_cast<std::size_t>(*at.facts.operation)].bytes += bytes;
}

/// A packet of a request that has not been seen before.
void Streams::take_operation(At& at, bool late) {
    constexpr std::uint32_t atomic_size = 8;
    if (!at.facts.operation) return;
    const OperationType type = *at.facts.operation;
    const capture::IbPacket& ib = at.packet.ib;
    Half& half = at.half;
    PendingOperations& pending = half.requests.pending;
    const bool single = type == OperationType::read || type == OperationType::atomic;
    const std::uint64_t bytes = type == OperationType::read     ? (ib.has_reth ? ib.reth.dma_length : 0)
                                : type == OperationType::atomic ? atomic_size
                                                                : ib.payload_length;
    count_bytes(at, bytes);
    const bool first = begins(at.opcode.position);
    if (late && !first) {
        if (Pending* of = pending.covering(at.psn)) return extend(at, *of);
    }
    if (!late && !first && half.message_open) {
        if (!pending.empty() && !pending.back().ended) extend(at, pending.back());
        half.message_open = !ends(at.opcode.position);
        return;
    }
    if (late && first) {
        Pending* rest = pending.covering(psn_after(at.psn));
        if (rest != nullptr && !rest->begun && rest->seen.type == type) {
            rest->seen.psn = at.psn;
            rest->begun = true;
            return extend(at, *rest);
        }
    }
    ++at.direction.operations[static_cast<std::size_t>(type)].count;
    Pending made;
    made.number = ++half.requests.operations;
    made.begun = first;
    made.ended = ends(at.opcode.position);
    const std::uint32_t share = share_of(at);
    made.sized = share != 0;
    made.end_psn = psn_after(at.psn, std::max(share, 1U));
    if (ib.has_reth) made.asked_bytes = ib.reth.dma_length;
    else if (made.ended && first && !single) made.asked_bytes = ib.payload_length;
    made.seen.by = half.side;
    made.seen.type = type;
    made.seen.psn = at.psn;
    made.seen.bytes = bytes;
    made.seen.packets = 1;
    made.seen.retransmitted = at.facts.retransmission ? 1 : 0;
    made.seen.first = made.seen.last = at.stamp();
    at.facts.operation_number = made.number;
    at.facts.operation_bytes = made.asked_bytes;
    if (!late) half.message_open = !made.ended;
    if (half.key.transport == Transport::ud || (half.key.transport == Transport::uc && made.ended)) {
        made.seen.stream = half.stream;
        return keep(made.seen);
    }
    pending.insert(made, half.peer != nullptr ? options_.limits.outstanding : options_.limits.unpaired);
}

void Streams::extend(At& at, Pending& pending) {
    pending.seen.bytes += at.packet.ib.payload_length;
    ++pending.seen.packets;
    if (at.facts.retransmission) ++pending.seen.retransmitted;
    pending.seen.last = at.stamp();
    const std::uint32_t end = psn_after(at.psn);
    if (psn_distance(pending.end_psn, end) > 0) pending.end_psn = end;
    pending.ended |= ends(at.opcode.position);
    at.facts.operation_number = pending.number;
    at.facts.operation_bytes = pending.asked_bytes;
    at.facts.request_frame = pending.seen.first.frame;
    if (at.half.key.transport != Transport::uc || !pending.ended) return;
    pending.seen.stream = at.half.stream;
    keep(pending.seen);
    at.half.requests.pending.pop();
}

void Streams::keep(const Operation& operation) {
    if (model_.operations.size() < options_.limits.operations) model_.operations.push_back(operation);
    else ++model_.dropped_operations;
}

Event* Streams::add_event(const At& at, Event::Kind kind, std::uint32_t psn, std::uint64_t count) {
    std::uint32_t& kept = events_of_[at.half.stream - 1];
    if (model_.events.size() >= options_.limits.events || kept >= options_.limits.events_of_a_stream) {
        ++model_.dropped_events;
        return nullptr;
    }
    ++kept;
    return &model_.events.emplace_back(
        Event{at.half.stream, at.half.side, kind, at.packet.time, at.packet.number, psn, count, {}, {}, {}});
}

// ---- responses -------------------------------------------------------------------------------------

void Streams::on_response(At& at) {
    Half& half = at.half;
    if (at.packet.ib.has_aeth) {
        const AethSyndrome syndrome = AethSyndrome::of(at.packet.ib.aeth.syndrome);
        const bool known = (at.packet.ib.aeth.syndrome & 0x80) == 0 && syndrome.kind != Refused::reserved &&
                           (syndrome.kind != Refused::nak || syndrome.value <= AethSyndrome::invalid_rd_request);
        if (known) verdicts_.satisfied(rules::known_nak);
        else
            verdicts_.broken(
                rules::known_nak, {at.packet.number}, {half.stream},
                fmt::format("syndrome {:02x}h", at.packet.ib.aeth.syndrome));
        if (syndrome.kind == Refused::nak || syndrome.kind == Refused::rnr_nak) return on_refusal(at);
    }
    // An acknowledgment that was cut before its syndrome may as well be a NAK.
    if (at.opcode.operation == ib::Operation::acknowledge) {
        if (at.packet.ib.has_aeth) on_acknowledgment(at);
        return;
    }
    if (half.peer == nullptr) return;
    if (at.opcode.operation == ib::Operation::rdma_read_response) on_read_response(at);
    acknowledge(at, at.psn);
}

void Streams::on_refusal(At& at) {
    const std::uint8_t code = at.packet.ib.aeth.syndrome;
    const AethSyndrome syndrome = AethSyndrome::of(code);
    Half& half = at.half;
    const bool rnr = syndrome.kind == Refused::rnr_nak;
    at.facts.nak = code;
    ++(rnr ? opposite_of(half).rnr_naks : opposite_of(half).naks);
    if (Event* event = add_event(at, rnr ? Event::Kind::rnr_nak : Event::Kind::nak, at.psn, 1)) event->syndrome = code;
    const Refusal refusal{at.psn, code, at.packet.time, at.packet.number, at.packet.interface};
    if (is_fatal(syndrome)) stream_of(half).fatal = FatalNak{half.side, code, at.stamp()};
    const bool sequence_error = syndrome.kind == Refused::nak && syndrome.value == AethSyndrome::psn_sequence_error;
    if (sequence_error && half.own_nak && half.own_nak->psn == at.psn)
        verdicts_.broken(
            rules::one_nak_for_a_gap, {half.own_nak->frame, at.packet.number}, {half.stream},
            fmt::format("PSN {} is asked for once more, though it has not come", at.psn));
    else if (sequence_error) verdicts_.satisfied(rules::one_nak_for_a_gap);
    if (sequence_error) half.own_nak = refusal;
    else half.own_nak.reset();
    if (half.peer == nullptr) return;

    Half& requester = *half.peer;
    if (sequence_error && requester.requests.has_arrived(at.psn)) {
        if (half.last_response_frame == 0 || at.packet.time - half.last_acknowledged < longest_detour)
            verdicts_.undecided(rules::nak_of_missing, UndecidedReason::out_of_order);
        else
            verdicts_.broken(
                rules::nak_of_missing, {half.last_response_frame, at.packet.number}, {half.stream},
                fmt::format("PSN {} is asked for, which was acknowledged before", at.psn));
    } else if (sequence_error) {
        verdicts_.satisfied(rules::nak_of_missing);
        if (!requester.requests.refuse(at.psn) && requester.lost_psn != at.psn) {
            requester.lost_psn = at.psn;
            ++opposite_of(half).lost;
        }
    }
    (rnr ? requester.rnr : requester.nak) = refusal;
    half.last_acknowledged = at.packet.time;  // what comes before has arrived
    acknowledge(at, psn_after(at.psn, ib::psn_mask));
}

void Streams::on_acknowledgment(At& at) {
    Half& half = at.half;
    judge_message_count(at);
    if (half.own_nak && psn_distance(half.own_nak->psn, at.psn) >= 0) half.own_nak.reset();
    if (half.peer == nullptr) return;
    at.facts.duplicate_ack = half.peer->requests.has_arrived(at.psn) && half.answered == at.psn;
    half.answered = at.psn;
    half.last_response_frame = at.packet.number;
    half.last_acknowledged = at.packet.time;
    acknowledge(at, at.psn);
}

void Streams::judge_message_count(At& at) {
    Half& half = at.half;
    const std::uint32_t msn = at.packet.ib.aeth.msn;
    if (half.answered && psn_distance(*half.answered, at.psn) <= 0) return;
    if (half.msn && half.answered) {
        if (psn_distance(*half.msn, msn) >= 0) verdicts_.satisfied(rules::message_count_grows);
        else
            verdicts_.broken(
                rules::message_count_grows, {half.last_response_frame, at.packet.number}, {half.stream},
                fmt::format("message sequence number {} after {}", msn, *half.msn));
    }
    half.msn = msn;
    half.answered = at.psn;
    half.last_response_frame = at.packet.number;
}

void Streams::on_read_response(At& at) {
    Half& requester = *at.half.peer;
    Pending* read = requester.requests.pending.covering(at.psn);
    if (read == nullptr || read->seen.type != OperationType::read) {
        // Its request was not captured: it is one packet, however many answer it.
        Requests& requests = requester.requests;
        const bool ahead = psn_distance(requests.next_psn(), at.psn) >= 0;
        const bool missed = ahead || requests.fill(at.psn, psn_after(at.psn)) != 0;
        if (ahead) requests.take(at.psn, 1, at.packet.time);
        if (missed && begins(at.opcode.position)) ++opposite_of(at.half).not_captured;
        if (requester.requests.has_arrived(at.psn)) return;
        Direction& asker = opposite_of(at.half);
        asker.bytes += at.packet.ib.payload_length;
        asker.operations[static_cast<std::size_t>(OperationType::read)].bytes += at.packet.ib.payload_length;
        return;
    }
    if (!read->asked_bytes) {
        Direction& asker = opposite_of(at.half);
        asker.bytes += at.packet.ib.payload_length;
        asker.operations[static_cast<std::size_t>(OperationType::read)].bytes += at.packet.ib.payload_length;
        read->seen.bytes += at.packet.ib.payload_length;
    }
    const std::optional<std::uint32_t>& mtu = stream_of(at.half).mtu;
    if (!read->sized && (ends(at.opcode.position) || (mtu && read->asked_bytes))) {
        const std::uint32_t share = read->asked_bytes && mtu
                                        ? static_cast<std::uint32_t>(
                                              (std::max<std::uint64_t>(*read->asked_bytes, 1) - 1) / *mtu + 1)
                                        : 0;
        read->end_psn = share != 0 ? psn_after(read->seen.psn, share) : psn_after(at.psn);
        read->sized = true;
        if (read == &requester.requests.pending.back()) requester.requests.settle_share(read->end_psn);
    }
    const std::int32_t ahead = psn_distance(read->answered_to.value_or(read->seen.psn), at.psn);
    if (ahead > 0) {
        read->missing_begin = read->answered_to.value_or(read->seen.psn);
        read->missing_end = at.psn;
        at.facts.missing = static_cast<std::uint32_t>(ahead);
    }
    if (ahead >= 0) {
        read->answered_to = psn_after(at.psn);
        return;
    }
    const bool missed = psn_distance(read->missing_begin, at.psn) >= 0 && psn_distance(at.psn, read->missing_end) > 0;
    if (missed) read->missing_begin = psn_after(at.psn);
    if (missed && read->seen.retransmitted == 0) {
        ++at.direction.out_of_order;
        at.facts.out_of_order = true;
        return;
    }
    if (missed) ++at.direction.lost;
    at.facts.retransmission = requester.again ? requester.again->cause : Cause::unknown;
    count(at.direction.retransmitted, *at.facts.retransmission);
}

/// All requests up to that PSN have arrived.
void Streams::acknowledge(At& at, std::uint32_t psn) {
    Half& requester = *at.half.peer;
    Requests& requests = requester.requests;
    Direction& asker = direction_of(requester);
    requester.timeouts = 0;
    if (!requests.has_arrived(psn)) requester.last_answered = at.packet.time;
    at.facts.unseen = requests.started() && psn_distance(requests.next_psn(), psn) >= 0;
    if (const std::uint32_t unseen = requests.acknowledge(psn); unseen != 0) {
        asker.not_captured += unseen;
        add_event(at, Event::Kind::not_captured, psn_after(psn, ib::psn_mask + 1 - unseen), unseen);
    }
    const bool refused = at.facts.nak.has_value();
    if (Pending* answered = refused ? nullptr : requests.pending.covering(psn)) {
        at.facts.operation_number = answered->number;
        at.facts.operation = answered->seen.type;
        at.facts.operation_bytes = answered->asked_bytes;
        if (answered->begun) {
            at.facts.request_frame = answered->seen.first.frame;
            at.facts.request_time = answered->seen.first.time;
        }
        const bool read = answered->seen.type == OperationType::read;
        const bool is_first_answer = read ? psn == answered->seen.psn : psn_after(psn) == answered->end_psn;
        if (is_first_answer) at.facts.acknowledges_frame = answered->seen.last.frame;
        if (is_first_answer && answered->seen.retransmitted == 0 && !at.facts.duplicate_ack) {
            at.facts.ack_rtt = at.packet.time - answered->seen.last.time;
            asker.ack_rtt.add(*at.facts.ack_rtt);
        }
    }
    for (PendingOperations& pending = requests.pending; !pending.empty(); pending.pop()) {
        const Pending& front = pending.front();
        const bool whole = front.sized && front.ended && psn_distance(front.end_psn, psn) >= -1;
        // Whatever is missing of it: what follows it has arrived.
        const bool passed = pending.size() > 1 && psn_distance(pending[1].seen.psn, psn) >= -1;
        if (!whole && !passed) break;
        complete(at, front, psn);
    }
}

void Streams::complete(At& at, const Pending& pending, std::uint32_t psn) {
    Operation operation = pending.seen;
    const bool own_answer = operation.type == OperationType::read || operation.type == OperationType::atomic;
    const bool answers = !own_answer || (at.opcode.operation != ib::Operation::acknowledge && pending.covers(psn));
    const Half& requester = *at.half.peer;
    if (answers) {
        operation.answer = at.stamp();
        if (pending.begun) direction_of(requester).operation_time.add(at.packet.time - operation.first.time);
        at.facts.completes = true;
    }
    operation.stream = requester.stream;
    operation.by = requester.side;
    keep(operation);
}

// ---- the end ---------------------------------------------------------------------------------------

void Streams::finish() {
    settle_halves();
    settle_merged();
    settle_sessions(model_, announcements_);
    settle_ends();
    judge_retry_counts();
}

void Streams::judge_retry_counts() {
    for (const Half& half : halves_) {
        if (half.gone || half.peer == nullptr || half.most_timeouts == 0) continue;
        const Stream& stream = stream_of(half);
        if (stream.cm_connection == 0) continue;
        const auto& allowed = announcements_.cm.connections[stream.cm_connection - 1].retry_count;
        if (!allowed) verdicts_.undecided(rules::retry_count, UndecidedReason::request_not_captured);
        else if (half.most_timeouts <= *allowed) verdicts_.satisfied(rules::retry_count);
        else
            verdicts_.broken(
                rules::retry_count, half.timeout_frames, {half.stream},
                fmt::format("repeated {} times, with a retry count of {}", half.most_timeouts, *allowed));
    }
}

void Streams::settle_halves() {
    for (Half& half : halves_) {
        PendingOperations& pending = half.requests.pending;
        Stream& stream = stream_of(half);
        if (is_reliable(half.key.transport)) stream.unanswered[half.side] += pending.size();
        for (; !pending.empty(); pending.pop()) {
            Operation operation = pending.front().seen;
            operation.stream = half.stream;
            operation.by = half.side;
            keep(operation);
        }
    }
}

void Streams::settle_merged() {
    for (Event& event : model_.events) {
        const auto& [into, side] = merged_[event.stream - 1];
        if (into != 0) event.stream = into, event.from = side;
    }
    for (Operation& operation : model_.operations) {
        const auto& [into, side] = merged_[operation.stream - 1];
        if (into != 0) operation.stream = into, operation.by = side;
    }
}

/// What ended a stream comes before its being disconnected.
void Streams::settle_ends() {
    for (const Half& half : halves_) {
        Stream& stream = stream_of(half);
        const bool over = half.timeouts != 0 && now_ - half.last_request > half.last_silence;
        if (!half.gone && over && half.timeouts >= retries_of(stream)) stream.ending = End::retries_exhausted;
    }
    for (Stream& stream : model_.streams) {
        if (stream.merged) continue;
        if (stream.fatal) stream.ending = End::nak;
        const bool all_answered = stream.unanswered[a] + stream.unanswered[b] == 0;
        const bool answers = is_reliable(stream.transport) && stream.learned;
        if (stream.ending == End::unknown && answers && all_answered) stream.ending = End::open;
    }
}

/// As the CM negotiated them, or as many as a queue pair can be told to.
std::uint32_t Streams::retries_of(const Stream& stream) const {
    constexpr std::uint32_t most_retries = 7;
    if (stream.cm_connection == 0) return most_retries;
    const auto& told = announcements_.cm.connections[stream.cm_connection - 1].retry_count;
    return told && *told != 0 ? *told : most_retries;
}

}  // namespace fabricscope::engine::rdma
