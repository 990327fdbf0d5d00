// SPDX-License-Identifier: GPL-2.0-or-later
// Responses: acknowledgments, refusals, the data of READs, and the operations that they complete.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine/rdma/at.h"

namespace fabricscope::engine::rdma {

using ib::AethSyndrome;
using ib::psn_after;
using ib::psn_distance;
using Refused = AethSyndrome::Class;

namespace {

// Answers that overtake each other are no further apart.
constexpr Time longest_detour = capture::second;

bool is_fatal(AethSyndrome syndrome) {
    return syndrome.kind == Refused::nak && syndrome.value >= AethSyndrome::invalid_request &&
           syndrome.value <= AethSyndrome::invalid_rd_request;
}

}  // namespace

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
            ++at.facts.lost;
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

/// A response's, whose request did not say how many they are.
void Streams::count_read_bytes(At& at) {
    count_bytes(opposite_of(at.half), OperationType::read, at.packet.ib.payload_length);
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
        if (missed && begins_message(at.opcode.position)) ++opposite_of(at.half).not_captured;
        if (!requester.requests.has_arrived(at.psn)) count_read_bytes(at);
        return;
    }
    if (!read->asked_bytes) {
        count_read_bytes(at);
        read->seen.bytes += at.packet.ib.payload_length;
    }
    const std::optional<std::uint32_t>& mtu = stream_of(at.half).mtu;
    if (!read->sized && (ends_message(at.opcode.position) || (mtu && read->asked_bytes))) {
        const std::uint32_t share = read->asked_bytes && mtu ? packets_for(*read->asked_bytes, *mtu) : 0;
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
    if (missed) ++at.direction.lost, ++at.facts.lost;
    at.facts.retransmission = requester.again ? requester.again->cause : Cause::unknown;
    count(at.direction.retransmitted, *at.facts.retransmission);
}

/// All requests up to that PSN have arrived.
void Streams::acknowledge(At& at, std::uint32_t psn) {
    Half& requester = *at.half.peer;
    Requests& requests = requester.requests;
    Direction& asker = direction_of(requester);
    requester.timeouts = 0;
    stream_of(requester).silence.reset();
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
    if (operation.answer && pending.begun) observer_.on_operation(operation);
}

}  // namespace fabricscope::engine::rdma
