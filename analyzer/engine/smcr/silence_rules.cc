// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/silence_rules.h"

#include <algorithm>

#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

namespace {

/// What was on its way or being worked on when the link was deleted is over by then.
constexpr Time deletion_grace = capture::second;
constexpr std::size_t max_deleted = 16;

}  // namespace

void SilenceRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (!group_known(a)) return;
    for (Deleted& deleted : of_[a.group])
        if (deleted.link == a.link && !deleted.only_asked) judge(a, deleted);
    const auto* remove = std::get_if<wire::DeleteLink>(&message.body);
    if (remove == nullptr || remove->reply || a.from != Side::server) return;
    if (!remove->all) return watch(a, remove->link, true);
    auto& all = of_[a.group];
    if (std::ranges::any_of(all, [](const Deleted& deleted) { return !deleted.link; })) return;
    keep_youngest(all, max_deleted, {rules::silence_after_delete, {}, a.step()});
    a.history->watched = true;
}

/// The client has agreed to delete a link.
void SilenceRules::on_reply(const Arrival& a, const wire::LlcMessage& message) {
    const auto* remove = std::get_if<wire::DeleteLink>(&message.body);
    if (remove == nullptr || !group_known(a) || a.from != Side::client) return;
    watch(a, remove->link, false);
}

void SilenceRules::watch(const Arrival& a, std::uint8_t number, bool only_asked) {
    const LinkGroup& group = model_.link_groups[a.group - 1];
    const Link* link = link_numbered(group, number);
    if (link == nullptr || (!only_asked && link->state != LinkState::deleted)) return;
    const auto index = static_cast<std::uint32_t>(link - group.links.data());
    auto& all = of_[a.group];
    const Deleted deleted{rules::delete_link_answer, index, a.step(), only_asked};
    // Who agrees was asked before: one breach is told once.
    const auto asked = std::ranges::find(all, deleted.link, &Deleted::link);
    if (asked == all.end()) keep_youngest(all, max_deleted, deleted);
    else if (!asked->judged && asked->only_asked) *asked = deleted;
    a.history->watched = true;
}

bool SilenceRules::on_data(const Arrival& a) {
    auto& all = of_[a.group];
    for (Deleted& deleted : all)
        if (!deleted.link || deleted.link == a.link) judge(a, deleted);
    return std::ranges::any_of(all, [](const Deleted& deleted) { return !deleted.judged; });
}

/// A side that slept may first send what it had prepared before: once it was heard, it has the grace.
void SilenceRules::judge(const Arrival& a, Deleted& deleted) {
    if (deleted.only_asked && a.from == Side::server) return;
    if (deleted.judged || a.packet->number == deleted.since.frame || a.packet->time < deleted.since.time) return;
    auto& heard = deleted.heard[a.from];
    if (!heard) heard = a.packet->time;
    if (a.packet->time - *heard < deletion_grace) return;
    deleted.judged = true;
    const bool elsewhere = a.packet->interface != deleted.since.interface;
    verdicts_.broken(
        deleted.rule, doubt_if(elsewhere, UndecidedReason::interface_order), {deleted.since.frame, a.packet->number},
        Subject::link_group(a.group),
        std::string("the ") + name_of(a.from) +
            (deleted.link ? " still sends on the deleted link" : " still sends data in the deleted link group"));
}

void SilenceRules::finish(Time last) {
    for (const LinkGroup& group : model_.link_groups) {
        const auto* all = of_.find(group.id);
        if (all == nullptr) return;
        for (const Deleted& deleted : *all) {
            if (deleted.judged || deleted.link) continue;
            const bool was_silent = std::ranges::none_of(deleted.heard.values, [&](const std::optional<Time>& heard) {
                return heard && *heard - deleted.since.time > deletion_grace;
            });
            if (was_silent && last - deleted.since.time > deletion_grace) verdicts_.satisfied(deleted.rule);
            else verdicts_.undecided(deleted.rule, UndecidedReason::capture_ended);
        }
    }
}

}  // namespace fabricscope::engine::smcr
