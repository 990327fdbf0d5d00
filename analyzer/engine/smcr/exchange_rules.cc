// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/exchange_rules.h"

#include <algorithm>

#include "analyzer/engine/smcr/doubt.h"
#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::engine::smcr {

namespace {

/// How long a side that is awake may take to answer. No standard says; Linux waits for 2 s.
constexpr Time longest_wait = 10 * capture::second;

/// DELETE LINK for the link that another exchange adds or runs on is how that exchange is given up.
bool gives_up(const OpenRequest& request, const OpenRequest& earlier, const LinkGroup& group) {
    if (request.type != wire::LlcType::delete_link) return false;
    const bool being_added = earlier.type == wire::LlcType::add_link && earlier.subject == request.subject;
    return being_added || group.links[earlier.link].number == request.subject;
}

/// A request that is made once more because it was not answered.
bool is_same_again(const OpenRequest& request, const OpenRequest& earlier) {
    return request.type == earlier.type && request.from == earlier.from && request.subject == earlier.subject;
}

/// An RMB that is told of again over another link, because the first one failed, has another RKey there.
bool is_about_same_rmb(const OpenRequest& request, const OpenRequest& earlier, const GroupHistory& history) {
    if (request.type != wire::LlcType::confirm_rkey || request.type != earlier.type || request.from != earlier.from)
        return false;
    const auto* here = history.rtokens[request.from].find(request.link, request.subject);
    const auto* there = history.rtokens[earlier.from].find(earlier.link, earlier.subject);
    return here != nullptr && there != nullptr && here->rmb == there->rmb;
}

/// The number of the link that a step of its set-up is about; nothing of other messages.
std::optional<std::uint8_t> link_set_up(const wire::LlcMessage& message) {
    if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) return add->common().link;
    if (const auto* more = std::get_if<wire::AddLinkContinuationMessage>(&message.body)) return more->body.link;
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) return confirm->link;
    return std::nullopt;
}

/// Whether the server's request may be sent only when the earlier one has been answered: steps of one link's set-up,
/// and the first link's CONFIRM LINK before a second one is offered (RFC 7609, 3.5.1.5 and 3.5.1.6).
bool needs_answer_to(const wire::LlcMessage& message, const OpenRequest& request, const OpenRequest& earlier) {
    const auto link = link_set_up(message);
    if (!link || earlier.from != Side::server || request.from != Side::server) return false;
    if (earlier.type == wire::LlcType::confirm_link)
        return request.type == wire::LlcType::add_link && earlier.link == 0 && request.link == 0;
    if (request.type == wire::LlcType::add_link || earlier.octets == request.octets) return false;
    return link == link_set_up(wire::parse_llc(earlier.octets, earlier.octets.size()));
}

std::string links_text(std::uint32_t link, bool all) { return all ? "all links" : "link " + std::to_string(link); }

/// Whether the reply can be to this request only. Not every reply repeats what it is about.
bool is_its_reply(const Arrival& a, const wire::LlcMessage& reply, const OpenRequest& request) {
    const std::uint32_t subject = subject_of(reply);
    const bool says_what = subject != 0;
    if (says_what && subject != request.subject) return false;
    if (!says_what) return a.history->count_like(request) == 1;
    return std::ranges::count_if(a.history->open, [&](const auto& open) { return is_same_again(open, request); }) == 1;
}

/// Whether DELETE LINK is about the whole link group.
bool asks_for_all(const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* remove = std::get_if<wire::DeleteLink>(&asked.body);
    return remove != nullptr && remove->all;
}

}  // namespace

void ExchangeRules::on_request(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request) {
    if (request.serialized) note_overlap(a, request);
    note_going_on(a, message, request);
    if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body)) note_follow_up(a, *remove);
    await_answer(a, message, request);
}

void ExchangeRules::on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request) {
    judge_link(a, request);
    if (request.serialized) judge_overlap(a, request, is_its_reply(a, message, request));
    if (request.agreed.frame != 0) judge_agreement(a, request);
    judge_confirm_rkey_reply(a, message);
    if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body)) judge_delete_link_reply(a, *remove, request);
    if (const auto* test = std::get_if<wire::TestLink>(&message.body)) judge_test_link_reply(a, *test, request);
}

// ---- one at a time -------------------------------------------------------------------------------

/// A request although the sender itself still waits for a reply. That it really did, the reply will tell.
void ExchangeRules::note_overlap(const Arrival& a, const OpenRequest& request) {
    for (OpenRequest& earlier : a.history->open) {
        const bool apart = earlier.from != request.from || !earlier.serialized || a.late ||
                           earlier.step.interface != request.step.interface || gives_up(request, earlier, group(a)) ||
                           is_same_again(request, earlier) || is_about_same_rmb(request, earlier, *a.history);
        if (!apart && earlier.overlapped.frame == 0) earlier.overlapped = request.step;
    }
}

/// An answer is met where it belongs only if both ends of the link are known as CLC or ADD LINK named them.
std::optional<UndecidedReason> ExchangeRules::doubt_of_answer(const Arrival& a, const OpenRequest& earlier) const {
    const auto& [client, server] = group(a).links[earlier.link].end.values;
    if (!client.initial_psn || !server.initial_psn) return UndecidedReason::setup_not_captured;
    if (const auto why = doubt::while_adding(group(a), *a.history)) return why;
    return doubt::since(earlier, a);
}

/// That the client has not answered yet, its next message will prove.
void ExchangeRules::note_going_on(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request) {
    if (!group(a).roles_known) return;
    for (const OpenRequest& earlier : a.history->open) {
        if (!needs_answer_to(message, request, earlier)) continue;
        if (const auto why = doubt_of_answer(a, earlier)) return verdicts_.undecided(rules::serialized_exchanges, *why);
        a.history->accuse(
            verdicts_,
            {rules::serialized_exchanges,
             {earlier.step.frame, a.packet->number},
             Subject::link_group(a.group),
             std::string("the server goes on with ") + name_of(request.type) + " although " + name_of(earlier.type) +
                 " has not been answered",
             Side::client},
            earlier.link);
    }
}

void ExchangeRules::judge_overlap(const Arrival& a, const OpenRequest& request, bool its_reply) {
    std::optional<UndecidedReason> why = its_reply ? doubt::since(request, a) : UndecidedReason::another_request;
    if (why) return verdicts_.undecided(rules::serialized_exchanges, *why);
    // What had to wait until its link was known is met behind what came later.
    const bool overlapped = request.overlapped.frame != 0 && request.overlapped.frame < a.packet->number;
    if (!overlapped) return verdicts_.satisfied(rules::serialized_exchanges);
    verdicts_.broken(
        rules::serialized_exchanges, why, {request.step.frame, request.overlapped.frame}, Subject::link_group(a.group),
        std::string("the ") + name_of(request.from) + " begins an exchange before it had the reply to " +
            name_of(request.type));
}

/// The server agrees while it waits for the reply to its own ADD LINK or DELETE LINK: that it did, that
/// reply will tell. Only on the same link the order in which the server sent both is certain.
void ExchangeRules::judge_confirm_rkey_reply(const Arrival& a, const wire::LlcMessage& message) {
    if (!std::holds_alternative<wire::ConfirmRkeyMessage>(message.body) || a.from != Side::server || a.late) return;
    for (OpenRequest& own : a.history->open) {
        const bool changes_links = own.serialized && own.link == a.link &&  // of the server only
                                   (own.type == wire::LlcType::add_link || own.type == wire::LlcType::delete_link);
        if (!changes_links) continue;
        if (is_refusal(message)) verdicts_.satisfied(rules::negative_while_changing);
        else own.agreed = a.step();
    }
}

void ExchangeRules::judge_agreement(const Arrival& a, const OpenRequest& request) {
    verdicts_.broken(
        rules::negative_while_changing, doubt::since(request, a), {request.step.frame, request.agreed.frame},
        Subject::link_group(a.group), std::string("CONFIRM RKEY is agreed to during ") + name_of(request.type));
}

// ---- replies -------------------------------------------------------------------------------------

void ExchangeRules::judge_link(const Arrival& a, const OpenRequest& request) {
    if (request.link == a.link) return verdicts_.satisfied(rules::llc_format);
    if (const auto why = doubt::from_start(group(a), *a.history)) return verdicts_.undecided(rules::llc_format, *why);
    // Unless it answers another request, on its own link.
    a.history->accuse(
        verdicts_,
        {rules::llc_format,
         {request.step.frame, a.packet->number},
         Subject::link_group(a.group),
         std::string("the reply to ") + name_of(request.type) + " comes on another link",
         request.from},
        a.link);
}

void ExchangeRules::on_unasked_reply(const Arrival& a, const wire::LlcMessage& message) {
    std::optional<UndecidedReason> why = doubt::while_adding(group(a), *a.history);
    if (!why && a.late) why = UndecidedReason::out_of_order;
    if (!why && a.history->forgot_requests) why = UndecidedReason::not_remembered;
    // Its first packet on the link may be the request, repeated.
    if (!why && !group(a).links[a.link].is_heard(other(a.from))) why = UndecidedReason::beginning_not_captured;
    if (why) return verdicts_.undecided(rules::llc_format, *why);
    const std::string text = std::string("a reply to no request: ") + name_of(message.type());
    const bool rejects_link = std::holds_alternative<wire::AddLinkMessage>(message.body) && is_refusal(message);
    const Side silent = other(a.from);
    a.history->accuse(
        verdicts_, {rules::llc_format, {a.packet->number}, Subject::link_group(a.group), text, silent, rejects_link},
        a.link);
}

void ExchangeRules::judge_delete_link_reply(
    const Arrival& a, const wire::DeleteLink& reply, const OpenRequest& request) {
    if (request.from != Side::server) return;  // to the client's the server may only say that there is no such link
    const wire::LlcMessage message = wire::parse_llc(request.octets, request.octets.size());
    const auto* asked = std::get_if<wire::DeleteLink>(&message.body);
    const bool of_all = asked != nullptr && asked->all;
    if (of_all && reply.all) return;  // it needs no answer, and this one says the same
    const bool same = request.subject == reply.link && !reply.all;
    const bool disputed = std::ranges::any_of(group(a).links, [](const Link& link) { return !link.number; });
    const bool exists = disputed || link_numbered(group(a), request.subject) != nullptr ||
                        reply.reason == wire::unknown_link;
    if (same && exists) return verdicts_.satisfied(rules::delete_link_answer);
    auto why = doubt::since(request, *a.history);
    if (!why && !exists) why = doubt::from_start(group(a), *a.history);
    if (same)
        return verdicts_.broken(
            rules::delete_link_answer, why, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
            "there is no link " + std::to_string(reply.link) + ", but the client does not say so");
    verdicts_.broken(
        rules::delete_link_answer, why, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
        "asked to delete " + links_text(request.subject, of_all) + ", the client names " +
            links_text(reply.link, reply.all));
}

/// With several TEST LINKs under way the reply may be to another one.
void ExchangeRules::judge_test_link_reply(const Arrival& a, const wire::TestLink& reply, const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* test = std::get_if<wire::TestLink>(&asked.body);
    if (test == nullptr) return verdicts_.undecided(rules::test_link_echo, UndecidedReason::cut);
    if (test->user_data == reply.user_data) return verdicts_.satisfied(rules::test_link_echo);
    const bool may_be_anothers = a.history->count_like(request) != 1 || request.link != a.link;
    const Doubt why = may_be_anothers ? UndecidedReason::another_request : doubt::since(request, *a.history);
    verdicts_.broken(
        rules::test_link_echo, why, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
        "the reply's user data differ");
}

// ---- answers that do not come --------------------------------------------------------------------

/// Whether no link ever had this number, or was to have it.
bool ExchangeRules::is_unheard_of(const Arrival& a, std::uint8_t number) const {
    const LinkGroup& g = group(a);
    const auto about_it = [&](const LlcExchange& exchange) { return exchange.change.link == number; };
    const bool all_told = g.exchange_count == g.exchanges.size() &&
                          std::ranges::all_of(g.links, [](const Link& link) { return link.number.has_value(); });
    return all_told && link_numbered(g, number) == nullptr &&
           std::count_if(g.exchanges.begin(), g.exchanges.end(), about_it) <= 1 && !doubt::from_start(g, *a.history);
}

/// Whether somebody owes something after the request. What the client says of links is answered by
/// the server's own request at most, at once only if it is not orderly, or about the whole group; if there is no such
/// link, the server says that.
void ExchangeRules::await_answer(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request) {
    if (!group(a).roles_known) return;
    if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body)) {
        const Link* link = link_numbered(group(a), remove->link);
        const bool there = link != nullptr && (link->state == LinkState::active || link->state == LinkState::pending);
        const bool of_client = remove->all || (!remove->orderly && there) || is_unheard_of(a, remove->link);
        if (a.from == Side::client ? !of_client : remove->all) return;
    }
    const bool notice = request.type == wire::LlcType::request_add_link ||
                        (request.type == wire::LlcType::add_link && a.from == Side::client);
    if (notice) return;
    request.due = request.step.time;
    a.history->next_due = std::min(a.history->next_due, request.due);
}

/// The server's DELETE LINK is what the client's own asked for, and what an unanswered request leads to.
void ExchangeRules::note_follow_up(const Arrival& a, const wire::DeleteLink& request) {
    for (OpenRequest& earlier : a.history->open) {
        if (earlier.due == OpenRequest::never) continue;
        const bool asked_for = a.from == Side::server && earlier.from == Side::client &&
                               earlier.type == wire::LlcType::delete_link &&
                               (request.all || (earlier.subject == request.link && !asks_for_all(earlier)));
        if (asked_for) verdicts_.satisfied(rules::disorderly_delete);
        const bool recovers = earlier.from == a.from && earlier.overdue;
        if (recovers) verdicts_.satisfied(rules::llc_timeout);
        if (asked_for || recovers) earlier.due = OpenRequest::never;
    }
}

void ExchangeRules::on_due(const Arrival& a) {
    Time next = OpenRequest::never;
    for (OpenRequest& request : a.history->open) {
        if (request.link == a.link && a.packet->time > request.due) look_for_answer(a, request);
        next = std::min(next, request.due);
    }
    a.history->next_due = next;
}

/// The other side may have slept: only from its first sign of life on it is expected to answer. Its later
/// packets also prove that no reply was sent and not captured.
void ExchangeRules::look_for_answer(const Arrival& a, OpenRequest& request) {
    if (request.overdue) {
        if (a.from == request.from) judge_recovery(a, request);
        return;
    }
    if (a.from == request.from || a.packet->interface != request.step.interface) return;
    if (request.alive == OpenRequest::never) {
        request.alive = a.packet->time;
        request.due = request.alive + longest_wait;
    } else {
        judge_missing_answer(a, request);
    }
}

void ExchangeRules::judge_missing_answer(const Arrival& a, OpenRequest& request) {
    const bool from_server = request.from == Side::server;
    const bool is_delete = request.type == wire::LlcType::delete_link;
    const RuleRef rule = request.type == wire::LlcType::test_link ? RuleRef(rules::test_link_echo)
                         : !is_delete                             ? RuleRef(rules::llc_timeout)
                         : from_server                            ? RuleRef(rules::delete_link_answer)
                                                                  : RuleRef(rules::disorderly_delete);
    request.due = OpenRequest::never;
    if (const auto why = doubt::since(request, *a.history)) return verdicts_.undecided(rule, *why);
    // It may come on any link.
    if (a.history->unheard_links != 0) return verdicts_.undecided(rule, UndecidedReason::link_not_captured);
    if (rule == rules::disorderly_delete) return judge_follow_up(a, request);
    if (rule == rules::llc_timeout) {  // now it is for the one who asked to act
        request.overdue = true;
        request.due = a.packet->time;
        return;
    }
    const std::string text = std::string(name_of(request.type)) + " is not answered";
    const auto* link = rule == rules::delete_link_answer ? link_numbered(group(a), request.subject) : nullptr;
    const bool never_came_up = link != nullptr && link->state == LinkState::failed;
    const std::vector<std::uint64_t> frames{request.step.frame};
    // The answer may come on any link.
    if (rule == rules::delete_link_answer && !a.history->one_interface)
        return verdicts_.undecided(rule, UndecidedReason::interface_order);
    a.history->accuse(
        verdicts_, {rule, frames, Subject::link_group(a.group), text, other(request.from), never_came_up, true},
        request.link);
}

/// The server's request may come on any link, so all must have been captured; what it says of no link of the group
/// comes on that of the request.
void ExchangeRules::judge_follow_up(const Arrival& a, const OpenRequest& request) {
    const bool unknown = !asks_for_all(request) && link_numbered(group(a), request.subject) == nullptr;
    const auto elsewhere = std::ranges::count_if(group(a).links, [&](const Link& link) {
        return link.state == LinkState::active && (asks_for_all(request) || link.number != request.subject);
    });
    const Doubt why = doubt_if(elsewhere > 1 && !unknown, UndecidedReason::another_link);
    verdicts_.unanswered(
        rules::disorderly_delete, why, {request.step.frame}, Subject::link_group(a.group),
        unknown ? "the server does not say that there is no such link"
                : "the server does not delete what the client wants deleted");
}

/// Who asked goes on using a link on which it got no answer.
void ExchangeRules::judge_recovery(const Arrival& a, OpenRequest& request) {
    request.due = OpenRequest::never;
    auto why = doubt::since(request, *a.history);
    // Of a group that began before the capture, the answer may have come on a link that is not known to be its own.
    if (!why && !group(a).from_start) why = UndecidedReason::beginning_not_captured;
    if (why) return verdicts_.undecided(rules::llc_timeout, *why);
    if (connection_ended(a.group)) return verdicts_.satisfied(rules::llc_timeout);
    const std::string text = std::string(name_of(request.type)) + " is not answered, and the " + name_of(request.from) +
                             " goes on";
    const std::vector<std::uint64_t> frames{request.step.frame};
    const Subject subject = Subject::link_group(a.group);
    if (request.type == wire::LlcType::delete_rkey) verdicts_.deviation(rules::llc_timeout, why, frames, subject, text);
    else verdicts_.broken(rules::llc_timeout, why, frames, subject, text);
}

/// Whether a connection of the group was reset or declined, which is a way to act too.
bool ExchangeRules::connection_ended(std::uint32_t group) const {
    return std::ranges::any_of(model_.link_groups[group - 1].connections, [&](std::uint32_t id) {
        const Connection& connection = model_.connections[id - 1];
        return connection.reset || connection.decline;
    });
}

}  // namespace fabricscope::engine::smcr
