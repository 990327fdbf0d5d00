// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/decline_rules.h"

#include <algorithm>

namespace fabricscope::engine::smcr {

namespace {

using wire::ClcType;

/// Messages of both sides that are no further apart than this may have crossed.
constexpr Time under_way_time = 100 * capture::millisecond;

}  // namespace

void DeclineRules::on_decline(const TcpArrival& a) {
    judge_chase(a);
    const auto latest = clc_.latest(a.connection.id, a.from);
    const bool set_up = latest == ClcType::accept || latest == ClcType::confirm;
    if (set_up && a.connection.setup.confirm && a.connection.first_contact.value_or(false)) judge_window(a);
}

/// DECLINE stands for a message that is due, so the sender's own must have been answered; on a
/// subsequent contact nothing is due after ACCEPT and CONFIRM.
void DeclineRules::judge_chase(const TcpArrival& a) {
    const auto latest = clc_.latest(a.connection.id, a.from);
    const bool agreed = latest == ClcType::accept || latest == ClcType::confirm;
    const auto& first_contact = a.connection.first_contact;
    const auto broken = [&](const char* text) {
        const Setup& setup = a.connection.setup;
        const auto& own = latest == ClcType::proposal ? setup.proposal
                          : latest == ClcType::accept ? setup.accept
                                                      : setup.confirm;
        verdicts_.broken(
            rules::no_chase, frames_with(own ? own->frame : 0, a.step.frame), Subject::connection(a.connection.id),
            std::string("the ") + name_of(a.from) + " declines " + text);
    };
    if (!latest) {
        if (a.handshake.frame[a.from] != 0) return verdicts_.satisfied(rules::no_chase);
        return verdicts_.undecided(rules::no_chase, UndecidedReason::beginning_not_captured);
    }
    if (agreed && !first_contact) return verdicts_.undecided(rules::no_chase, UndecidedReason::contact_unknown);
    if (agreed && !*first_contact) return broken("a subsequent contact that it has agreed to");
    if (latest == ClcType::confirm) return verdicts_.satisfied(rules::no_chase);
    // PROPOSAL and ACCEPT are answered when something behind what they answered has arrived.
    if (!a.received || !a.unseen)
        return verdicts_.undecided(rules::no_chase, UndecidedReason::tcp_handshake_not_captured);
    const auto answer = clc_.latest(a.connection.id, other(a.from));
    const bool answer_seen = answer == (latest == ClcType::proposal ? ClcType::accept : ClcType::confirm);
    const bool answered = answer_seen ? *a.unseen >= 0 : *a.unseen > 0;
    if (answered) verdicts_.satisfied(rules::no_chase);
    else broken(latest == ClcType::proposal ? "its own PROPOSAL" : "after its own ACCEPT");
}

/// Of the two limits that the RFC gives (C.2 and C.3) the later one: ADD LINK has been answered. Who
/// uses RDMA already cannot go back either.
void DeclineRules::judge_window(const TcpArrival& a) {
    const LinkGroup* group = group_of(a.connection);
    const Subject subject = Subject::connection(a.connection.id);
    if (group == nullptr || group->links.empty() || group->links[0].packets == 0)
        return verdicts_.undecided(rules::decline_in_time, UndecidedReason::link_not_captured);
    const Link& link = group->links[0];
    if (link.interface != a.step.interface)
        return verdicts_.undecided(rules::decline_in_time, UndecidedReason::interface_order);
    const auto& sent = a.connection.from[a.from];
    if (sent.first_data && a.step.time - *sent.first_data > under_way_time && a.connection.setup.first_data)
        return verdicts_.broken(
            rules::decline_in_time, {a.connection.setup.first_data->frame, a.step.frame}, subject,
            std::string("the ") + name_of(a.from) + " declines after it has sent data");
    const auto add_link = std::ranges::find_if(group->exchanges, [](const LlcExchange& exchange) {
        return exchange.type == wire::LlcType::add_link && exchange.from == Side::server && exchange.reply;
    });
    if (add_link == group->exchanges.end()) return verdicts_.satisfied(rules::decline_in_time);
    const bool arrived = a.from == Side::server || add_link->refused ||
                         link.heard[Side::server] > add_link->reply->time;
    const bool may_have_crossed = a.step.time - add_link->reply->time <= under_way_time || !arrived;
    verdicts_.broken(
        rules::decline_in_time, doubt_if(may_have_crossed, UndecidedReason::may_have_crossed),
        {add_link->request.frame, add_link->reply->frame, a.step.frame}, subject,
        std::string("the ") + name_of(a.from) + " declines after ADD LINK was answered");
}

void DeclineRules::on_data(const Arrival& a, const Connection& connection) {
    const DeclineSeen& decline = *connection.decline;
    if (unstopped_.contains(connection.id)) return;
    const Time since = a.packet->time - connection.setup.decline->time;
    const Link& link = model_.link_groups[a.group - 1].links[a.link];
    if (since <= (a.from == decline.by ? 0 : under_way_time)) return;
    if (a.history->gaps[a.from] != 0)  // it may be the repetition of a packet that was sent before
        return verdicts_.undecided(rules::decline_ends_rdma, UndecidedReason::frames_missing);
    if (link.interface != connection.interface)
        return verdicts_.undecided(rules::decline_ends_rdma, UndecidedReason::interface_order);
    unstopped_.insert(connection.id);
    verdicts_.broken(
        rules::decline_ends_rdma, {decline.frame, a.packet->number}, Subject::connection(connection.id),
        std::string("the ") + name_of(a.from) + " goes on over RDMA after DECLINE");
}

void DeclineRules::on_end(const Connection& connection) {
    const LinkGroup* group = group_of(connection);
    if (!connection.decline || group == nullptr || unstopped_.contains(connection.id)) return;
    const bool captured = std::ranges::any_of(group->links, [](const Link& link) { return link.packets != 0; });
    if (captured) verdicts_.satisfied(rules::decline_ends_rdma);
    else verdicts_.undecided(rules::decline_ends_rdma, UndecidedReason::link_not_captured);
}

}  // namespace fabricscope::engine::smcr
