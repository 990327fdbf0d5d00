// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/close_rules.h"

#include <algorithm>

namespace fabricscope::engine::smcr {

namespace {

/// Whether the connection carries, or has carried, data over RDMA.
bool uses_rdma(const Connection& c) { return c.setup.first_data && !c.decline && !c.midstream; }

}  // namespace

void CloseRules::on_abort(const Arrival& a, const Connection& connection) {
    const Side peer = other(a.from);
    if (connection.midstream) return verdicts_.undecided(rules::abort_answer, UndecidedReason::beginning_not_captured);
    if (connection.from[peer].aborted) return;                                          // this is the answer
    if (connection.from[peer].closed) return verdicts_.satisfied(rules::abort_answer);  // has taken leave before
    const Answer answer{connection.id, a.group, a.link, peer, a.step(), a.history, a.history->gaps[peer]};
    if (!answers_.add(a.packet->time, answer))
        verdicts_.undecided(rules::abort_answer, UndecidedReason::not_remembered);
}

/// Only somebody who was there can fail to answer: the side must have been heard of later on the link.
void CloseRules::judge_answer(const Answer& answer, bool at_end) {
    const Connection& c = model_.connections[answer.connection - 1];
    const Link& link = model_.link_groups[answer.group - 1].links[answer.link];
    if (c.from[answer.due_from].ended()) return verdicts_.satisfied(rules::abort_answer);
    if (at_end) return verdicts_.undecided(rules::abort_answer, UndecidedReason::capture_ended);
    if (answer.history->gaps[answer.due_from] != answer.gaps || answer.history->unheard_links != 0)
        return verdicts_.undecided(rules::abort_answer, UndecidedReason::frames_missing);
    if (link.state != LinkState::active || link.heard[answer.due_from] <= answer.abort.time)
        return verdicts_.undecided(rules::abort_answer, UndecidedReason::link_failed);
    if (!c.alert_token[Side::client] || !c.alert_token[Side::server])
        return verdicts_.undecided(rules::abort_answer, UndecidedReason::setup_not_captured);
    answer.history->accuse(
        verdicts_,
        {rules::abort_answer,
         {answer.abort.frame},
         Subject::connection(c.id),
         std::string("the ") + name_of(answer.due_from) + " does not answer the abort",
         answer.due_from,
         c.from[answer.due_from].sending_done,
         true},
        answer.link);
}

void CloseRules::on_reset(const TcpArrival& a, const GroupHistory* history) {
    if (!uses_rdma(a.connection)) return;
    if (a.connection.from[a.from].ended()) return verdicts_.satisfied(rules::abort_answer);
    if (!aborts_.add(a.step.time, {a.connection.id, a.from, a.step, history}))
        verdicts_.undecided(rules::abort_answer, UndecidedReason::not_remembered);
}

bool CloseRules::has_working_link(const Reset& reset) const {
    const LinkGroup& group = model_.link_groups[model_.connections[reset.connection - 1].link_group - 1];
    return std::ranges::any_of(group.links, [&](const Link& link) {
        return link.state == LinkState::active && link.interface == reset.step.interface &&
               link.heard[Side::client] > reset.step.time && link.heard[Side::server] > reset.step.time;
    });
}

/// Whether a link that has not failed may still show that it works.
bool CloseRules::may_show_yet(const Reset& reset, Time now) const {
    constexpr Time long_enough = 60 * capture::second;
    const Connection& c = model_.connections[reset.connection - 1];
    const LinkGroup& group = model_.link_groups[c.link_group - 1];
    const bool told = c.from[reset.from].aborted || c.from[reset.from].closed;
    const bool is_active = std::ranges::count(group.links, LinkState::active, &Link::state) != 0;
    return !told && is_active && now - reset.step.time < long_enough && !has_working_link(reset);
}

/// An abort cannot be sent where no link works any more.
void CloseRules::judge_reset(const Reset& reset, bool at_end) {
    const Connection& c = model_.connections[reset.connection - 1];
    if (c.from[reset.from].aborted) return verdicts_.satisfied(rules::abort_answer);
    if (c.from[other(reset.from)].aborted && c.from[reset.from].closed)
        return verdicts_.undecided(rules::abort_answer, UndecidedReason::may_have_crossed);
    if (at_end) return verdicts_.undecided(rules::abort_answer, UndecidedReason::capture_ended);
    if (!has_working_link(reset)) return verdicts_.undecided(rules::abort_answer, UndecidedReason::link_failed);
    const bool lacks_some = reset.history == nullptr || reset.history->gaps[reset.from] != 0 ||
                            reset.history->unheard_links != 0;
    verdicts_.broken(
        rules::abort_answer, doubt_if(lacks_some, UndecidedReason::frames_missing), {reset.step.frame},
        Subject::connection(c.id),
        std::string("the ") + name_of(reset.from) +
            (c.from[reset.from].closed ? " resets TCP, but closes on RoCE"
                                       : " resets TCP, but does not abort on RoCE"));
}

void CloseRules::on_fin(const TcpArrival& a, bool complete) {
    const Connection& c = a.connection;
    if (!uses_rdma(c)) return;
    if (c.from[Side::client].ended() && c.from[Side::server].ended())
        return verdicts_.satisfied(rules::fin_after_close);
    if (!complete) return verdicts_.undecided(rules::fin_after_close, UndecidedReason::frames_missing);
    const LinkGroup& group = model_.link_groups[c.link_group - 1];
    const bool on_another = std::ranges::any_of(
        group.links, [&](const Link& l) { return l.packets != 0 && l.interface != a.step.interface; });
    verdicts_.deviation(
        rules::fin_after_close, doubt_if(on_another, UndecidedReason::interface_order), {a.step.frame},
        Subject::connection(c.id),
        std::string("FIN from the ") + name_of(a.from) + " before both sides have closed on RoCE");
}

}  // namespace fabricscope::engine::smcr
