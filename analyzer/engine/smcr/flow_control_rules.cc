// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/flow_control_rules.h"

namespace fabricscope::engine::smcr {

namespace {

/// After that long the peer has not only been sent what was captured, but has acted upon it.
constexpr Time reaction_time = capture::second;

bool says_more_than_consumer(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions) {
    const bool same_state = !cdc.state.connection_closed && !cdc.state.abnormal_close &&
                            cdc.state.sending_done == (t.mine.done_frame != 0);
    return motions.consumer.moved == 0 || !same_state || motions.producer.moved != 0 || !(cdc.flags == t.mine.flags) ||
           t.mine.written_frame != 0;
}

}  // namespace

void FlowControlRules::on_cdc(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions) {
    if (motions.consumer.kind == Motion::Kind::forward) judge_update(t, cdc, motions);
    if (motions.producer.kind == Motion::Kind::forward || !t.mine.flags.writer_blocked)
        judge_blocked(t, cdc, motions.producer);
    judge_urgent_flags(t, cdc);
}

// ---- window updates ------------------------------------------------------------------------------

/// The sender of the update may not have heard the latest of its peer: the peer may have produced
/// less, so that the window was wider still. What is consumed, however, it has heard of.
void FlowControlRules::judge_update(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions) {
    const Motion& consumer = motions.consumer;
    const auto capacity = t.receiving.capacity();
    const auto size = t.connection.from[other(t.a.from)].rmbe_size;
    if (!capacity || !size || t.peers.frame == 0 || says_more_than_consumer(t, cdc, motions)) return;
    const auto of_sender = t.doubt_of_sender();
    const Doubt why = of_sender ? of_sender : t.doubt_of_peer();
    if (why) return verdicts_.undecided(rules::small_updates, *why);
    const std::uint64_t told = t.receiving.consumer_position();
    const std::uint64_t in_flight = t.receiving.producer_position() - std::min(t.receiving.producer_position(), told);
    const std::uint64_t window = *capacity - std::min(*capacity, in_flight);
    const bool asked_for = t.peers.demand_position >= consumer.position;
    const bool worth_it = window * 2 < *size && consumer.moved * 10 >= *size;
    if (asked_for || worth_it) return verdicts_.satisfied(rules::small_updates);
    if (verdicts_.waives(rules::small_updates)) return;
    if (t.a.gaps[other(t.a.from)] != 0)  // what is missing may have asked for it
        return verdicts_.undecided(rules::small_updates, UndecidedReason::frames_missing);
    t.accuse_unless_peer_spoke(
        verdicts_, rules::small_updates, {t.peers.frame, t.frame()},
        "an update of " + std::to_string(consumer.moved) + " octets while the window was " + std::to_string(window) +
            " of " + std::to_string(*capacity));
}

/// The writer may not have heard of the latest update yet, unless that was long ago.
void FlowControlRules::judge_blocked(const Transfer& t, const wire::Cdc& cdc, const Motion& producer) {
    const auto capacity = t.sending.capacity();
    const bool ending = cdc.state.connection_closed || cdc.state.abnormal_close;
    if (!cdc.flags.writer_blocked || !capacity || ending) return;
    const Doubt why = t.doubt_of_peer();
    if (why) return verdicts_.undecided(rules::update_when_blocked, *why);
    const std::uint64_t limit = t.sending.consumer_position() + *capacity;
    if (producer.position >= limit) return verdicts_.satisfied(rules::update_when_blocked);
    // Whatever updates are still on their way: it never had a reason.
    if (!t.mine.flags.writer_blocked && t.connection.from[t.a.from].from_start && producer.position < *capacity &&
        !t.doubt_of_sender())
        return verdicts_.broken(
            rules::update_when_blocked, why, {t.frame()}, t.subject(),
            "the " + std::string(name_of(t.a.from)) + " says that it is blocked, and has written only " +
                std::to_string(producer.position) + " of the first " + std::to_string(*capacity) + " octets");
    const bool too_early = t.a.packet->time - t.peers.consumer_moved_time < reaction_time;
    verdicts_.deviation(
        rules::update_when_blocked, doubt_if(too_early, UndecidedReason::may_have_crossed),
        frames_with(t.peers.consumer_moved, t.frame()), t.subject(),
        "the " + std::string(name_of(t.a.from)) + " says that it is blocked while " +
            std::to_string(limit - producer.position) + " octets of the window are free");
}

// ---- urgent data ---------------------------------------------------------------------------------

void FlowControlRules::judge_urgent_flags(const Transfer& t, const wire::Cdc& cdc) {
    if (!cdc.flags.urgent_present) return;
    if (cdc.flags.urgent_pending) return verdicts_.satisfied(rules::urgent_flags);
    verdicts_.broken(rules::urgent_flags, {t.frame()}, t.subject(), "urgent data are present (U), but not pending (P)");
}

/// Nothing goes behind urgent data before their consumption has been told.
void FlowControlRules::on_write(const Transfer& t, const Flow::Write& write) {
    if (t.mine.urgent_frame == 0 || t.late()) return;
    const std::uint64_t urgent_end = t.sending.urgent_end();
    if (t.sending.locate(write) < urgent_end) return;
    const std::uint64_t announced = t.mine.urgent_frame;
    t.mine.urgent_frame = 0;
    if (const auto why = t.doubt_of_peer()) return verdicts_.undecided(rules::urgent_order, *why);
    if (t.sending.consumer_position() >= urgent_end) return verdicts_.satisfied(rules::urgent_order);
    t.accuse_unless_peer_spoke(
        verdicts_, rules::urgent_order, {announced, t.frame()},
        "the " + std::string(name_of(t.a.from)) + " writes on, although its urgent data have not been consumed");
}

}  // namespace fabricscope::engine::smcr
