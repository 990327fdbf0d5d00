// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/cursor_rules.h"

#include <limits>

namespace fabricscope::engine::smcr {

namespace {

std::string to_string(wire::Cursor cursor) { return std::to_string(cursor.wrap) + ":" + std::to_string(cursor.offset); }

/// Why the window may be wider than it seems.
std::optional<UndecidedReason> doubt_of_window(const Transfer& t) {
    if (t.connection.from[t.a.from].rmbe_size_inferred) return UndecidedReason::element_size_unknown;
    return t.doubt_of_peer();
}

}  // namespace

void CursorRules::on_cdc(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions, bool writes_wait) {
    const auto& [producer, consumer] = motions;
    note_missing_writes(t, producer);
    if (!judge_cursors(t, cdc, producer, consumer)) return;
    judge_window(t, producer);
    judge_consumer(t, consumer);
    judge_coverage(t, producer, writes_wait);
}

// ---- range and motion ----------------------------------------------------------------------------

/// Returns whether both can be compared with other cursors.
bool CursorRules::judge_cursors(
    const Transfer& t, const wire::Cdc& cdc, const Motion& producer, const Motion& consumer) {
    if (!judge_motion(t, t.sending, producer, cdc.producer, "producer") ||
        !judge_motion(t, t.receiving, consumer, cdc.consumer, "consumer"))
        return false;
    verdicts_.satisfied(rules::cursor_range);
    return true;
}

bool CursorRules::judge_motion(
    const Transfer& t, const Flow& flow, const Motion& motion, wire::Cursor cursor, const char* name) {
    const std::string_view side = name_of(t.a.from);
    const auto text = [&](const char* what) {
        return std::string(name) + " cursor " + to_string(cursor) + " of the " + std::string(side) + " " + what;
    };
    if (!flow.in_data_area(cursor)) {
        verdicts_.broken(rules::cursor_range, {t.frame()}, t.subject(), text("is outside the RMB element"));
        return false;
    }
    if (motion.kind == Motion::Kind::first) return true;
    if (motion.kind == Motion::Kind::unknown) {
        verdicts_.undecided(rules::cursor_range, UndecidedReason::element_size_unknown);
        return false;
    }
    const auto capacity = flow.capacity();
    const bool back = motion.kind == Motion::Kind::back;
    if (!back && (!capacity || motion.moved <= *capacity)) return true;
    const Direction& direction = t.connection.from[&flow == &t.sending ? t.a.from : other(t.a.from)];
    std::optional<UndecidedReason> why = t.doubt_of_sender_elsewhere();
    if (!direction.from_start) why = UndecidedReason::beginning_not_captured;
    else if (direction.rmbe_size_inferred) why = UndecidedReason::element_size_unknown;
    if (why) {
        verdicts_.undecided(rules::cursor_range, *why);
        return false;
    }
    verdicts_.broken(
        rules::cursor_range, why, frames_with(t.mine.frame, t.frame()), t.subject(),
        text(back ? "has gone back" : "moved by more than the RMB element holds"));
    return false;
}

// ---- producer and consumer -----------------------------------------------------------------------

void CursorRules::judge_window(const Transfer& t, const Motion& producer) {
    const auto capacity = t.sending.capacity();
    if (!capacity || producer.moved == 0) return;
    const std::uint64_t limit = t.sending.consumer_position() + *capacity;
    const bool ahead = producer.position > limit;
    if (!ahead && t.connection.from[t.a.from].from_start) return verdicts_.satisfied(rules::window);
    if (const auto why = doubt_of_window(t)) return verdicts_.undecided(rules::window, *why);
    if (producer.position <= t.mine.overrun) return;  // the WRITE has been told of
    t.accuse_unless_peer_spoke(
        verdicts_, rules::window, frames_with(t.peers.frame, t.frame()),
        "the producer of the " + std::string(name_of(t.a.from)) + " is " + std::to_string(producer.position - limit) +
            " octets beyond the window");
}

/// A WRITE that goes on where the last one ended. Any other may be a repetition.
void CursorRules::on_write(const Transfer& t, const Flow::Write& write) {
    t.mine.written_frame = t.frame();
    const auto capacity = t.sending.capacity();
    if (t.sending.is_doubtful(write)) {
        doubt_writes(t, t.sending.producer_position());
        return verdicts_.undecided(rules::window, UndecidedReason::frames_missing);
    }
    if (!capacity || write.late || t.sending.replay_expected()) return;
    const std::uint64_t place = t.sending.locate(write);
    const std::uint64_t end = place + write.length;
    const std::uint64_t limit = t.sending.consumer_position() + *capacity;
    if (end <= limit || place != t.sending.frontier()) return;
    if (const auto why = doubt_of_window(t)) return verdicts_.undecided(rules::window, *why);
    if (t.mine.overrun == 0 || place > t.mine.overrun)
        t.accuse_unless_peer_spoke(
            verdicts_, rules::window, frames_with(t.peers.frame, t.frame()),
            "a WRITE of the " + std::string(name_of(t.a.from)) + " ends " + std::to_string(end - limit) +
                " octets beyond the window");
    t.mine.overrun = end;
}

void CursorRules::judge_consumer(const Transfer& t, const Motion& consumer) {
    if (consumer.kind != Motion::Kind::forward || consumer.moved == 0) return;
    const Direction& direction = t.connection.from[other(t.a.from)];
    if (!direction.positions_known)
        return verdicts_.undecided(rules::consumer_behind_producer, UndecidedReason::element_size_unknown);
    const std::uint64_t produced = t.receiving.producer_position();
    const bool ahead = consumer.position > produced;
    if (!ahead && direction.from_start) return verdicts_.satisfied(rules::consumer_behind_producer);
    if (const auto why = t.doubt_of_peer()) return verdicts_.undecided(rules::consumer_behind_producer, *why);
    t.accuse_unless_peer_spoke(
        verdicts_, rules::consumer_behind_producer, frames_with(t.peers.frame, t.frame()),
        "the consumer of the " + std::string(name_of(t.a.from)) + " is " +
            std::to_string(consumer.position - produced) + " octets ahead of what was announced");
}

// ---- WRITEs before CDC ---------------------------------------------------------------------------

void CursorRules::note_missing_writes(const Transfer& t, const Motion& producer) {
    const bool complete = !t.doubt_of_sender() && !t.mine.moves();
    if (!complete) doubt_writes(t, std::max(producer.position, t.sending.producer_position()));
}

/// A WRITE that was not captured may have gone to any place in the window.
void CursorRules::doubt_writes(const Transfer& t, std::uint64_t producer) {
    const auto capacity = t.sending.capacity();
    t.mine.unsure_below = capacity ? producer + *capacity : std::numeric_limits<std::uint64_t>::max();
}

/// Whose an RMB element was when a WRITE came, its owner's messages tell: if these came by another interface, whose
/// clock may differ, the WRITE may have been taken for that of the connection before.
bool CursorRules::may_be_written_elsewhere(const Transfer& t) {
    return t.mine.element_reused && !t.a.history->one_interface;
}

void CursorRules::judge_coverage(const Transfer& t, const Motion& producer, bool writes_wait) {
    if (producer.kind != Motion::Kind::forward || producer.moved == 0) return;
    const std::uint64_t begin = t.sending.producer_position();
    if (t.sending.was_written(begin, producer.position)) return verdicts_.satisfied(rules::write_before_cdc);
    // Whose an RMB element is that no CLC message has told, WRITEs and cursors suggest only.
    const Doubt why = writes_wait || t.connection.midstream ? UndecidedReason::rmb_unknown
                      : begin < t.mine.unsure_below         ? UndecidedReason::frames_missing
                      : may_be_written_elsewhere(t)
                          ? UndecidedReason::interface_order
                          : doubt_if(t.a.history->contact_missing, UndecidedReason::setup_not_captured);
    verdicts_.broken(
        rules::write_before_cdc, why, frames_with(t.mine.written_frame, t.frame()), t.subject(),
        "not all of the " + std::to_string(producer.moved) + " octets that the " + std::string(name_of(t.a.from)) +
            " announces have been written");
}

}  // namespace fabricscope::engine::smcr
