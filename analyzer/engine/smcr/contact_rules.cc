// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/contact_rules.h"

#include <algorithm>
#include <tuple>

namespace fabricscope::engine::smcr {

namespace {

/// A queue pair that was used this short a time ago has not been made anew since.
constexpr Time recent_time = 1 * capture::second;
/// RMBs and deleted links; only what happened lately matters.
constexpr std::size_t most_remembered = 65'536;
/// What one side did this long ago has arrived at the other.
constexpr Time settling_time = 1 * capture::second;

bool is_ending(const Connection& c, Side side) {
    return c.from[side].sending_done || c.from[side].ended() || c.fin[side];
}

}  // namespace

void ContactRules::on_contact(
    const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named) {
    if (a.connection.first_contact.value_or(false)) return judge_new_group(a, body, named);
    if (!a.connection.first_contact) return;
    judge_known_link(a, named);
    judge_server(a, named);
    judge_peer_id(a, body, named);
}

// ---- first contact -------------------------------------------------------------------------------

/// Numbers of queue pairs and keys are used again; only what was in use a moment ago cannot be new.
ContactRules::Life ContactRules::life_of(std::uint32_t id, Side side, const wire::PeerId& peer, Time now) const {
    if (id == 0) return Life::none;
    const LinkGroup& group = model_.link_groups[id - 1];
    if (!group.from_start || group.peer_id[side] != peer) return Life::unknown;
    const auto lives = [](const Link& link) { return link.state == LinkState::active; };
    if (std::ranges::none_of(group.links, lives)) return Life::ended;
    const bool recent = std::ranges::any_of(group.links, [&](const Link& link) {
        return lives(link) && link.is_heard(side) && now - *link.heard[side] < recent_time;
    });
    return recent ? Life::sure : Life::unknown;
}

void ContactRules::judge_new_group(
    const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named) {
    const auto region = regions_.find({body.gid, body.rkey, body.rmb_address});
    const std::uint32_t of_link = named && named->group != a.connection.link_group ? named->group : 0;
    const std::uint32_t of_rmb = region != regions_.end() && region->second != a.connection.link_group ? region->second
                                                                                                       : 0;
    const Life link = life_of(of_link, a.from, body.peer_id, a.step.time);
    const Life rmb = life_of(of_rmb, a.from, body.peer_id, a.step.time);
    if (link != Life::sure && rmb != Life::sure) {
        if (link != Life::unknown && rmb != Life::unknown) return verdicts_.satisfied(rules::new_group_is_new);
        return verdicts_.undecided(rules::new_group_is_new, UndecidedReason::old_group_unknown);
    }
    verdicts_.broken(
        rules::new_group_is_new, {a.step.frame}, Subject::connection(a.connection.id),
        std::string("the ") + name_of(a.from) + "'s " + (link == Life::sure ? "queue pair" : "RMB") + " belongs to " +
            to_string(Subject::link_group(link == Life::sure ? of_link : of_rmb)));
}

// ---- subsequent contact --------------------------------------------------------------------------

void ContactRules::judge_known_link(const TcpArrival& a, std::optional<LinkRef> named) {
    const std::uint32_t id = a.connection.id;
    if (a.from == Side::server) {
        const auto left = named ? left_.find(key_of(named->group, named->link)) : left_.end();
        if (left != left_.end() && a.step.time - left->second.time > settling_time) out_of_sync_[id] = left->second;
        return;
    }
    const auto wrong = out_of_sync_.find(id);
    if (wrong != out_of_sync_.end())
        return verdicts_.broken(
            rules::known_link, {wrong->second.frame, a.connection.setup.accept->frame, a.step.frame},
            Subject::connection(id), "the client confirms a link that was deleted");
    const std::uint32_t group = a.connection.link_group;
    if (group == 0 || !model_.link_groups[group - 1].from_start)
        return verdicts_.undecided(rules::known_link, UndecidedReason::beginning_not_captured);
    verdicts_.satisfied(rules::known_link);
}

void ContactRules::on_decline(const TcpArrival& a, bool out_of_sync) {
    const auto wrong = out_of_sync_.find(a.connection.id);
    if (wrong == out_of_sync_.end() || a.from == Side::server) return;
    if (out_of_sync) return verdicts_.satisfied(rules::known_link);
    verdicts_.broken(
        rules::known_link, {wrong->second.frame, a.connection.setup.accept->frame, a.step.frame},
        Subject::connection(a.connection.id), "the client declines a deleted link, but not as out of synchronization");
}

void ContactRules::on_link_left(const Arrival& a, std::uint32_t link) {
    if (left_.size() == most_remembered) left_.clear();
    left_[key_of(a.group, link)] = a.step();
}

/// A connection that has been set up on it by then as a subsequent contact.
void ContactRules::on_link_begun(const Arrival& a) {
    const LinkGroup& group = model_.link_groups[a.group - 1];
    // Of several links ADD LINK may have made it, beside the one that ACCEPT names.
    if (group.from_start || group.links.size() > 1) return;
    for (const std::uint32_t id : group.connections) {
        const Connection& c = model_.connections[id - 1];
        const auto& [accept, confirm] = std::tie(c.setup.accept, c.setup.confirm);
        if (c.first_contact != false || !accept || !confirm || confirm->time > a.packet->time) continue;
        if (confirm->interface != a.packet->interface)
            return verdicts_.undecided(rules::known_link, UndecidedReason::interface_order);
        return verdicts_.broken(
            rules::known_link, {accept->frame, confirm->frame, a.packet->number}, Subject::connection(id),
            "the client confirms a link that is only made now: a first contact, but ACCEPT does not say so");
    }
}

void ContactRules::judge_peer_id(
    const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named) {
    if (!named) return;
    const LinkGroup& group = model_.link_groups[named->group - 1];
    const auto& known = group.peer_id[a.from];
    if (!known || !group.roles_known || group.links[named->link].state != LinkState::active) return;
    if (*known == body.peer_id) return verdicts_.satisfied(rules::peer_id);
    verdicts_.broken(
        rules::peer_id, {a.step.frame}, Subject::connection(a.connection.id),
        std::string("the ") + name_of(a.from) + " has another peer ID than in " +
            to_string(Subject::link_group(group.id)) + " before");
}

/// In a subsequent contact the server names its own end of a link.
void ContactRules::judge_server(const TcpArrival& a, std::optional<LinkRef> named) {
    if (!named || a.from == Side::client) return;
    const LinkGroup& group = model_.link_groups[named->group - 1];
    if (!group.roles_known || group.links[named->link].state != LinkState::active)
        return verdicts_.undecided(rules::one_server, UndecidedReason::old_group_unknown);
    if (named->side == Side::server) return verdicts_.satisfied(rules::one_server);
    verdicts_.broken(
        rules::one_server, {a.step.frame}, Subject::connection(a.connection.id),
        "the server of this connection is the client of " + to_string(Subject::link_group(group.id)));
}

// ---- RMB elements --------------------------------------------------------------------------------

void ContactRules::on_element(
    const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::uint32_t before, GroupHistory& history,
    std::uint32_t link) {
    if (regions_.size() == most_remembered) regions_.clear();
    regions_[{body.gid, body.rkey, body.rmb_address}] = a.connection.link_group;
    if (before == 0) return verdicts_.satisfied(rules::element_reuse);
    if (before == a.connection.id) return;
    const Connection& old = model_.connections[before - 1];
    const bool ended = old.from[Side::client].ended() && old.from[Side::server].ended();
    if (ended || old.reset || old.decline) return verdicts_.satisfied(rules::element_reuse);
    const LinkGroup& group = model_.link_groups[a.connection.link_group - 1];
    if (is_ending(old, Side::client) || is_ending(old, Side::server))
        return verdicts_.undecided(rules::element_reuse, UndecidedReason::connection_given_up);
    if (!history.complete() || old.midstream || !group.from_start)
        return verdicts_.undecided(rules::element_reuse, UndecidedReason::frames_missing);
    if (std::ranges::any_of(
            group.links, [&](const Link& l) { return l.packets == 0 || l.interface != a.step.interface; }))
        return verdicts_.undecided(rules::element_reuse, UndecidedReason::interface_order);
    history.accuse(
        verdicts_,
        {.rule = rules::element_reuse,
         .frames = {old.first_frame, a.step.frame},
         .subject = Subject::connection(a.connection.id),
         .text = std::string("the ") + name_of(a.from) + " gives it RMB element " + std::to_string(body.rmb_index) +
                 ", which " + to_string(Subject::connection(before)) + " is still using",
         .silent = a.from,
         .on_any_link = true},
        link);
}

void ContactRules::on_rmb(const TcpArrival& a, const Rmb& rmb, std::uint64_t element_size) {
    if (!rmb.element_size) return;
    if (*rmb.element_size == element_size) return verdicts_.satisfied(rules::equal_elements);
    verdicts_.broken(
        rules::equal_elements, {rmb.first_frame, a.step.frame}, Subject::connection(a.connection.id),
        std::string("the ") + name_of(a.from) + "'s RMB had elements of " + std::to_string(*rmb.element_size) +
            " octets before, now of " + std::to_string(element_size));
}

}  // namespace fabricscope::engine::smcr
