// SPDX-License-Identifier: GPL-2.0-or-later
// Which queue pairs belong together.
#include <algorithm>

#include "analyzer/engine/rdma/at.h"

namespace fabricscope::engine::rdma {

using capture::Packet;
using ib::psn_distance;

namespace {

void add(OperationCount& to, const OperationCount& more) {
    to.count += more.count;
    to.bytes += more.bytes;
}

void add(Direction& to, const Direction& more) {
    to.packets += more.packets;
    to.bytes += more.bytes;
    to.reads_known &= more.reads_known;
    to.answers_known &= more.answers_known;
    for (std::size_t i = 0; i < operation_types; ++i) add(to.operations[i], more.operations[i]);
    to.retransmitted += more.retransmitted;
    if (more.answered_again) {
        if (!to.answered_again) to.answered_again = std::make_unique<Retransmitted>();
        *to.answered_again += *more.answered_again;
    }
    to.lost += more.lost;
    to.lost_before += more.lost_before;
    to.lost_behind += more.lost_behind;
    to.unseen += more.unseen;
    to.not_captured += more.not_captured;
    to.out_of_order += more.out_of_order;
    to.duplicate_requests += more.duplicate_requests;
    to.icrcs.add(more.icrcs);
    to.naks += more.naks;
    to.unheeded_naks += more.unheeded_naks;
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

}  // namespace

void Streams::forget_candidate(const Half& half) { std::erase(candidates_[half.key.pair], &half); }

/// nullptr: none, or it has been tried often enough.
const std::vector<Streams::Half*>* Streams::possible_peers(Half& half) {
    constexpr std::uint32_t eager_attempts = 64;
    if (++half.attempts > eager_attempts && half.attempts % eager_attempts != 0) return nullptr;
    return candidates_.find({half.key.pair.destination, half.key.pair.source});
}

/// The only one that has answered such requests before this one was seen, by an interface with another clock.
Streams::Half* Streams::find_responder(Half& half, const Packet& packet) {
    const std::vector<Half*>* candidates = possible_peers(half);
    if (candidates == nullptr) return nullptr;
    Half* found = nullptr;
    for (Half* candidate : *candidates) {
        const std::unique_ptr<Responses>& sent = candidate->responses;
        const bool answered = candidate->key.transport == half.key.transport && sent &&
                              sent->latest.interface != packet.interface &&
                              psn_distance(sent->first, packet.ib.bth.psn) >= 0 &&
                              psn_distance(packet.ib.bth.psn, sent->last) >= 0;
        if (!answered) continue;
        if (found != nullptr) return nullptr;
        found = candidate;
    }
    if (found == nullptr) return nullptr;
    half.requests.acknowledge(found->responses->last);
    half.last_answered = found->responses->latest;
    return found;
}

/// The only one whose requests this packet can answer.
Streams::Half* Streams::find_peer(Half& half, const Packet& packet) {
    const std::vector<Half*>* candidates = possible_peers(half);
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
    half.responses.reset(), peer.responses.reset();
    if (half.stream->id < peer.stream->id) merge(half, peer);
    else merge(peer, half);
    Stream& stream = *half.stream;
    stream.learned = learned;
    stream.end[half.side].qpn = peer.key.qpn;
    stream.end[peer.side].qpn = half.key.qpn;
}

void Streams::merge(Half& kept, Half& dropped) {
    Stream& into = *kept.stream;
    Stream& from = *dropped.stream;
    if (dropped.side == kept.side) from.turn();
    for (const Side side : {a, b}) add(into.from[side], from.from[side]);
    from.from = {};
    from.merged = true;
    into.first_frame = std::min(into.first_frame, from.first_frame);
    into.last_frame = std::max(into.last_frame, from.last_frame);
    into.last_time = std::max(into.last_time, from.last_time);
    if (!into.mtu) into.mtu = from.mtu;
    if (!into.silence) into.silence = from.silence;
    if (from.fatal && (!into.fatal || from.fatal->seen.frame < into.fatal->seen.frame)) into.fatal = from.fatal;
    merged_[from.id - 1] = {into.id, other(kept.side)};
    dropped.stream = &into;
    dropped.side = other(kept.side);
    observer_.on_merged(from.id, into.id);
}

}  // namespace fabricscope::engine::rdma
