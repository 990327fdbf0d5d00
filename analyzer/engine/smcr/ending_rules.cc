// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/ending_rules.h"

namespace fabricscope::engine::smcr {

namespace {

/// When both sides have closed, the RMB element is free. What is sent to it then may be another
/// connection's, of which the set-up was not captured.
bool both_closed(const Transfer& t) { return t.mine.closed_frame != 0 && t.peers.closed_frame != 0; }

/// What was sent before that message is retransmitted after a failover.
bool repeats_before(const Transfer& t, std::uint16_t sequence) {
    const Sent::Validation* validation = t.mine.validation_on(t.a.link);
    return sequence_distance(validation != nullptr ? validation->sequence : t.mine.sequence, sequence) > 0;
}

std::optional<UndecidedReason> doubt_of(const Transfer& t) {
    if (t.late()) return UndecidedReason::out_of_order;
    if (t.mine.link != t.a.link) return UndecidedReason::another_link;
    return std::nullopt;
}

bool says_closed(const wire::Cdc& cdc) { return cdc.state.connection_closed || cdc.state.abnormal_close; }

std::string by_sender(const Transfer& t, const char* what) { return "the " + std::string(name_of(t.a.from)) + what; }

}  // namespace

void EndingRules::broken(const Transfer& t, const Doubt& why, std::uint64_t said, const char* what) {
    verdicts_.broken(rules::silence_after_close, why, {said, t.frame()}, t.subject(), by_sender(t, what));
}

void EndingRules::on_cdc(const Transfer& t, const wire::Cdc& cdc, const Motion& producer) {
    const Sent& mine = t.mine;
    if (mine.done_frame == 0 && mine.closed_frame == 0) return;
    const Doubt why = doubt_of(t);
    if (why) return verdicts_.undecided(rules::silence_after_close, *why);
    if (mine.closed_frame != 0) return judge_after_close(t, cdc, producer);
    if (producer.kind == Motion::Kind::forward && producer.moved != 0)
        return broken(t, why, mine.done_frame, " announces more data, although it was done sending");
    if (!cdc.state.sending_done && !says_closed(cdc))
        return broken(t, why, mine.done_frame, " takes back that it is done sending");
    verdicts_.satisfied(rules::silence_after_close);
}

/// A message that announces data, and says again that its side has closed, is of what the send buffer held.
void EndingRules::judge_after_close(const Transfer& t, const wire::Cdc& cdc, const Motion& producer) {
    const bool may_be_anothers = both_closed(t) && sequence_distance(t.mine.sequence, cdc.sequence) != 1;
    const Doubt whose = doubt_if(may_be_anothers, UndecidedReason::used_again);
    constexpr const char* what = " goes on, although it has closed the connection";
    const bool announces = producer.kind == Motion::Kind::forward && producer.moved != 0;
    if (!says_closed(cdc) || !announces) return broken(t, whose, t.mine.closed_frame, what);
    verdicts_.deviation(
        rules::silence_after_close, whose, {t.mine.closed_frame, t.frame()}, t.subject(), by_sender(t, what));
}

void EndingRules::on_write(const Transfer& t, const Flow::Write& write) {
    const Sent& mine = t.mine;
    const std::uint64_t said = mine.closed_frame != 0 ? mine.closed_frame : mine.done_frame;
    if (said == 0 || !write.first) return;
    if (repeats_before(t, mine.closed_frame != 0 ? mine.closed_sequence : mine.done_sequence)) return;
    if (const auto why = doubt_of(t)) return verdicts_.undecided(rules::silence_after_close, *why);
    if (both_closed(t)) return verdicts_.undecided(rules::silence_after_close, UndecidedReason::used_again);
    if (const auto why = t.doubt_of_peer()) return verdicts_.undecided(rules::silence_after_close, *why);
    const bool closed = mine.closed_frame != 0;
    t.accuse_unless_peer_spoke(
        verdicts_, rules::silence_after_close, {said, t.frame()},
        by_sender(
            t, closed ? " writes, although it has closed the connection" : " writes, although it was done sending"),
        closed);
}

}  // namespace fabricscope::engine::smcr
