// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/sequence_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fabricscope::engine::smcr {

void SequenceRules::on_cdc(const Transfer& t, const wire::Cdc& cdc) {
    if (Sent::Validation* validation = t.mine.validation_on(t.a.link)) return judge_replay(t, cdc, *validation);
    if (t.mine.frame == 0) judge_first(t, cdc);
    else judge_step(t, cdc);
}

void SequenceRules::judge_first(const Transfer& t, const wire::Cdc& cdc) {
    if (t.connection.from[t.a.from].from_start && cdc.sequence == 1) return verdicts_.satisfied(rules::cdc_sequence);
    auto why = t.doubt_of_sender();
    // Another link may have carried more than was captured of it.
    if (!why && model_.link_groups[t.a.group - 1].links.size() != 1) why = UndecidedReason::another_link;
    verdicts_.broken(
        rules::cdc_sequence, why, {t.frame()}, t.subject(),
        "the first message from the " + std::string(name_of(t.a.from)) + " has number " + std::to_string(cdc.sequence));
}

void SequenceRules::judge_step(const Transfer& t, const wire::Cdc& cdc) {
    if (sequence_distance(t.mine.sequence, cdc.sequence) == 1) return verdicts_.satisfied(rules::cdc_sequence);
    auto why = t.doubt_of_sender();
    if (!why && t.mine.cdc_link != t.a.link) why = UndecidedReason::another_link;
    verdicts_.broken(
        rules::cdc_sequence, why, {t.mine.frame, t.frame()}, t.subject(),
        "number " + std::to_string(cdc.sequence) + " follows " + std::to_string(t.mine.sequence));
}

// ---- moving to another link ----------------------------------------------------------------------

void SequenceRules::on_link(const Transfer& t) {
    Sent& mine = t.mine;
    if (!mine.link || mine.link == t.a.link || t.late()) return;
    if (mine.validation_on(t.a.link) != nullptr) return verdicts_.satisfied(rules::failover_validation);
    auto why = t.doubt_of_sender();
    // RFC 7609 speaks of links that fail; it says nothing of a change from one healthy link to another.
    const auto& links = model_.link_groups[t.a.group - 1].links;
    const LinkState left = links[*mine.link].state;
    if (!why && left != LinkState::deleted && left != LinkState::failed) why = UndecidedReason::old_link_not_deleted;
    // Its WRITEs may be another one's.
    if (!why && t.connection.midstream) why = UndecidedReason::setup_not_captured;
    verdicts_.broken(
        rules::failover_validation, why, frames_with(mine.frame, t.frame()), t.subject(),
        "moved to another link without validation");
}

/// It names the last message that the peer's RNIC acknowledged. If that was the last one on a link that then failed,
/// and is missing from the capture, no PSN shows it: what follows tells whether it was sent.
void SequenceRules::on_validation(const Transfer& t, const wire::Cdc& cdc) {
    if (t.late()) return;
    Sent::Validation* place = t.mine.validation_on(t.a.link);
    if (place == nullptr) place = &*std::ranges::min_element(t.mine.validations, {}, &Sent::Validation::frame);
    *place = {t.frame(), t.a.link, cdc.sequence};
    t.mine.replayed_before = t.connection.from[t.a.from].bytes_replayed;
    const Doubt why = t.doubt_of_sender();
    if (why) return verdicts_.undecided(rules::failover_validation, *why);
    const bool seen = sequence_distance(t.mine.last_sent(), cdc.sequence) <= 0;
    place->names_unseen = !seen && t.mine.link != t.a.link;
    if (seen) verdicts_.satisfied(rules::failover_validation);
    else if (!place->names_unseen) accuse_of_unsent(t, frames_with(t.mine.frame, t.frame()), cdc.sequence, "");
}

void SequenceRules::accuse_of_unsent(
    const Transfer& t, std::vector<std::uint64_t> frames, std::uint16_t named, const std::string& shown_by) {
    verdicts_.broken(
        rules::failover_validation, t.doubt_of_sender_elsewhere(), std::move(frames), t.subject(),
        fmt::format("message {} is named, but the last one was {}{}", named, t.mine.last_sent(), shown_by));
}

/// Returns whether the message that was named had been sent.
bool SequenceRules::judge_named(const Transfer& t, const wire::Cdc& cdc, const Sent::Validation& validation) {
    if (!validation.names_unseen) return true;
    if (sequence_distance(validation.sequence, cdc.sequence) > 0) {
        verdicts_.satisfied(rules::failover_validation);
        return true;
    }
    std::vector<std::uint64_t> frames = frames_with(t.mine.frame, validation.frame);
    frames.push_back(t.frame());
    accuse_of_unsent(t, std::move(frames), validation.sequence, fmt::format(": message {} follows", cdc.sequence));
    return false;
}

/// The unacknowledged messages come again one by one, or are made one with a new number.
void SequenceRules::judge_replay(const Transfer& t, const wire::Cdc& cdc, Sent::Validation& validation) {
    const Sent::Validation before = validation;
    const std::uint64_t replayed_before = std::exchange(
        t.mine.replayed_before, t.connection.from[t.a.from].bytes_replayed);
    const bool as_it_was = t.mine.frame != 0 && sequence_distance(t.mine.highest_sequence, cdc.sequence) <= 0;
    const auto next = static_cast<std::uint16_t>(before.sequence + 1);
    const bool done = !as_it_was || cdc.sequence == t.mine.highest_sequence;
    const bool named_right = judge_named(t, cdc, validation);
    validation = {before.frame, before.link, cdc.sequence};
    if (done) t.mine.validations = {};
    if (!named_right) return;
    if (t.mine.frame == 0) return verdicts_.undecided(rules::failover_replay, UndecidedReason::beginning_not_captured);
    const Doubt why = t.doubt_of_sender();
    if (why) return verdicts_.undecided(rules::failover_replay, *why);
    if (!as_it_was) return judge_new(t, why, cdc, before, t.mine.replayed_before - replayed_before);
    if (cdc.sequence != next)
        return verdicts_.broken(
            rules::failover_replay, why, {before.frame, t.frame()}, t.subject(),
            "message " + std::to_string(cdc.sequence) + " is repeated where " + std::to_string(next) + " was due");
    if (repeats_unchanged(t, why, cdc)) verdicts_.satisfied(rules::failover_replay);
}

/// A message with a new number: by now all that was not acknowledged has been written again.
void SequenceRules::judge_new(
    const Transfer& t, const Doubt& why, const wire::Cdc& cdc, const Sent::Validation& validation,
    std::uint64_t again) {
    const Direction& direction = t.connection.from[t.a.from];
    const Sent::Announced* const named = t.mine.announced_as(validation.sequence);
    const bool from_begin = validation.sequence == 0 && direction.from_start && direction.cdcs <= UINT16_MAX;
    std::optional<std::uint64_t> due;
    if (named != nullptr) due = t.sending.unconsumed_behind(named->producer());
    else if (from_begin) due = t.sending.unconsumed_behind({0, direction.cursor_base.value_or(0)});
    if (!due) return verdicts_.undecided(rules::failover_replay, UndecidedReason::not_remembered);
    if (!direction.replays_known) return verdicts_.undecided(rules::failover_replay, UndecidedReason::frames_missing);
    if (again >= *due) return verdicts_.satisfied(rules::failover_replay);
    // The peer may have said that it has consumed them.
    const Doubt consumed = t.doubt_of_peer();
    verdicts_.broken(
        rules::failover_replay, why ? why : consumed, {validation.frame, t.frame()}, t.subject(),
        fmt::format(
            "message {} follows, although {} of {} octets announced behind message {} were not written again",
            cdc.sequence, *due - again, *due, validation.sequence));
}

bool SequenceRules::repeats_unchanged(const Transfer& t, const Doubt& why, const wire::Cdc& cdc) {
    const Sent::Announced* const original = t.mine.announced_as(cdc.sequence);
    if (original == nullptr) {
        verdicts_.undecided(rules::failover_replay, UndecidedReason::not_remembered);
        return false;
    }
    if (original->producer() == cdc.producer) return true;
    verdicts_.broken(
        rules::failover_replay, why, {original->frame, t.frame()}, t.subject(),
        "message " + std::to_string(cdc.sequence) + " is repeated with another producer cursor");
    return false;
}

}  // namespace fabricscope::engine::smcr
