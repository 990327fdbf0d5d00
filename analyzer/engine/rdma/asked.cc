// SPDX-License-Identifier: GPL-2.0-or-later
// Requests: where they stand among those before, why they come again, and the operations that they ask for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/engine/rdma/at.h"
#include "capture/rc_stream.h"
#include "protocols/ib/retries.h"

namespace fabricscope::engine::rdma {

using ib::AethSyndrome;
using ib::Position;
using ib::psn_after;
using ib::psn_distance;

namespace {

// What overtakes on its way is there again sooner than anybody who misses it sends it again.
constexpr Time overtaken_within = capture::millisecond;
// Shorter silences are no timeouts unless the timer is known to be that short.
constexpr Time shortest_timeout = capture::millisecond;

}  // namespace

/// From a packet behind which its message goes on: it is full.
void Streams::learn_mtu(At& at) {
    if (at.packet.ib.payload_length == 0) return;
    std::optional<std::uint32_t>& mtu = at.half.stream->mtu;
    if (!mtu) mtu = at.packet.ib.payload_length;
}

/// How many PSNs a READ takes; 0: nobody knows.
std::uint32_t Streams::share_of_read(const At& at) const {
    constexpr std::uint32_t smallest_mtu = 256;
    if (!at.packet.ib.has_reth) return 0;
    const std::uint32_t length = at.packet.ib.reth.dma_length;
    if (length <= smallest_mtu) return 1;
    const std::optional<std::uint32_t>& mtu = at.half.stream->mtu;
    return mtu ? packets_for(length, *mtu) : 0;
}

/// Whether the order in which its packets came may be that of two clocks.
bool Streams::has_changed_interface(const At& at) {
    return at.half.interface != at.packet.interface ||
           (at.half.changed_interface && at.packet.time - *at.half.changed_interface < greatest_skew);
}

/// Two taps take turns. Files of one tap follow each other: there is no way back to an interface.
void Streams::note_interface(Half& half, const capture::Packet& packet) {
    if (!half.requests.started() || half.interface == packet.interface) return;
    if (half.interface_before == packet.interface) half.changed_interface = packet.time;
    half.interface_before = half.interface;
}

/// A READ that asks for the rest of the latest one, of which nobody knows how many packets answer it, tells that.
void Streams::size_by_rest(const At& at) {
    PendingOperations& pending = at.half.requests.pending;
    if (pending.empty() || !at.packet.ib.has_reth) return;
    Pending& read = pending.back();
    if (read.sized || !at.half.latest_read) return;
    const auto mtu = capture::mtu_of_rest(*at.half.latest_read, psn_distance(read.seen.psn, at.psn), at.packet.ib.reth);
    if (!mtu) return;
    std::optional<std::uint32_t>& known = at.half.stream->mtu;
    if (!known) known = mtu;
    read.end_psn = psn_after(read.seen.psn, packets_for(at.half.latest_read->dma_length, *mtu));
    read.sized = true;
    at.half.requests.settle_share(read.end_psn);
}

void Streams::on_request(At& at) {
    Half& half = at.half;
    note_interface(half, at.packet);
    if (half.key.transport == Transport::ud) return take_operation(at, false);
    if (at.opcode.operation == ib::Operation::rdma_read_request) {
        size_by_rest(at);
        at.share = share_of_read(at);
    }
    const Requests::Placed placed = half.requests.place(at.psn);
    if (half.early_retry) settle_early_retry(at, placed.place);
    const bool reliable = is_reliable(half.key.transport);
    const bool seen_before = placed.place == Place::repeated;
    if (half.peer != nullptr && half.peer->own_nak && half.peer->own_nak->psn == at.psn) half.peer->own_nak.reset();
    // A queue pair in error asks for nothing again: this one began anew, with PSNs that it may have had before.
    if (half.peer != nullptr && placed.place != Place::next) half.peer->final_refusal.reset();
    if (placed.place == Place::late) on_late(at, placed);
    else if (placed.place == Place::answered) on_belated(at);
    else if (seen_before && reliable) on_repeated(at, true);
    else if (half.again || half.late_next) end_repetition(half);
    if (half.peer != nullptr && (placed.place == Place::ahead || !half.requests.is_whole()))
        half.peer->completed_by_msn.reset();
    if (placed.place == Place::ahead) {
        at.facts.missing = placed.missing;
        if (!reliable) at.direction.unseen += placed.missing, suspect_loss(half);
    } else if (!reliable && placed.is_known_missing && at.direction.unseen != 0) {
        --at.direction.unseen;
    }
    const bool late = placed.place == Place::late || placed.place == Place::answered;
    if (!seen_before && placed.place != Place::late && half.requests.has_arrived(at.psn) &&
        half.last_answered.interface != at.packet.interface && half.last_answered.time < at.packet.time) {
        if (!at.direction.belated) at.direction.belated = std::make_unique<Belated>();
        at.direction.belated->add(half.last_answered, at.stamp());
    }
    PendingOperations& pending = half.requests.pending;
    if (placed.place == Place::next && !pending.empty() && !pending.back().sized) {
        pending.back().end_psn = at.psn;
        pending.back().sized = true;
    }
    if (placed.place == Place::next || placed.place == Place::ahead) judge_order(at);
    half.requests.take(at.psn, at.share, at.packet.time);
    if (half.peer != nullptr && half.peer->final_refusal) note_going_on(at, *half.peer->final_refusal);
    if (placed.place == Place::ahead && half.requests.acknowledged()) {
        const std::uint32_t begin = psn_after(at.psn, ib::psn_mask + 1 - placed.missing);
        const std::uint32_t arrived = half.requests.answer(begin, psn_after(*half.requests.acknowledged()));
        if (arrived != 0) {
            at.direction.not_captured += arrived;
            add_event(at, Event::Kind::not_captured, begin, arrived);
        }
    }
    if (seen_before) {
        if (Pending* repeated = pending.covering(at.psn)) {
            ++repeated->seen.retransmitted;
            repeated->seen.last = at.stamp();
            const std::uint32_t lost = repeated->ask_again(at.psn);
            opposite_of(half).lost += lost;
            opposite_of(half).lost_before += lost;
            at.facts.operation_number = repeated->number;
            at.facts.operation_bytes = repeated->asked_bytes;
        }
    } else if (placed.place == Place::answered && at.opcode.position != Position::only) {
        // The rest of its message has told of the operation.
        if (at.facts.operation) count_bytes(at.direction, *at.facts.operation, at.packet.ib.payload_length);
    } else {
        take_operation(at, late);
    }
    if (half.timeouts.count != 0 && !seen_before && !late) note_life(at);
    half.last_request = at.packet.time;
    half.responded = false;
    half.interface = at.packet.interface;
}

/// Behind a NAK that it may not have got yet.
void Streams::note_going_on(const At& at, FinalRefusal& refused) {
    if (at.packet.time - refused.nak.time < slowest_reaction) refused.asked_end = at.half.requests.next_psn();
}

/// Who asks for more behind a timeout, again or for the first time, has not given up.
void Streams::note_life(const At& at) {
    std::optional<Silence>& silence = at.half.stream->silence;
    if (silence) silence->last = at.stamp();
}

/// Others behind it have been seen: it was overtaken, or it was lost and comes again.
void Streams::on_late(At& at, const Requests::Placed& placed) {
    Half& half = at.half;
    const bool took_long = at.packet.time - placed.since > overtaken_within;
    const bool again = is_reliable(half.key.transport) && at.sent != Sent::before &&
                       (at.sent == Sent::after || goes_on(at) || placed.refused || took_long);
    if (!again && has_changed_interface(at)) return half.late_next.reset();
    if (!again) {
        note_overtaken(at.direction, at.facts);
        half.late_next = psn_after(at.psn);
        add_event(at, Event::Kind::out_of_order, at.psn, 1);
        return;
    }
    if (placed.is_known_missing) lose_before_capture(at.direction, at.facts, 1);
    on_repeated(at, false);
}

/// What answers it was captured before it: by another interface, whose clock is ahead or which has what the first one
/// lacks. Unless others around it come again, it is no repetition.
void Streams::on_belated(At& at) {
    const Requests::Answered known = at.half.requests.take_answered(at.psn, psn_after(at.psn, std::max(at.share, 1U)));
    at.direction.not_captured -= std::min<std::uint64_t>(at.direction.not_captured, known.packets);
    at.direction.bytes -= known.bytes;
    at.direction.operations[static_cast<std::size_t>(OperationType::read)].bytes -= known.bytes;
    if (at.half.again && at.half.again->next == at.psn) on_repeated(at, false);
    else end_repetition(at.half);
}

void Streams::on_repeated(At& at, bool seen_before) {
    Half& half = at.half;
    suspect_loss(half);
    if (seen_before && half.late_next == at.psn && at.direction.out_of_order > 0) {
        // What came late was no straggler: all behind it comes again, too.
        --at.direction.out_of_order;
        lose_before_capture(at.direction, at.facts, 1);
        ++at.direction.retransmitted.packets;
    }
    half.late_next.reset();
    if (!goes_on(at)) {
        settle_holes(at);
        begin_again(at);
    } else {
        note_hole(half, at.psn);
        if (half.timeouts.count != 0) note_life(at);
        if (half.again->event != nullptr) ++half.again->event->count;
    }
    if (psn_distance(half.again->next, psn_after(at.psn)) > 0) half.again->next = end_of(at);
    count(at.direction.retransmitted, half.again->cause);
    at.facts.retransmission = half.again->cause;
    half.silent.packets += half.again->silent ? 1 : 0;
    if (half.lost_psn == at.psn) half.lost_psn.reset();
    if (!has_own_answer(at)) count_duplicate(half, at.direction, &Again::packets);
    if (half.requests.has_arrived(at.psn)) {
        count_arrived(half, at.direction, has_own_answer(at));
        at.facts.duplicate_request = true;
    }
    if (!seen_before) return;
    half.order.on_repeated(at.packet.ip_identification, at.psn);
    remember_repeated(at);
}

void Streams::remember_repeated(At& at) {
    constexpr std::size_t most = 64;
    std::vector<Repeated>& repeated = at.half.repeated;
    if (repeated.size() >= most) repeated.erase(repeated.begin());
    repeated.push_back({at.psn, end_of(at), has_own_answer(at), at.facts.duplicate_request});
}

/// The PSN behind those that the packet takes: of a READ that does not say, what those behind it have shown.
std::uint32_t Streams::end_of(const At& at) {
    const Pending* read = at.share == 0 ? at.half.requests.pending.covering(at.psn) : nullptr;
    return read != nullptr && read->sized ? read->end_psn : psn_after(at.psn, std::max(at.share, 1U));
}

/// A READ or an atomic.
bool Streams::has_own_answer(const At& at) { return at.facts.operation && !sends(*at.facts.operation); }

/// Whether the packet is one more of those that are being retransmitted, in whatever order they arrive. What a NAK asks
/// for may still come behind others that were under way.
bool Streams::goes_on(const At& at) const {
    const Half& half = at.half;
    if (!half.again) return false;
    if (at.sent == Sent::before) return true;  // it was overtaken by others of them
    if (at.packet.time - half.last_request > slowest_reaction) return false;
    const bool steps_back = psn_distance(half.again->next, at.psn) < 0;
    const bool refused = half.nak &&
                         (half.nak->psn == at.psn || (steps_back && psn_distance(half.nak->psn, at.psn) >= 0));
    // It was answered in the meantime: its requester asks for what it missed of that.
    const bool answered = steps_back && has_own_answer(at) && half.responded;
    const bool asked_anew = refused || answered || (half.rnr && half.rnr->psn == at.psn);
    return !asked_anew && (!steps_back || at.packet.time - half.last_request < overtaken_within);
}

/// Packets that were passed over while others came again have been lost if they come once more.
void Streams::settle_holes(At& at) {
    std::erase_if(at.half.holes, [&](const Hole& hole) {
        if (psn_distance(at.psn, hole.begin) < 0) return false;
        // Where packets overtake each other they may have been under way.
        if (at.direction.out_of_order == 0) lose_before_capture(at.direction, at.facts, hole.packets);
        return true;
    });
}

/// All that had been sent comes again before anything new does: the rest was passed over.
void Streams::end_repetition(Half& half) {
    if (half.again && !half.requests.has_arrived(half.again->next)) note_hole(half, half.requests.next_psn());
    half.again.reset();
    half.late_next.reset();
}

void Streams::note_hole(Half& half, std::uint32_t end) {
    constexpr std::size_t most_holes = 64;
    constexpr std::uint32_t most = 4096;  // of one hole
    if (psn_distance(half.again->next, end) <= 0 || half.holes.size() >= most_holes) return;
    half.holes.push_back({half.again->next, end});
    Hole& hole = half.holes.back();
    std::uint32_t psn = half.again->next;
    for (std::uint32_t i = 0; i < most && psn_distance(psn, end) > 0; ++i) {
        const Pending* of = half.requests.pending.covering(psn);
        hole.packets += of != nullptr ? 1 : 0;  // what is not pending any more has arrived
        psn = of != nullptr && of->seen.type == OperationType::read ? of->end_psn : psn_after(psn);
    }
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
    const Pending* asked = at.half.requests.pending.covering(at.psn);
    if (asked != nullptr && asked->missed && at.packet.time - *asked->missed < slowest_reaction) {
        waited = at.packet.time - *asked->missed;
        return Cause::implied;
    }
    waited = at.packet.time - std::max(half.last_request, half.last_answered.time);
    // Where timers run out while others are still being retransmitted, the packet's own silence counts, unless its
    // answer may have been missed.
    if (waited < shortest_timeout && asked != nullptr && !has_own_answer(at))
        waited = at.packet.time - asked->seen.last.time;
    if (half.peer == nullptr || half.peer->cut_answers) return Cause::unknown;
    if (waited >= shortest_timeout) return Cause::timeout;
    // Nobody refused it and no timer ran out: its requester missed an answer that was captured.
    const bool was_answered = asked == nullptr || asked->answered_to;
    return has_own_answer(at) && was_answered ? Cause::implied : Cause::unknown;
}

void Streams::begin_again(At& at) {
    Half& half = at.half;
    Time waited = 0;
    const Cause cause = cause_of_repetition(at, waited);
    for (Repeated& one : half.repeated) one.of_latest = false;
    half.again = Repetition{cause, at.psn, add_event(at, Event::Kind::retransmission, at.psn, 1)};
    if (half.again->event != nullptr) {
        half.again->event->cause = cause;
        half.again->event->waited = waited;
    }
    at.facts.waited = waited;
    if (half.peer == nullptr && cause == Cause::unknown && waited >= shortest_timeout) {
        half.again->silent = true;
        ++half.silent.times;
        half.silent.longest = std::max(half.silent.longest, waited);
    }
    if (cause == Cause::rnr) {
        judge_rnr_wait(at, waited);
        at.direction.rnr_waited += waited;
        half.rnr_waits.add(at);
    }
    const bool was_refused = half.nak && psn_distance(half.nak->psn, at.psn) >= 0;
    half.nak.reset();
    half.rnr.reset();
    if (cause != Cause::timeout) return;
    ++at.direction.timeouts;
    if (was_refused) ++at.direction.unheeded_naks;
    at.direction.longest_timeout = std::max(at.direction.longest_timeout, waited);
    half.timeouts.add(at);
    at.facts.retry = half.timeouts.count;
    half.stream->silence = Silence{half.side, half.timeouts.count, at.stamp(), waited, retries_of(*half.stream)};
    judge_ack_timeout(at);
}

void Streams::settle_silent(Half& half) {
    const Silent silent = std::exchange(half.silent, {});
    Direction& direction = direction_of(half);
    if (silent.packets == 0 || direction.naks + direction.rnr_naks != 0) return;
    direction.retransmitted.timeout += silent.packets;
    direction.timeouts += silent.times;
    direction.longest_timeout = std::max(direction.longest_timeout, silent.longest);
    if (half.again && half.again->silent) half.again->cause = Cause::timeout;
    for (Event& event : model_.events)
        if (event.stream == half.stream->id && event.cause == Cause::unknown && event.waited >= shortest_timeout)
            event.cause = Cause::timeout;
}

void Streams::Row::add(const At& at) {
    constexpr std::size_t most_frames = 8;
    if (!frames) frames = std::make_unique<Frames>();
    std::vector<std::uint64_t>& row = frames->of_this;
    if (psn_distance(std::exchange(psn, at.psn), at.psn) > 0) count = 0;
    if (++count == 1) row.clear();
    if (row.size() < most_frames) row.push_back(at.packet.number);
    if (count <= most) return;
    most = count;
    frames->of_longest = row;
}

/// Only what a NAK, an RNR NAK or a gap in a response cannot have asked for: a WRITE's packet, behind which nothing was
/// sent. How long the timer of either side runs, REQ tells to a factor of two, and kernels count in ticks.
void Streams::judge_ack_timeout(const At& at) {
    const Half& half = at.half;
    if (half.timeouts.count != 1 || at.facts.operation != OperationType::write || at.packet.ib.has_immdt ||
        psn_after(at.psn) != half.requests.next_psn())
        return;
    const Pending* asked = at.half.requests.pending.covering(at.psn);
    const rdma_cm::Connection* connection = connection_of(*half.stream);
    if (asked == nullptr || connection == nullptr || asked->seen.last.interface != at.packet.interface) return;
    if (!connection->path) return verdicts_.undecided(rules::ack_timeout, UndecidedReason::request_not_captured);
    const std::uint8_t code = connection->path->local_ack_timeout;
    if (code == 0) return;
    const Time asked_for = Time{4096} << code;
    const Time waited = at.packet.time - asked->seen.last.time;
    if (4 * waited >= asked_for) return verdicts_.satisfied(rules::ack_timeout);
    // A NAK may have asked for what is missing before it.
    if (!half.requests.is_whole()) return verdicts_.undecided(rules::ack_timeout, UndecidedReason::frames_missing);
    at.half.early_retry = std::make_unique<EarlyRetry>(EarlyRetry{
        at.psn,
        {asked->seen.last.frame, at.packet.number},
        fmt::format(
            "PSN {} comes again {} us after it was sent, with a local ACK timeout of {} us", at.psn,
            waited / capture::microsecond, asked_for / capture::microsecond)});
}

/// A NAK may have asked for it, if another packet had followed, which is sent once more then, too. So what is sent
/// next tells: if it waits until nothing but the retry has been acknowledged, nothing had followed.
void Streams::settle_early_retry(const At& at, Place place) {
    std::unique_ptr<EarlyRetry>& retry = at.half.early_retry;
    if (at.psn == retry->psn) return;
    const bool follows = place == Place::next && at.psn == psn_after(retry->psn);
    const Doubt doubt = doubt_if(!follows || !retry->acknowledged, UndecidedReason::frames_missing);
    verdicts_.broken(rules::ack_timeout, doubt, std::move(retry->frames), {at.half.stream->id}, std::move(retry->text));
    retry.reset();
}

/// Kernels count in ticks, and the first one may be nearly over.
void Streams::judge_rnr_wait(const At& at, Time waited) {
    const Time asked = ib::rnr_timer_microseconds(AethSyndrome::of(at.half.rnr->syndrome).value) * capture::microsecond;
    if (at.half.rnr->interface != at.packet.interface)  // whose clock may be another
        return verdicts_.undecided(rules::rnr_wait, UndecidedReason::interface_order);
    if (2 * waited >= asked) return verdicts_.satisfied(rules::rnr_wait);
    if (waited == 0)  // the clock does not tell the two apart
        return verdicts_.undecided(rules::rnr_wait, UndecidedReason::clock_too_coarse);
    verdicts_.broken(
        rules::rnr_wait, {at.half.rnr->frame, at.packet.number}, {at.half.stream->id},
        fmt::format(
            "PSN {} comes again {} us after an RNR NAK that asks for {} us", at.psn, waited / capture::microsecond,
            asked / capture::microsecond));
}

// ---- operations ------------------------------------------------------------------------------------

void Streams::count_bytes(Direction& asker, OperationType type, std::uint64_t bytes) {
    asker.bytes += bytes;
    asker.operations[static_cast<std::size_t>(type)].bytes += bytes;
}

/// A packet of a request that has not been seen before.
void Streams::take_operation(At& at, bool late) {
    if (!at.facts.operation) return;
    const OperationType type = *at.facts.operation;
    const capture::IbPacket& ib = at.packet.ib;
    const std::uint64_t bytes = type == OperationType::read     ? (ib.has_reth ? ib.reth.dma_length : 0)
                                : type == OperationType::atomic ? ib::atomic_size
                                                                : ib.payload_length;
    count_bytes(at.direction, type, bytes);
    Half& half = at.half;
    if (late ? join_operation(at, type) : continue_operation(at)) return keep_unanswered(half);
    ++at.direction.operations[static_cast<std::size_t>(type)].count;
    const bool ended = ends_message(at.opcode.position);
    if (!late) half.message_open = !ended;
    if (half.key.transport == Transport::ud || (half.key.transport == Transport::uc && ended)) {
        Pending made;
        begin_operation(at, type, made);
        made.seen.bytes = bytes;
        judge_message_length(at, made);
        return keep(half, made.seen);
    }
    PendingOperations& pending = half.requests.pending;
    Pending& made = pending.insert(
        at.psn, half.peer != nullptr ? options_.limits.outstanding : options_.limits.unpaired);
    begin_operation(at, type, made);
    pending.extend(made, bytes);
    judge_message_length(at, made);
}

void Streams::begin_operation(At& at, OperationType type, Pending& made) {
    Half& half = at.half;
    const capture::IbPacket& ib = at.packet.ib;
    made.number = ++half.requests.operations;
    made.begun = begins_message(at.opcode.position);
    made.ended = ends_message(at.opcode.position);
    made.sized = at.share != 0;
    made.end_psn = psn_after(at.psn, std::max(at.share, 1U));
    made.asks_for_answer = at.packet.ib.bth.ack_request;
    if (ib.has_reth) made.asked_bytes = ib.reth.dma_length;
    else if (made.ended && made.begun && sends(type)) made.asked_bytes = ib.payload_length;
    const bool reads = type == OperationType::read;
    half.latest_read = reads && ib.has_reth ? std::optional(ib.reth) : std::nullopt;
    half.cut_reads |= reads && !ib.has_reth;
    made.seen.type = type;
    made.seen.psn = at.psn;
    made.seen.packets = 1;
    made.seen.retransmitted = at.facts.retransmission ? 1 : 0;
    made.seen.first = made.seen.last = at.stamp();
    if (half.requests.has_arrived(at.psn)) made.missed = at.packet.time;
    at.facts.operation_number = made.number;
    at.facts.operation_bytes = made.asked_bytes;
}

/// Whether the packet is one of so many as the operation's length takes. The last one may be smaller than the others.
bool Streams::may_belong_to(const Pending& operation, const At& at) {
    const std::uint32_t octets = at.packet.ib.payload_length;
    if (!operation.begun || !operation.asked_bytes || octets == 0) return true;
    return psn_distance(operation.seen.psn, at.psn) < std::int64_t{packets_for(*operation.asked_bytes, octets)};
}

/// Of the latest operation, unless it begins one.
bool Streams::continue_operation(At& at) {
    Half& half = at.half;
    PendingOperations& pending = half.requests.pending;
    if (begins_message(at.opcode.position) || !half.message_open) return false;
    if (!pending.empty() && !pending.back().ended) {
        if (!may_belong_to(pending.back(), at)) return false;
        extend(at, pending.back());
        judge_message_length(at, pending.back());
    }
    half.message_open = !ends_message(at.opcode.position);
    return true;
}

/// Parts of one operation come in any order: the packet goes to the part that it lies in or follows, to the part that
/// it precedes, or joins the two. Where an operation ends or begins within what was taken for one, they are told apart.
bool Streams::join_operation(At& at, OperationType type) {
    PendingOperations& pending = at.half.requests.pending;
    if (!sends(type)) return false;
    const bool first = begins_message(at.opcode.position), last = ends_message(at.opcode.position);
    std::size_t behind = pending.begun_by(at.psn);  // operations that begin there or before
    if (behind > 0 && pending[behind - 1].seen.type == type) {
        Pending& around = pending[behind - 1];
        const std::uint32_t next = psn_after(at.psn);
        const bool covered = psn_distance(at.psn, around.end_psn) > 0;
        if (first && covered) {
            if (around.seen.psn != at.psn) split(at, behind++ - 1, at.psn);
            Pending& begun = pending[behind - 1];
            begun.begun = true;
            if (at.packet.ib.has_reth) begun.asked_bytes = at.packet.ib.reth.dma_length;
        } else if (last && covered && around.end_psn != next) {
            split(at, behind - 1, next);
        }
    }
    Pending* before = behind > 0 ? &pending[behind - 1] : nullptr;
    const bool inside = before != nullptr && psn_distance(at.psn, before->end_psn) > 0;
    if (before != nullptr && (before->seen.type != type || (!inside && (first || before->ended)))) before = nullptr;
    Pending* after = !last && !inside && behind < pending.size() ? &pending[behind] : nullptr;
    if (after != nullptr && (after->begun || after->seen.type != type)) after = nullptr;
    if (before != nullptr) {
        extend(at, *before);
        if (after != nullptr) unite(at, *before, *after, behind);
        return true;
    }
    if (after == nullptr) return false;
    after->seen.psn = at.psn;
    after->begun = first;
    if (at.packet.ib.has_reth) after->asked_bytes = at.packet.ib.reth.dma_length;
    extend(at, *after);
    return true;
}

/// What was taken for one operation is two; how its packets spread over both is not known any more.
void Streams::split(At& at, std::size_t index, std::uint32_t psn) {
    PendingOperations& pending = at.half.requests.pending;
    Pending& left = pending[index];
    Pending right = left;
    right.number = ++at.half.requests.operations;
    right.seen.psn = psn;
    right.seen.bytes = 0;
    right.seen.packets = 0;
    right.seen.first = at.stamp();
    right.begun = false;
    right.asked_bytes.reset();
    left.end_psn = psn;
    left.ended = false;
    ++at.direction.operations[static_cast<std::size_t>(left.seen.type)].count;
    pending.insert(psn, options_.limits.outstanding) = right;
}

void Streams::unite(At& at, Pending& before, const Pending& after, std::size_t place) {
    PendingOperations& pending = at.half.requests.pending;
    before.end_psn = after.end_psn;
    before.ended = after.ended;
    before.asks_for_answer = after.asks_for_answer;
    before.seen.packets += after.seen.packets;
    before.seen.retransmitted += after.seen.retransmitted;
    before.seen.bytes += after.seen.bytes;
    --at.direction.operations[static_cast<std::size_t>(before.seen.type)].count;
    pending.remove(place);
}

void Streams::extend(At& at, Pending& pending) {
    at.half.requests.pending.extend(pending, at.packet.ib.payload_length);
    ++pending.seen.packets;
    if (at.facts.retransmission) ++pending.seen.retransmitted;
    pending.seen.last = at.stamp();
    const std::uint32_t end = psn_after(at.psn);
    if (psn_distance(pending.end_psn, end) > 0) {
        pending.end_psn = end;
        pending.asks_for_answer = at.packet.ib.bth.ack_request;
    }
    if (!pending.missed && at.half.requests.has_arrived(at.psn)) pending.missed = at.packet.time;
    pending.ended |= ends_message(at.opcode.position);
    at.facts.operation_number = pending.number;
    at.facts.operation_bytes = pending.asked_bytes;
    at.facts.request_frame = pending.seen.first.frame;
}

/// Of a queue pair that is sent no answers.
void Streams::keep_unanswered(Half& half) {
    if (half.key.transport != Transport::uc) return;
    PendingOperations& all = half.requests.pending;
    for (; !all.empty() && all.front().ended; all.pop()) keep(half, all.front().seen);
}

}  // namespace fabricscope::engine::rdma
