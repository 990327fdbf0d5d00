// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/add_link_rules.h"

#include "analyzer/engine/smcr/doubt.h"
#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::engine::smcr {

void AddLinkRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (!group(a).roles_known) return;
    Group& of = of_[a.group];
    note_early(a, message);
    if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) {
        if (!add->common().reply && a.from == Side::server) begin(a, add->common());
        judge_references(a, add->rkeys, add->rkeys.size(), doubt::from_start(group(a), *a.history));
    } else if (const auto* more = std::get_if<wire::AddLinkContinuationMessage>(&message.body)) {
        judge_rtokens(a, *more);
        judge_references(a, more->slots, more->used, doubt::while_adding(group(a), *a.history));
    } else if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) {
        if (!confirm->reply && of.addition.open && of.addition.is_about(confirm->link)) {
            judge_early(a, Side::client);
            judge_early_data(a, Side::client);
        }
        if (a.link == 0 && confirm->reply && of.first_data.confirmed.frame == 0) {
            of.first_data.confirmed = a.step();
            a.history->watched = group(a).from_start;
        }
    } else if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body)) {
        const bool gives_up = remove->all || of.addition.is_about(remove->link);
        if (of.addition.open && a.from == Side::server && gives_up) end(a);
    }
}

/// What crosses with another offer is about the one that was given up.
bool AddLinkRules::answers(const Addition& addition, const wire::AddLink& reply) {
    return addition.is_about(reply.link) || (!addition.accepted && addition.before == 0);
}

void AddLinkRules::on_reply(const Arrival& a, const wire::LlcMessage& message) {
    if (!group(a).roles_known) return;
    Addition& addition = of_[a.group].addition;
    if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body);
        add != nullptr && addition.open && answers(addition, add->common())) {
        addition.accepted = !add->common().reject;
        addition.taken_for = add->common().link;
        judge_early_data(a, Side::client);
        if (!addition.accepted) {
            judge_early_data(a, Side::server);
            end(a);
        }
    } else if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
               confirm != nullptr && addition.open && addition.is_about(confirm->link)) {
        judge_early(a, Side::server);
        judge_early_data(a, Side::server);
        if (addition.agreed.frame != 0) judge_agreement(a);
        end(a);
    }
}

// ---- ADD LINK, and what may not come in between --------------------------------------------------

void AddLinkRules::begin(const Arrival& a, const wire::AddLink& request) {
    Addition& addition = of_[a.group].addition;
    if (addition.open) drop_early(a.group, UndecidedReason::frames_missing);  // how the one before ended was not seen
    const std::uint8_t given_up = addition.number;
    addition = {};
    addition.open = true;
    addition.before = given_up;
    addition.number = request.link;
    addition.step = a.step();
    addition.carrier = a.link;
    addition.gaps = a.history->gaps;
}

void AddLinkRules::end(const Arrival& a) {
    Group& of = of_[a.group];
    of.addition.open = false;
    of.first_data.attempted = true;
    drop_early(a.group, UndecidedReason::may_have_crossed);
}

void AddLinkRules::drop_early(std::uint32_t group, UndecidedReason why) {
    for (FrameStamp& early : of_[group].first_data.early.values) {
        if (early.frame != 0) verdicts_.undecided(rules::second_link_first, why);
        early = {};
    }
}

/// Only on the link that carried ADD LINK the order in which a side sent is certain. Up to the reply to
/// ADD LINK the rules of exchanges look after this.
void AddLinkRules::note_early(const Arrival& a, const wire::LlcMessage& message) {
    Addition& addition = of_[a.group].addition;
    if (!addition.open || !addition.accepted || a.link != addition.carrier || a.late) return;
    if (message.is_reply()) {
        const bool agrees = std::holds_alternative<wire::ConfirmRkeyMessage>(message.body) && !is_refusal(message);
        if (agrees && a.from == Side::server) addition.agreed = a.step();
        return;
    }
    const auto* remove = std::get_if<wire::DeleteLink>(&message.body);
    const bool gives_up = remove != nullptr && addition.is_about(remove->link);
    if (is_serialized(message, a.from) && !gives_up && addition.early[a.from].frame == 0)
        addition.early[a.from] = a.step();
}

/// The message that `side` should have waited for.
void AddLinkRules::judge_early(const Arrival& a, Side side) {
    const Addition& addition = of_[a.group].addition;
    const Doubt why = doubt::since(addition, a);
    if (why) return verdicts_.undecided(rules::serialized_exchanges, *why);
    if (addition.early[side].frame == 0) return verdicts_.satisfied(rules::serialized_exchanges);
    verdicts_.broken(
        rules::serialized_exchanges, why, {addition.step.frame, addition.early[side].frame},
        Subject::link_group(a.group),
        std::string("the ") + name_of(side) + " begins an exchange while link " + std::to_string(addition.number) +
            " is being added");
}

void AddLinkRules::judge_agreement(const Arrival& a) {
    const Addition& addition = of_[a.group].addition;
    verdicts_.broken(
        rules::negative_while_changing, doubt::since(addition, a), {addition.step.frame, addition.agreed.frame},
        Subject::link_group(a.group),
        "CONFIRM RKEY is agreed to while link " + std::to_string(addition.number) + " is being added");
}

// ---- first data ----------------------------------------------------------------------------------

bool AddLinkRules::on_data(const Arrival& a) {
    Group& of = of_[a.group];
    if (!of.first_data.judged[a.from]) {
        of.first_data.judged[a.from] = true;
        judge_data(a, of);
    }
    return !of.first_data.judged[other(a.from)];
}

/// Data while ADD LINK is open break the rule if what they should have waited for comes later.
void AddLinkRules::judge_data(const Arrival& a, Group& of) {
    FirstData& first = of.first_data;
    if (first.confirmed.frame == 0 || group(a).max_links == 1) return;
    std::optional<UndecidedReason> why = doubt::while_adding(group(a), *a.history);
    if (!why && a.packet->interface != first.confirmed.interface) why = UndecidedReason::interface_order;
    if (why) return verdicts_.undecided(rules::second_link_first, *why);
    if (first.attempted) verdicts_.satisfied(rules::second_link_first);  // whatever is being added now
    else if (of.addition.open && !of.addition.accepted && of.addition.before == 0) accuse_early(a, of.addition);
    else if (of.addition.open) first.early[a.from] = a.step();
    else accuse_untried(a, first);
}

/// That the server has not sent ADD LINK, what it sends next will prove.
void AddLinkRules::accuse_untried(const Arrival& a, const FirstData& first) {
    if (verdicts_.waives(rules::second_link_first)) return;
    a.history->accuse(
        verdicts_,
        {rules::second_link_first,
         {first.confirmed.frame, a.packet->number},
         Subject::link_group(a.group),
         std::string("data of the ") + name_of(a.from) + " before any second link was tried",
         Side::server},
        a.link);
}

/// ADD LINK has not been answered: what the client sends next will prove it.
void AddLinkRules::accuse_early(const Arrival& a, const Addition& addition) {
    if (const auto why = doubt::since(addition, a)) return verdicts_.undecided(rules::second_link_first, *why);
    a.history->accuse(
        verdicts_,
        {rules::second_link_first,
         {addition.step.frame, a.packet->number},
         Subject::link_group(a.group),
         early_data_text(a.from, addition),
         Side::client},
        addition.carrier);
}

void AddLinkRules::judge_early_data(const Arrival& a, Side side) {
    Group& of = of_[a.group];
    const FrameStamp early = of.first_data.early[side];
    if (early.frame == 0) return;
    of.first_data.early[side] = {};
    verdicts_.broken(
        rules::second_link_first, doubt::since(of.addition, a), {of.addition.step.frame, early.frame},
        Subject::link_group(a.group), early_data_text(side, of.addition));
}

std::string AddLinkRules::early_data_text(Side side, const Addition& addition) {
    return std::string("data of the ") + name_of(side) + " while link " + std::to_string(addition.number) +
           " is being added";
}

void AddLinkRules::finish() {
    for (const LinkGroup& group : model_.link_groups)
        if (of_.find(group.id) != nullptr) drop_early(group.id, UndecidedReason::capture_ended);
}

// ---- RTokens for the new link --------------------------------------------------------------------

std::vector<std::uint64_t> AddLinkRules::frames_up_to(const Arrival& a) {
    const Addition& addition = of_[a.group].addition;
    return frames_with(addition.open ? addition.step.frame : 0, a.packet->number);
}

void AddLinkRules::broken_rtokens(const Arrival& a, std::string text) {
    verdicts_.broken(rules::add_link_tokens, frames_up_to(a), Subject::link_group(a.group), std::move(text));
}

void AddLinkRules::judge_rtokens(const Arrival& a, const wire::AddLinkContinuationMessage& message) {
    Addition& addition = of_[a.group].addition;
    // What crosses with another offer is about the one that was given up.
    if (addition.open && !addition.accepted && addition.before != 0 && message.body.link == addition.before)
        return verdicts_.undecided(rules::add_link_tokens, UndecidedReason::may_have_crossed);
    auto& left = addition.rtokens_left[a.from];
    const unsigned expected = left.value_or(message.body.rtokens_left);
    left = message.body.rtokens_left > 2 ? message.body.rtokens_left - 2U : 0U;
    if (!addition.open) return verdicts_.undecided(rules::add_link_tokens, UndecidedReason::request_not_captured);
    if (const auto why = doubt::since(addition, a)) return verdicts_.undecided(rules::add_link_tokens, *why);
    if (!addition.is_about(message.body.link))
        return broken_rtokens(
            a,
            "RTokens for link " + std::to_string(message.body.link) + " instead of " + std::to_string(addition.number));
    if (message.body.rtokens_left != expected)
        return broken_rtokens(
            a, std::to_string(message.body.rtokens_left) + " RTokens left instead of " + std::to_string(expected));
    verdicts_.satisfied(rules::add_link_tokens);
}

/// That its sender has not announced the RMB, what it sends next will prove.
void AddLinkRules::accuse_unannounced(const Arrival& a) {
    a.history->accuse(
        verdicts_,
        {.rule = rules::add_link_tokens,
         .frames = frames_up_to(a),
         .subject = Subject::link_group(a.group),
         .text = "a reference RKey that no RMB has on this link",
         .silent = a.from,
         .on_any_link = true},
        a.link);
}

/// Each RMB is named by its RKey on the link that carries the message.
void AddLinkRules::judge_references(
    const Arrival& a, const layout::List<wire::RkeyPair>& pairs, std::size_t used, std::optional<UndecidedReason> why) {
    if (used == 0) return;
    if (why) return verdicts_.undecided(rules::add_link_tokens, *why);
    for (std::size_t i = 0; i < used; ++i)
        if (a.history->rtokens[a.from].find(a.link, pairs[i].reference_rkey) == nullptr) return accuse_unannounced(a);
    verdicts_.satisfied(rules::add_link_tokens);
}

}  // namespace fabricscope::engine::smcr
