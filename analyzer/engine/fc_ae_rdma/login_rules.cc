// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/login_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/fc/els.h"

namespace fabricscope::engine::fc_ae_rdma {

namespace {

/// The page for FCP of PRLI, PRLO or what accepts them, which fit into a frame.
std::optional<wire::ServicePage> page_of_fcp(ByteView payload) {
    for (std::size_t at = layout::size_of<fc::ProcessHeader>; at + fc::process_page_size <= payload.size();
         at += fc::process_page_size) {
        wire::ServicePage page;
        if (!layout::parse_into(page, payload.subspan(at)) && page.type == fc::type_fcp) return page;
    }
    return std::nullopt;
}

}  // namespace

void LoginRules::on_els(const fibre_channel::FrameFacts& facts) {
    if (facts.exchange.els == fc::els_prli) return on_process_login(facts);
    if (!facts.accepts()) return;
    // PRLO, LOGO and another PLOGI undo process logins, once they are accepted.
    const bool process_logout = facts.exchange.els == fc::els_prlo && page_of_fcp(facts.seen().frame.payload);
    if (process_logout || facts.exchange.els == fc::els_logo)
        return on_logout(facts, "a message, though the ports have logged out");
    if (facts.exchange.els == fc::els_plogi)
        on_logout(facts, "a message without PRLI, though the ports have logged in anew by PLOGI");
}

void LoginRules::on_process_login(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    const bool answers = facts.from == fibre_channel::Party::responder;
    ProcessLogin login{
        .rejected = answers && facts.exchange.accepted == false,
        .page = {},
        .ox_id = seen.frame.header.ox_id,
        .seen = seen.step()};
    const std::optional<wire::ServicePage> page = page_of_fcp(seen.frame.payload);
    const bool is_cut = !page && seen.frame.payload.size() < seen.frame.payload_length;
    if (!login.rejected && !page && !is_cut) return;
    login.page = page.value_or(wire::ServicePage{});
    const Port asker = answers ? destination_of(seen) : source_of(seen);
    const Port asked = answers ? source_of(seen) : destination_of(seen);
    const PairKey key = key_of(asker, asked);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    pair.ended.reset();
    pair.speaks_rdma = false;
    Dialog& dialog = pair.asked_by(asker, asked);
    if (!answers) dialog = {};
    // What it said before does not count any more; what it says now was cut off.
    (answers ? dialog.answer : dialog.request) = is_cut && !login.rejected ? std::nullopt : std::optional(login);
}

void LoginRules::on_logout(const fibre_channel::FrameFacts& facts, const char* text) {
    const FrameSeen seen = facts.seen();
    const Port by = destination_of(seen);
    const auto found = pairs_.find(key_of(source_of(seen), by));
    if (found == pairs_.end()) return;
    const auto may_follow = [&](const std::optional<ProcessLogin>& login) {
        return login && may_be_swapped(login->seen, seen.step());
    };
    const bool login_may_follow = std::ranges::any_of(found->second.dialogs, [&](const Dialog& dialog) {
        return may_follow(dialog.request) || may_follow(dialog.answer);
    });
    found->second = {};
    found->second.ended = Ended{text, by, seen.frame.header.ox_id, seen.step(), login_may_follow};
}

bool LoginRules::speak_rdma(const Port& a, const Port& b) const {
    const auto found = pairs_.find(key_of(a, b));
    return found != pairs_.end() && found->second.speaks_rdma;
}

void LoginRules::on_message(const Arrival& a, const fibre_channel::GivenIds& given_ids) {
    const PairKey key = key_of(a.message.initiator, a.message.target);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    if (pair.speaks_rdma) return;
    pair.speaks_rdma = true;
    const auto is_there = [](const Dialog& dialog) { return dialog.request || dialog.answer; };
    if (std::ranges::none_of(pair.dialogs, is_there))
        verdicts_.undecided(
            rules::process_login, pair.ended ? UndecidedReason::frames_missing : UndecidedReason::login_not_captured);
    for (const Dialog& dialog : pair.dialogs)  // one of the ports need not ask
        if (is_there(dialog)) judge_dialog(a, dialog);
    judge_permission(a, pair, given_ids);
    judge_logout(a, pair.asked_by(a.message.initiator, a.message.target), given_ids);
}

void LoginRules::judge_dialog(const Arrival& a, const Dialog& dialog) {
    const auto& [request, answer] = dialog;
    const bool request_is_right = request && judge_page(a, *request, false);
    // Whoever finds values that it does not expect may say so in its accept, and need not have others.
    if (answer && !answer->rejected && (answer->executed() || request_is_right)) judge_page(a, *answer, true);
    if (!request || request_is_right) return;
    if (!answer) return verdicts_.undecided(rules::odd_request, UndecidedReason::response_not_captured);
    if (!answer->executed()) return verdicts_.satisfied(rules::odd_request);
    verdicts_.broken(
        rules::odd_request, {request->seen.frame, answer->seen.frame}, {a.message.id},
        "a PRLI with unexpected values is executed");
}

/// That no PRLI came in between is certain only of the Initiator, and only if each of its Exchanges was seen.
void LoginRules::judge_permission(const Arrival& a, Pair& pair, const fibre_channel::GivenIds& given_ids) {
    const Port &initiator = a.message.initiator, &target = a.message.target;
    const auto broken = [&](const FrameStamp& since, std::uint16_t ox_id, const char* text) {
        if (may_be_swapped(since, a.seen.step()))
            return verdicts_.undecided(rules::login_before, UndecidedReason::interface_order);
        const bool lacks_some = !given_ids.has_all(initiator, ox_id, a.message.ox_id);
        verdicts_.broken(
            rules::login_before, doubt_if(lacks_some, UndecidedReason::frames_missing), {since.frame, a.seen.number},
            {a.message.id}, text);
    };
    if (pair.ended && pair.ended->by == initiator) {
        if (pair.ended->login_may_follow)
            return verdicts_.undecided(rules::login_before, UndecidedReason::interface_order);
        return broken(pair.ended->seen, pair.ended->ox_id, pair.ended->text);
    }
    const Dialog &own = pair.asked_by(initiator, target), &other = pair.asked_by(target, initiator);
    for (const Dialog& dialog : {own, other})
        if (dialog.answer && dialog.answer->executed()) return verdicts_.satisfied(rules::login_before);
    if (pair.ended) return verdicts_.undecided(rules::login_before, UndecidedReason::frames_missing);
    const bool may_be_accepted = !own.answer || (other.request && !other.answer);
    if (may_be_accepted) return verdicts_.undecided(rules::login_before, UndecidedReason::response_not_captured);
    broken(
        own.answer->seen, own.answer->ox_id,
        own.answer->rejected ? "a message, though the PRLI was rejected"
                             : "a message, though the PRLI was not executed");
}

/// Whoever asked should log out again.
void LoginRules::judge_logout(const Arrival& a, const Dialog& own, const fibre_channel::GivenIds& given_ids) {
    if (!own.answer || !own.answer->executed()) return;
    if (wire::check_page(own.answer->page, true).count == 0) return verdicts_.satisfied(rules::logout_after_odd_accept);
    const bool lacks_some = !given_ids.has_all(a.message.initiator, own.answer->ox_id, a.message.ox_id);
    verdicts_.broken(
        rules::logout_after_odd_accept, doubt_if(lacks_some, UndecidedReason::frames_missing),
        {own.answer->seen.frame, a.seen.number}, {a.message.id},
        "a message instead of PRLO, though the accept has unexpected parameters");
}

bool LoginRules::judge_page(const Arrival& a, const ProcessLogin& login, bool is_accept) {
    const wire::PageFaults faults = wire::check_page(login.page, is_accept);
    if (faults.count == 0) verdicts_.satisfied(rules::process_login);
    for (const wire::PageFault fault : faults.list())
        verdicts_.broken(
            rules::process_login, {login.seen.frame}, {a.message.id},
            fmt::format("{}: {}", is_accept ? "PRLI accept" : "PRLI", wire::describe(fault)));
    return faults.count == 0;
}

}  // namespace fabricscope::engine::fc_ae_rdma
