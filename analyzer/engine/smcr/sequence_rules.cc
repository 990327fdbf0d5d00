// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/sequence_rules.h"

#include <algorithm>

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

/// It names the last message that the peer's RNIC acknowledged.
void SequenceRules::on_validation(const Transfer& t, const wire::Cdc& cdc) {
    if (t.late()) return;
    Sent::Validation* place = t.mine.validation_on(t.a.link);
    if (place == nullptr) place = &*std::ranges::min_element(t.mine.validations, {}, &Sent::Validation::frame);
    *place = {t.frame(), t.a.link, cdc.sequence};
    const Doubt why = t.doubt_of_sender();
    if (why) return verdicts_.undecided(rules::failover_validation, *why);
    const std::uint16_t last = t.mine.frame != 0 ? t.mine.highest_sequence : 0;
    if (sequence_distance(last, cdc.sequence) <= 0) return verdicts_.satisfied(rules::failover_validation);
    verdicts_.broken(
        rules::failover_validation, t.doubt_of_sender_elsewhere(), frames_with(t.mine.frame, t.frame()), t.subject(),
        "message " + std::to_string(cdc.sequence) + " is named, but the last one was " + std::to_string(last));
}

/// The unacknowledged messages come again one by one, or are made one with a new number.
void SequenceRules::judge_replay(const Transfer& t, const wire::Cdc& cdc, Sent::Validation& validation) {
    const std::uint64_t begun = validation.frame;
    const bool as_it_was = t.mine.frame != 0 && sequence_distance(t.mine.highest_sequence, cdc.sequence) <= 0;
    const auto next = static_cast<std::uint16_t>(validation.sequence + 1);
    const bool done = !as_it_was || cdc.sequence == t.mine.highest_sequence;
    validation.sequence = cdc.sequence;
    if (done) t.mine.validations = {};
    if (t.mine.frame == 0) return verdicts_.undecided(rules::failover_replay, UndecidedReason::beginning_not_captured);
    if (!as_it_was) return verdicts_.satisfied(rules::failover_replay);
    const Doubt why = t.doubt_of_sender();
    if (why) return verdicts_.undecided(rules::failover_replay, *why);
    if (cdc.sequence != next)
        return verdicts_.broken(
            rules::failover_replay, why, {begun, t.frame()}, t.subject(),
            "message " + std::to_string(cdc.sequence) + " is repeated where " + std::to_string(next) + " was due");
    if (repeats_unchanged(t, why, cdc)) verdicts_.satisfied(rules::failover_replay);
}

bool SequenceRules::repeats_unchanged(const Transfer& t, const Doubt& why, const wire::Cdc& cdc) {
    const auto same = [&](const Sent::Announced& m) { return m.frame != 0 && m.sequence == cdc.sequence; };
    const auto original = std::ranges::find_if(t.mine.announced, same);
    if (original == t.mine.announced.end()) {
        verdicts_.undecided(rules::failover_replay, UndecidedReason::not_remembered);
        return false;
    }
    if (original->producer == cdc.producer) return true;
    verdicts_.broken(
        rules::failover_replay, why, {original->frame, t.frame()}, t.subject(),
        "message " + std::to_string(cdc.sequence) + " is repeated with another producer cursor");
    return false;
}

}  // namespace fabricscope::engine::smcr
