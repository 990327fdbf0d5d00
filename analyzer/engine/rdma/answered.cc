// SPDX-License-Identifier: GPL-2.0-or-later
// Responses: acknowledgments, refusals, the data of READs, and the operations that they complete.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
                rules::known_nak, {at.packet.number}, {half.stream->id},
                fmt::format("syndrome {:02x}h", at.packet.ib.aeth.syndrome));
        if (syndrome.kind == Refused::nak || syndrome.kind == Refused::rnr_nak) return on_refusal(at);
    }
    // An acknowledgment that was cut before its syndrome may as well be a NAK.
    if (at.opcode.operation == ib::Operation::acknowledge) {
        if (at.packet.ib.has_aeth) on_acknowledgment(at);
        else half.cut_answers = true;
        return;
    }
    if (half.peer == nullptr) return note_responses(at);
    half.peer->responded = true;
    judge_final_refusal(at);
    if (at.opcode.operation == ib::Operation::rdma_read_response) on_read_response(at);
    else if (half.peer->requests.has_arrived(at.psn) && half.peer->requests.pending.covering(at.psn) == nullptr)
        on_repeated_response(at);
    acknowledge(at, at.psn);
}

void Streams::on_refusal(At& at) {
    const std::uint8_t code = at.packet.ib.aeth.syndrome;
    const AethSyndrome syndrome = AethSyndrome::of(code);
    Half& half = at.half;
    const bool rnr = syndrome.kind == Refused::rnr_nak;
    at.facts.nak = code;
    if (!rnr) suspect_loss(half);
    ++(rnr ? opposite_of(half).rnr_naks : opposite_of(half).naks);
    if (Event* event = add_event(at, rnr ? Event::Kind::rnr_nak : Event::Kind::nak, at.psn, 1)) event->syndrome = code;
    const Refusal refusal{at.psn, code, at.packet.time, at.packet.number, at.packet.interface};
    // What follows the first one follows from it.
    if (is_fatal(syndrome) && !half.stream->fatal) half.stream->fatal = FatalNak{half.side, code, at.stamp()};
    const bool sequence_error = syndrome.kind == Refused::nak && syndrome.value == AethSyndrome::psn_sequence_error;
    if (sequence_error && half.own_nak && half.own_nak->psn == at.psn)
        verdicts_.broken(
            rules::one_nak_for_a_gap, {half.own_nak->frame, at.packet.number}, {half.stream->id},
            fmt::format("PSN {} is asked for once more, though it has not come", at.psn));
    else if (sequence_error) verdicts_.satisfied(rules::one_nak_for_a_gap);
    if (sequence_error) half.own_nak = refusal;
    else half.own_nak.reset();
    if (half.peer == nullptr) return;

    Half& requester = *half.peer;
    // One that asks again for what was done before may be refused although what follows was acknowledged.
    if (is_fatal(syndrome) && requester.requests.started() && !requester.requests.has_arrived(at.psn)) {
        half.final_refusal = std::make_unique<FinalRefusal>(FinalRefusal{refusal, requester.requests.next_psn()});
        if (Pending* refused = requester.requests.pending.covering(at.psn)) refused->refused = true;
    }
    if (sequence_error && requester.requests.has_arrived(at.psn)) {
        const bool may_be_late = half.last_response_frame == 0 ||
                                 (at.sent != Sent::after && at.packet.time - half.last_acknowledged < longest_detour);
        verdicts_.broken(
            rules::nak_of_missing, doubt_if(may_be_late, UndecidedReason::out_of_order),
            {half.last_response_frame, at.packet.number}, {half.stream->id},
            fmt::format("PSN {} is asked for, which was acknowledged before", at.psn));
    } else if (sequence_error) {
        verdicts_.satisfied(rules::nak_of_missing);
        const bool was_not_ready = requester.rnr && requester.rnr->psn == at.psn;
        const bool passed_over = std::ranges::any_of(requester.holes, [&](const Hole& hole) {
            return psn_distance(hole.begin, at.psn) >= 0 && psn_distance(at.psn, hole.end) > 0;
        });
        const bool seen = !requester.requests.refuse(at.psn);
        // Where they overtake each other it has passed here while the NAK was under way.
        const bool overtaken = opposite_of(half).out_of_order != 0;
        if (seen && !was_not_ready && !passed_over && !overtaken && requester.lost_psn != at.psn) {
            requester.lost_psn = at.psn;
            ++opposite_of(half).lost;
            if (requester.requests.pending.holds(at.psn)) ++opposite_of(half).lost_behind;
            ++at.facts.lost;
        }
    }
    // What an earlier NAK made the requester send again may still be on its way out.
    const bool behind_another = sequence_error && requester.nak && psn_distance(requester.nak->psn, at.psn) > 0 &&
                                at.packet.time - requester.nak->time < slowest_reaction;
    if (!behind_another) (rnr ? requester.rnr : requester.nak) = refusal;
    half.last_acknowledged = at.packet.time;  // what comes before has arrived
    acknowledge(at, psn_after(at.psn, ib::psn_mask));
}

void Streams::on_acknowledgment(At& at) {
    Half& half = at.half;
    if (half.peer != nullptr && !is_of_what_was_sent(at)) return;
    const std::optional<std::uint32_t> counted_before = half.msn;
    judge_message_count(at);
    judge_final_refusal(at);
    if (half.own_nak && psn_distance(half.own_nak->psn, at.psn) >= 0) half.own_nak.reset();
    if (half.peer == nullptr) return note_responses(at);
    at.facts.duplicate_ack = half.peer->requests.has_arrived(at.psn) && half.answered == at.psn;
    if (at.facts.duplicate_ack) count_duplicate(*half.peer, direction_of(*half.peer), &Again::acknowledged_again);
    half.last_response_frame = at.packet.number;
    half.last_acknowledged = at.packet.time;
    acknowledge(at, at.psn);
    Requests& requests = half.peer->requests;
    const bool is_latest = half.answered == at.psn && half.msn == at.packet.ib.aeth.msn;
    const bool fell = counted_before && half.msn && psn_distance(*counted_before, *half.msn) < 0;
    // What it acknowledges was answered before, or later requests were: it has been overtaken.
    const bool is_old = psn_distance(at.psn, requests.lowest_psn()) > 1 || requests.acknowledged() != at.psn;
    if (fell || is_old || at.facts.unseen || !requests.started() || !requests.is_whole() ||
        !requests.has_room(options_.limits.outstanding))
        half.completed_by_msn.reset();
    else if (is_latest) half.completed_by_msn = requests.operations - requests.pending.size();
}

/// Its number may be that of another queue pair since then.
bool Streams::is_disconnected(const Half& half) {
    const rdma_cm::Connection* connection = connection_of(*half.stream);
    return connection != nullptr && (connection->dreq || connection->drep);
}

/// What a link cannot have carried in the time was not sent; nor was what lies before a connection's first packet.
bool Streams::is_of_what_was_sent(const At& at) {
    constexpr Time disorder = 100 * capture::microsecond;
    constexpr Time most_packets_in_a_nanosecond = 2;  // twice what 800 Gbit/s carry
    const Requests& requests = at.half.peer->requests;
    if (!requests.started()) return true;
    if (psn_distance(at.psn, requests.lowest_psn()) > 1) return is_behind_the_first(at);
    const std::int32_t ahead = psn_distance(requests.next_psn(), at.psn);
    if (ahead < 0) {
        verdicts_.satisfied(rules::acknowledges_what_was_sent);
        return true;
    }
    const Time passed = std::max<Time>(at.packet.time - at.half.peer->last_request, 0) + disorder;
    const bool may_be_missing = passed * most_packets_in_a_nanosecond >= ahead;
    const Doubt doubt = is_disconnected(*at.half.peer) ? UndecidedReason::setup_not_captured
                                                       : doubt_if(may_be_missing, UndecidedReason::frames_missing);
    verdicts_.broken(
        rules::acknowledges_what_was_sent, doubt, {at.packet.number}, {at.half.stream->id},
        fmt::format(
            "PSN {} is acknowledged, {} packets behind the latest one, which is {} us old", at.psn, ahead,
            (at.packet.time - at.half.peer->last_request) / capture::microsecond));
    return bool(doubt);
}

/// The PSN is older than all that was captured of its requester.
bool Streams::is_behind_the_first(const At& at) {
    const Half& requester = *at.half.peer;
    const rdma_cm::Connection* connection = connection_of(*requester.stream);
    const Key& to = requester.key;
    const std::optional<engine::Side> peer = connection != nullptr ? side_of(*connection, to.pair.destination, to.qpn)
                                                                   : std::nullopt;
    // Each side names the PSN at which the other one begins.
    const auto begin = peer ? connection->end[*peer].starting_psn : std::nullopt;
    const bool begin_unknown = !begin || !requester.requests.remembers_first() ||
                               psn_distance(*begin, requester.requests.lowest_psn()) < 0 || is_disconnected(requester);
    const Doubt doubt = doubt_if(begin_unknown, UndecidedReason::setup_not_captured);
    if (doubt) {
        verdicts_.undecided(rules::acknowledges_what_was_sent, *doubt);
        return true;
    }
    const std::uint32_t first = begin.value_or(0);
    if (psn_distance(at.psn, first) <= 1) return true;
    verdicts_.broken(
        rules::acknowledges_what_was_sent, doubt, {connection->first_frame, at.packet.number}, {at.half.stream->id},
        fmt::format("PSN {} is acknowledged, though the connection's first one is {}", at.psn, first));
    return false;
}

void Streams::judge_message_count(At& at) {
    Half& half = at.half;
    const std::uint32_t msn = at.packet.ib.aeth.msn;
    // One that comes late, from another interface, takes nothing back.
    if (half.answered && psn_distance(*half.answered, at.psn) <= 0) return;
    if (half.msn && half.answered) {
        if (psn_distance(*half.msn, msn) >= 0) {
            verdicts_.satisfied(rules::message_count_grows);
            judge_message_count_of_asked(at);
        } else {
            // A queue pair that began anew counts from the start, behind a gap of PSNs.
            const bool may_be_new = half.peer == nullptr || half.peer->may_be_anew || !half.peer->requests.is_whole() ||
                                    half.peer->requests.is_foreign(at.psn) ||
                                    half.peer->requests.is_foreign(*half.answered) || is_disconnected(*half.peer);
            verdicts_.broken(
                rules::message_count_grows, doubt_if(may_be_new, UndecidedReason::frames_missing),
                {half.last_response_frame, at.packet.number}, {half.stream->id},
                fmt::format("message sequence number {} after {}", msn, *half.msn));
        }
    }
    half.msn = msn;
    half.answered = at.psn;
    half.last_response_frame = at.packet.number;
}

/// Before the packet at hand has acknowledged anything.
void Streams::judge_message_count_of_asked(const At& at) {
    const Half& half = at.half;
    if (!half.msn || !half.completed_by_msn || half.peer == nullptr) return;
    const Requests& requests = half.peer->requests;
    const Doubt doubt = doubt_if(!requests.is_whole(), UndecidedReason::frames_missing);
    if (doubt || psn_distance(requests.next_psn(), at.psn) >= 0) return;
    const std::int32_t counted = psn_distance(*half.msn, at.packet.ib.aeth.msn);
    const auto asked = static_cast<std::int64_t>(requests.operations - *half.completed_by_msn);
    if (counted <= asked) return verdicts_.satisfied(rules::counts_what_was_asked);
    verdicts_.broken(
        rules::counts_what_was_asked, doubt, {half.last_response_frame, at.packet.number}, {half.stream->id},
        fmt::format("message sequence number {} after {}, with {} asked for", at.packet.ib.aeth.msn, *half.msn, asked));
}

/// Only of what was asked for before the NAK, or went on at once: what is asked for later may be of a queue pair that
/// began anew.
void Streams::judge_final_refusal(const At& at) {
    std::unique_ptr<FinalRefusal>& refused = at.half.final_refusal;
    if (!refused || refused->broken) return;
    const bool before = psn_distance(refused->nak.psn, at.psn) < 0;
    if (before || psn_distance(at.psn, refused->asked_end) <= 0) return;
    if (refused->nak.interface != at.packet.interface)  // whose clock may be another
        return verdicts_.undecided(rules::nothing_behind_refusal, UndecidedReason::interface_order);
    refused->broken = true;
    verdicts_.broken(
        rules::nothing_behind_refusal, {refused->nak.frame, at.packet.number}, {at.half.stream->id},
        fmt::format("PSN {} is acknowledged, though PSN {} was refused", at.psn, refused->nak.psn));
}

/// A response's, whose request did not say how many they are.
void Streams::count_read_bytes(At& at) {
    count_bytes(opposite_of(at.half), OperationType::read, at.packet.ib.payload_length);
}

void Streams::on_read_response(At& at) {
    Half& requester = *at.half.peer;
    Pending* read = requester.requests.pending.covering(at.psn);
    if (read == nullptr || read->seen.type != OperationType::read) return on_unasked_response(at);
    if (!read->asked_bytes) {
        count_read_bytes(at);
        read->seen.bytes += at.packet.ib.payload_length;
    }
    judge_read_length(at, *read);
    size_read(at, *read);
    if (read->furthest && psn_distance(at.psn, *read->furthest) > 0) on_repeated_response(at);
    take_response(at, *read);
    const bool all = read->sized && read->answered_to == read->end_psn && read->missing == 0;
    if (!all || read->seen.answer) return;
    if (is_comparable(requester, read->seen.first, at.stamp())) read->seen.answer = at.stamp();
    else read->missed = at.packet.time;
}

/// What a requester is sent before anything else tells which one that is.
void Streams::note_responses(At& at) {
    std::unique_ptr<Responses>& responses = at.half.responses;
    if (!responses) responses = std::make_unique<Responses>(Responses{at.psn, at.psn, {}});
    else if (psn_distance(responses->last, at.psn) > 0) responses->last = at.psn;
    responses->latest = at.stamp();
}

/// Its request was not captured, and is one packet, however many answer it; or all of it has come before.
void Streams::on_unasked_response(At& at) {
    Half& requester = *at.half.peer;
    Requests& requests = requester.requests;
    at.half.completed_by_msn.reset();
    const bool begins = begins_message(at.opcode.position);
    const bool has_arrived = requests.has_arrived(at.psn);
    // If its request was seen, that has told how much it asks for.
    const std::uint64_t bytes = has_arrived ? 0 : at.packet.ib.payload_length;
    if (requests.take_response(at.psn, begins, bytes, at.packet.time)) {
        if (begins) ++opposite_of(at.half).not_captured;
        if (!has_arrived) count_read_bytes(at);
        return;
    }
    const bool was_unheard = std::ranges::any_of(requester.unheard, [&](const Hole& read) {
        return psn_distance(read.begin, at.psn) >= 0 && psn_distance(at.psn, read.end) > 0;
    });
    if (has_arrived && !was_unheard) on_repeated_response(at);
}

/// The same answer has come before, so both requests for it have arrived.
void Streams::on_repeated_response(At& at) {
    Half& requester = *at.half.peer;
    at.facts.retransmission = requester.again ? requester.again->cause : Cause::unknown;
    if (!at.direction.answered_again) at.direction.answered_again = std::make_unique<Retransmitted>();
    for (Retransmitted* again : {&at.direction.retransmitted, at.direction.answered_again.get()})
        count(*again, *at.facts.retransmission);
    const auto find = [&](bool had_arrived) {
        return std::find_if(requester.repeated.begin(), requester.repeated.end(), [&](const Repeated& one) {
            return one.had_arrived == had_arrived && psn_distance(one.begin, at.psn) >= 0 &&
                   psn_distance(at.psn, one.end) > 0;
        });
    };
    const auto known = find(true);
    const auto doubtful = known == requester.repeated.end() ? find(false) : requester.repeated.end();
    if (doubtful != requester.repeated.end()) {
        ++direction_of(requester).duplicate_requests;
        doubtful->had_arrived = true;
    }
    // A READ's last packet is the last that it proves.
    if (known != requester.repeated.end() && psn_after(at.psn) == known->end) requester.repeated.erase(known);
}

/// `what` tells of one more.
void Streams::count_duplicate(Half& requester, Direction& asker, std::uint64_t Again::*what) {
    const std::uint64_t before = requester.sent_again.duplicates();
    ++(requester.sent_again.*what);
    asker.duplicate_requests += requester.sent_again.duplicates() - before;
}

/// A request that came again had arrived before.
void Streams::count_arrived(Half& requester, Direction& asker, bool has_own_answer) {
    if (has_own_answer) ++asker.duplicate_requests;
    else count_duplicate(requester, asker, &Again::had_arrived);
}

/// How many responses there will be shows at the last one, or once the MTU is known.
void Streams::size_read(At& at, Pending& read) {
    const std::optional<std::uint32_t>& mtu = at.half.stream->mtu;
    if (read.sized || (!ends_message(at.opcode.position) && !(mtu && read.asked_bytes))) return;
    const std::uint32_t share = read.asked_bytes && mtu ? packets_for(*read.asked_bytes, *mtu) : 0;
    read.end_psn = share != 0 ? psn_after(read.seen.psn, share) : psn_after(at.psn);
    read.sized = true;
    Requests& requests = at.half.peer->requests;
    if (&read == &requests.pending.back()) requests.settle_share(read.end_psn);
}

void Streams::take_response(At& at, Pending& read) {
    const std::uint32_t due = read.answered_to.value_or(read.seen.psn);
    const std::int32_t ahead = psn_distance(due, at.psn);
    if (ahead > 0) {
        read.missing_begin = due;
        read.missing_end = at.psn;
        read.missing += static_cast<std::uint32_t>(ahead);
        read.missed = at.packet.time;
        at.facts.missing = static_cast<std::uint32_t>(ahead);
    }
    if (ahead >= 0) {
        read.answered_to = psn_after(at.psn);
        return;
    }
    const bool missed = psn_distance(read.missing_begin, at.psn) >= 0 && psn_distance(at.psn, read.missing_end) > 0;
    if (!missed) {
        if (at.sent == Sent::before && at.direction.lost_before != 0) {
            // What has come in its place was sent later: it was not lost.
            --at.direction.lost, --at.direction.lost_before;
            return note_overtaken(at.direction, at.facts);
        }
        if (!at.facts.retransmission) on_repeated_response(at);
        return;
    }
    read.missing_begin = psn_after(at.psn);
    if (--read.missing == 0 && !read.passed) read.missed.reset();
    if (at.facts.retransmission) return;
    if (read.seen.retransmitted != 0 && at.sent != Sent::before) {
        // Where they overtake each other the one that is missing may still be under way.
        if (at.direction.out_of_order == 0) lose_before_capture(at.direction, at.facts, 1);
        return on_repeated_response(at);
    }
    note_overtaken(at.direction, at.facts);
}

/// All requests up to that PSN have arrived.
void Streams::acknowledge(At& at, std::uint32_t psn) {
    Half& requester = *at.half.peer;
    Requests& requests = requester.requests;
    Direction& asker = direction_of(requester);
    if (std::exchange(requester.timeouts.count, 0) != 0) requester.stream->silence.reset();
    if (!requests.has_arrived(psn)) requester.last_answered = at.stamp();
    if (requester.early_retry && psn_distance(requester.early_retry->psn, psn) >= 0) {
        requester.early_retry->acknowledged = psn == requester.early_retry->psn;
        if (!requester.early_retry->acknowledged) {
            verdicts_.undecided(rules::ack_timeout, UndecidedReason::frames_missing);
            requester.early_retry.reset();
        }
    }
    at.facts.unseen = requests.started() && psn_distance(requests.next_psn(), psn) >= 0;
    if (const std::uint32_t unseen = requests.acknowledge(psn); unseen != 0) {
        asker.not_captured += unseen;
        add_event(at, Event::Kind::not_captured, psn_after(psn, ib::psn_mask + 1 - unseen), unseen);
    }
    std::erase_if(requester.holes, [&](const Hole& hole) { return requests.has_arrived(hole.begin); });
    settle_repeated(requester, asker, psn);
    tell_what_is_answered(at, psn);
    answer_operations(at, psn);
}

/// If a packet is acknowledged that has not come again yet, all that came again before it had been there in vain. Not
/// what came again earlier, which its responder may have lacked then.
void Streams::settle_repeated(Half& requester, Direction& asker, std::uint32_t psn) {
    const bool in_vain = requester.again && requester.again->cause == Cause::timeout && asker.out_of_order == 0 &&
                         asker.rnr_naks == 0 && psn_distance(requester.again->next, psn) >= 0 &&
                         psn_distance(psn, requester.requests.next_psn()) > 0;
    if (!in_vain) return;
    for (Repeated& one : requester.repeated) {
        if (!one.of_latest || std::exchange(one.had_arrived, true)) continue;
        count_arrived(requester, asker, one.has_own_answer);
    }
}

void Streams::tell_what_is_answered(At& at, std::uint32_t psn) {
    const Half& requester = *at.half.peer;
    Direction& asker = direction_of(requester);
    const bool refused = at.facts.nak.has_value();
    const Pending* answered = refused ? nullptr : at.half.peer->requests.pending.covering(psn);
    if (answered == nullptr) return;
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
    if (!is_first_answer || answered->seen.retransmitted != 0 || answered->missed || at.facts.duplicate_ack ||
        !is_comparable(requester, answered->seen.last, at.stamp()))
        return;
    at.facts.ack_rtt = at.packet.time - answered->seen.last.time;
    asker.ack_rtt.add(*at.facts.ack_rtt);
}

/// Whether the time between them means anything: not where requests behind their answers tell that clocks differ.
bool Streams::is_comparable(const Half& requester, const FrameStamp& asked, const FrameStamp& answer) {
    const bool clocks_differ = direction_of(requester).belated || opposite_of(requester).belated;
    return asked.interface == answer.interface || !clocks_differ;
}

/// An acknowledgment of later packets ends a SEND or a WRITE as well; but if it was asked for an acknowledgment, and
/// what is acknowledged was sent only later, its own one is what the capture lacks.
bool Streams::is_own_answer(const At& at, Pending& asked, std::uint32_t psn) {
    constexpr Time acknowledged_together = capture::millisecond;
    Half& requester = *at.half.peer;
    if (!is_comparable(requester, asked.seen.first, at.stamp())) return false;
    if (!asked.asks_for_answer || psn_distance(asked.end_psn, psn) < 0) return true;
    const Pending* latest = requester.requests.pending.covering(psn);
    return latest == nullptr || latest->seen.first.time - asked.seen.last.time <= acknowledged_together;
}

/// Operations end in the order in which they were asked for: behind one whose own answer is missing they wait for it,
/// as its requester does.
void Streams::answer_operations(At& at, std::uint32_t psn) {
    PendingOperations& pending = at.half.peer->requests.pending;
    for (std::size_t i = 0; i < pending.size(); ++i) {
        Pending& one = pending[i];
        const bool whole = one.sized && one.ended && psn_distance(one.end_psn, psn) >= -1;
        // Whatever is missing of it: what follows it has arrived.
        const bool passed = i + 1 < pending.size() && psn_distance(pending[i + 1].seen.psn, psn) >= -1;
        if (!whole && !passed) break;
        if (one.seen.answer || (one.sends() && one.missed)) continue;
        const bool is_answer = !one.refused &&
                               (one.sends() ||
                                (at.opcode.operation == ib::Operation::atomic_acknowledge && one.covers(psn)));
        one.passed = !is_answer;
        if (is_answer && is_own_answer(at, one, psn)) one.seen.answer = at.stamp();
        else if (!one.missed) one.missed = at.packet.time;
    }
    const auto is_over = [&](const Pending& one) {
        if (one.seen.answer || !one.missed) return one.seen.answer.has_value();
        // Nobody asks again for what is acknowledged.
        return (one.sends() && one.ended) || at.packet.time - *one.missed > slowest_reaction;
    };
    for (; !pending.empty() && is_over(pending.front()); pending.pop()) {
        if (!pending.front().sends()) note_outstanding_reads(at, pending.front());
        complete(at, pending.front());
    }
}

/// All that had been asked for before the answer came: whatever else was answered by then, it was not.
void Streams::note_outstanding_reads(const At& at, const Pending& answered) {
    constexpr std::size_t most_looked_at = 512;
    const std::optional<FrameStamp>& answer = answered.seen.answer;
    Half& requester = *at.half.peer;
    PendingOperations& pending = requester.requests.pending;
    const bool is_proof = answer && answered.begun && answered.seen.retransmitted == 0;
    if (!is_proof || pending.size() <= requester.reads.count || answer->interface != at.packet.interface) return;
    MostReads reads;
    for (std::size_t i = 0; i < std::min(pending.size(), most_looked_at); ++i) {
        const Pending& one = pending[i];
        if (one.sends() || one.seen.first.interface != at.packet.interface || (i > 0 && one.seen.answer)) continue;
        if (one.seen.first.frame > answer->frame) break;
        ++reads.count;
        reads.request_frame = one.seen.first.frame;
    }
    reads.response_frame = answer->frame;
    if (reads.count > requester.reads.count) requester.reads = reads;
}

void Streams::complete(At& at, Pending& pending) {
    constexpr std::size_t most_unheard = 64;
    Half& requester = *at.half.peer;
    keep(requester, pending.seen);
    const Operation& operation = pending.seen;
    if (!operation.answer) {
        if (requester.unheard.size() >= most_unheard) requester.unheard.erase(requester.unheard.begin());
        if (!pending.sends()) requester.unheard.push_back({operation.psn, pending.end_psn});
        return;
    }
    at.facts.completes |= operation.answer->frame == at.packet.number;
    if (!pending.begun) return;
    direction_of(requester).operation_time.add(operation.answer->time - operation.first.time);
    observer_.on_operation(operation);
}

}  // namespace fabricscope::engine::rdma
