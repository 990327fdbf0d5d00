// SPDX-License-Identifier: GPL-2.0-or-later
// How links come and go: CONFIRM LINK, ADD LINK, ADD LINK CONTINUATION, DELETE LINK (RFC 7609, 3.5.1.6 and 3.5.3 to
// 3.5.5, C.7).
#include <algorithm>

#include "replay/stack/smcr/link_group.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::stack::smcr {
namespace {

using wire::LlcType;

constexpr std::uint8_t no_eye_catchers = 3;                // both bits in CONFIRM LINK
constexpr std::uint8_t smallest_mtu = 1, largest_mtu = 5;  // coded
constexpr std::size_t pairs_in_message = 2;                // in ADD LINK CONTINUATION

}  // namespace

// ---- CONFIRM LINK --------------------------------------------------------------------------------

void LinkGroup::send_confirm_link(Time now, std::size_t index, bool reply) {
    const Link& link = links_[index];
    wire::ConfirmLink message;
    message.reply = reply;
    message.no_rmbe_eye_catcher = profile_.cursor_base == 0 ? no_eye_catchers : 0;
    message.mac = link.own.address.mac;
    message.gid = link.own.address.gid;
    message.qpn = link.own.qpn;
    message.link = link.number;
    message.link_user_id = link.user_id;
    message.max_links = advertised_links;
    message.max_connections = version_ == 1 ? 0 : advertised_connections;
    send(
        now, index, message_of(LlcType::confirm_link, message),
        reply ? "confirms the link" : "asks for confirmation of the link");
}

void LinkGroup::on_confirm_link(Time now, std::size_t index, const wire::ConfirmLink& message) {
    const bool first = change_.step == Change::Step::confirm_first && index == 0;
    const bool another = change_.step == Change::Step::confirm && index == change_.link;
    if (!(first || another) || message.reply != (role_ == Role::server)) return;
    const bool eye_catchers = message.no_rmbe_eye_catcher != no_eye_catchers;
    if (eye_catchers != (profile_.cursor_base == 4)) {
        change_ = {};
        return report(GroupEvent::Kind::link_failed);
    }
    Link& link = links_[index];
    link.state = Link::State::active;
    if (role_ == Role::client) {
        link.number = message.link;
        adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
        send_confirm_link(now, index, true);
    }
    if (another) return finish_change(now);
    if (role_ == Role::server) return offer_link(now);
    change_to(Change::Step::offer, now + profile_.llc_wait);
}

// ---- ADD LINK ------------------------------------------------------------------------------------

void LinkGroup::want_link(Time now) {
    if (!ready_ || !has_active_link()) return;
    if (role_ == Role::server) {
        link_wanted_ = true;
        return next(now);
    }
    const auto adapter = spare_adapter();
    if (!adapter) return;
    const IbAddress& address = adapters_[*adapter]->config().address;
    if (version_ == 1) {
        wire::AddLink body;
        body.mac = address.mac;
        body.gid = address.gid;
        return send_add_link(now, body, "asks for another link");
    }
    wire::RequestAddLinkMessage message;
    Octets list;
    for (const Gid& gid : gids(links_[carrier()].adapter)) append(list, wire::GidEntry{gid});
    message.body.gid_count = static_cast<std::uint8_t>(list.size() / layout::size_of<wire::GidEntry>);
    message.gids.octets = list;
    send(now, carrier(), message_of(LlcType::request_add_link, message), "asks for another link");
}

/// RTokens that each RMB of this side has on the new link, by its key on the link that carries the message.
std::vector<wire::RkeyPair> LinkGroup::token_pairs() const {
    std::vector<wire::RkeyPair> pairs;
    for (const Rmb& rmb : rmbs_)
        if (rmb.peer_knows) pairs.push_back({rmb.rkeys[carrier()], rmb.rkeys[change_.link], rmb.address});
    if (profile_.newest_rmb_first) std::ranges::reverse(pairs);
    return pairs;
}

void LinkGroup::learn_tokens(std::size_t link, const layout::List<wire::RkeyPair>& pairs, std::size_t count) {
    for (std::size_t i = 0; i < std::min(count, pairs.size()); ++i)
        for (auto& tokens : remote_rmbs_)
            if (tokens[link].rkey == pairs[i].reference_rkey) tokens[change_.link] = {pairs[i].rkey, pairs[i].address};
}

/// Version 2 has the RTokens in the message.
void LinkGroup::send_add_link(Time now, wire::AddLink body, const char* note) {
    wire::AddLinkMessage message;
    message.body = body;
    Octets pairs;
    if (version_ != 1 && !body.reject) {
        const std::vector<wire::RkeyPair> told = token_pairs();
        const auto extend = [&](auto extension) {
            extension.direct = true;
            extension.target_gid = role_ == Role::server ? links_[carrier()].peer.address.gid : body.gid;
            extension.rkey_count = static_cast<std::uint16_t>(told.size());
            message.v2 = extension;
        };
        if (profile_.host_order_lengths) extend(wire::AddLinkV2Little{});
        else extend(wire::AddLinkV2Big{});
        for (const wire::RkeyPair& pair : told) append(pairs, pair);
        message.rkeys.octets = pairs;
    }
    send(now, carrier(), message_of(LlcType::add_link, message), note);
}

/// At first contact a second link is always offered (RFC 7609, 3.5.1.6); with one adapter it has to end at the same
/// one.
void LinkGroup::offer_link(Time now) {
    const std::size_t adapter = spare_adapter().value_or(links_[carrier()].adapter);
    change_.link = create_link(adapter, next_number_++);
    change_.told = 0;
    const Link& link = links_[change_.link];
    wire::AddLink body;
    body.mac = link.own.address.mac;
    body.gid = link.own.address.gid;
    body.qpn = link.own.qpn;
    body.link = link.number;
    body.mtu = link.own.mtu;
    body.initial_psn = link.own.psn;
    send_add_link(now, body, ready_ ? "offers another link" : "offers a second link");
    change_to(Change::Step::offer, now + profile_.llc_wait);
}

void LinkGroup::on_add_link(
    Time now, std::size_t link, const wire::LlcMessage& message, const wire::AddLinkMessage& body) {
    if (role_ == Role::client) {
        if (!message.is_reply()) on_offer(now, link, body);
    } else if (!message.is_reply()) {
        want_link(now);
    } else if (change_.step == Change::Step::offer) {
        on_offer_answer(now, link, body);
    }
}

/// A link between the same two adapters would be parallel to the one there is.
void LinkGroup::on_offer(Time now, std::size_t link, const wire::AddLinkMessage& message) {
    if (change_.step != Change::Step::none && change_.step != Change::Step::offer) return;
    wire::AddLink answer = message.common();
    answer.reply = true;
    const IbAddress server{answer.mac, answer.gid};
    const bool known = std::ranges::any_of(
        links_, [&](const Link& each) { return each.state == Link::State::active && each.peer.address == server; });
    const auto spare = spare_adapter();
    const bool bad_mtu = answer.mtu < smallest_mtu || answer.mtu > largest_mtu;
    if ((known && !spare) || bad_mtu) {
        answer.reject = true;
        if (version_ != 1 && profile_.reject_reasons)
            answer.reject_reason_v2 = bad_mtu ? invalid_mtu : no_alternate_path;
        send_add_link(now, answer, "has no second adapter for another link");
        return finish_change(now);
    }
    change_.link = create_link(spare.value_or(links_[link].adapter), answer.link);
    change_.told = 0;
    connect_link(change_.link, {server, answer.qpn, answer.initial_psn, answer.mtu});
    learn_tokens(link, message.rkeys, message.rkeys.size());
    const Link& added = links_[change_.link];
    answer.mac = added.own.address.mac;
    answer.gid = added.own.address.gid;
    answer.qpn = added.own.qpn;
    answer.mtu = added.own.mtu;
    answer.initial_psn = added.own.psn;
    answer.reject_reason_v2 = 0;
    send_add_link(now, answer, "takes the link");
    change_to(version_ == 1 ? Change::Step::tokens : Change::Step::confirm, now + profile_.llc_wait);
}

void LinkGroup::on_offer_answer(Time now, std::size_t link, const wire::AddLinkMessage& message) {
    const wire::AddLink answer = message.common();
    if (answer.reject) {
        drop_link(change_.link);
        return finish_change(now);
    }
    connect_link(change_.link, {{answer.mac, answer.gid}, answer.qpn, answer.initial_psn, answer.mtu});
    learn_tokens(link, message.rkeys, message.rkeys.size());
    if (version_ != 1) return confirm_new_link(now);
    change_to(Change::Step::tokens, now + profile_.llc_wait);
    send_tokens(now, false);
}

/// Two RTokens in a message; the server's and the client's go in turns until both are through (RFC 7609, 3.5.1.6).
void LinkGroup::send_tokens(Time now, bool reply) {
    const std::vector<wire::RkeyPair> pairs = token_pairs();
    const std::size_t left = pairs.size() - std::min(change_.told, pairs.size());
    wire::AddLinkContinuationMessage message;
    message.body.reply = reply;
    message.body.link = links_[change_.link].number;
    message.body.rtokens_left = static_cast<std::uint8_t>(left);
    Octets slots;
    for (std::size_t i = 0; i < std::min(left, pairs_in_message); ++i) append(slots, pairs[change_.told + i]);
    slots.resize(pairs_in_message * layout::size_of<wire::RkeyPair>);
    message.slots.octets = slots;
    change_.told += pairs_in_message;
    send(now, carrier(), message_of(LlcType::add_link_continuation, message), "tells its keys on the new link");
}

void LinkGroup::on_tokens(Time now, std::size_t link, const wire::AddLinkContinuationMessage& message) {
    if (change_.step != Change::Step::tokens || message.body.reply != (role_ == Role::server)) return;
    learn_tokens(link, message.slots, message.used);
    if (role_ == Role::client) send_tokens(now, true);
    const bool through = message.body.rtokens_left <= pairs_in_message && change_.told >= token_pairs().size();
    if (role_ == Role::client) {
        if (through) change_to(Change::Step::confirm, now + profile_.llc_wait);
    } else if (through) {
        confirm_new_link(now);
    } else {
        send_tokens(now, false);
    }
}

void LinkGroup::confirm_new_link(Time now) {
    const Link& link = links_[change_.link];
    adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, change_.link, false);
    change_to(Change::Step::confirm, now + profile_.llc_wait);
}

/// At first contact data may flow from now on.
void LinkGroup::finish_change(Time now) {
    change_ = {};
    if (!std::exchange(ready_, true)) report(GroupEvent::Kind::link_ready);
    next(now);
}

// ---- DELETE LINK ---------------------------------------------------------------------------------

/// The server's word ends a link; a client's is a request to the server (RFC 7609, 3.5.5.1).
void LinkGroup::send_delete_link(Time now, std::size_t index) {
    wire::DeleteLink message;
    message.orderly = true;
    message.link = links_[index].number;
    message.reason = lost_path;
    send(
        now, carrier(), message_of(LlcType::delete_link, message),
        role_ == Role::server ? "ends the link" : "asks for the end of the link");
}

/// This side cannot use the link any more.
void LinkGroup::lose_link(std::size_t index) {
    const bool was_active = links_[index].state == Link::State::active;
    drop_link(index);
    if (!was_active) return;
    // What was asked over that link is not answered any more; it is asked again over another.
    if (wait_ == Wait::rkey || wait_ == Wait::test_link) wait_for(Wait::nothing, never);
    if (has_active_link()) events_.push_back({GroupEvent::Kind::link_down, 0, index});
}

void LinkGroup::on_link_error(Time now, std::size_t link) {
    if (links_[link].state == Link::State::dead) return;
    const bool is_new = links_[link].state == Link::State::pending && link != 0;
    lose_link(link);
    if (!has_active_link()) {
        end();
        return report(ready_ ? GroupEvent::Kind::ended : GroupEvent::Kind::link_failed);
    }
    if (is_new && change_.link == link) return finish_change(now);
    if (role_ == Role::client) return send_delete_link(now, link);
    removals_.push_back(link);
    next(now);
}

void LinkGroup::on_delete_link(Time now, std::size_t link, const wire::DeleteLink& message) {
    const auto known = link_of_number(message.link);
    const bool only = !message.all && known && carrier() == *known &&
                      std::ranges::count(links_, Link::State::active, &Link::state) <= 1;
    wire::DeleteLink answer = message;
    if (message.reply) {
        if (change_.step == Change::Step::removal) finish_change(now);
        return;
    }
    if (message.all || only) {
        answer.reply = role_ == Role::client;
        if (message.all && role_ == Role::server && profile_.always_ends_orderly) answer.orderly = true;
        if (role_ == Role::server)
            send(now, link, message_of(LlcType::delete_link, answer), "ends the link, as it was asked to");
        else if (!message.all) send(now, link, message_of(LlcType::delete_link, answer), "lets the link go");
        const bool was_alive = alive();
        end();
        if (was_alive) report(GroupEvent::Kind::ended);
        return;
    }
    if (known) lose_link(*known);
    if (role_ == Role::client) {
        answer.reply = true;
        if (!known) answer.reason = unknown_link;
        return send(now, carrier(), message_of(LlcType::delete_link, answer), "lets the link go");
    }
    if (!known) return;  // it is being ended already
    removals_.push_back(*known);
    next(now);
}

void LinkGroup::delete_all(Time now, bool orderly, std::uint32_t reason) {
    if (!alive()) return;
    const wire::DeleteLink message{.all = true, .orderly = orderly, .reason = reason, .reserved2 = {}};
    send(now, carrier(), message_of(LlcType::delete_link, message), "ends all links of the group");
    if (role_ == Role::client) return wait_for(Wait::delete_link, now + profile_.llc_wait);
    end();
    report(GroupEvent::Kind::ended);
}

// ---- time ----------------------------------------------------------------------------------------

/// RFC 7609, C.7.1: a link that does not come is done without; one that does not go takes its carrier with it.
void LinkGroup::on_change_timeout(Time now) {
    const Change change = change_;
    switch (change.step) {
        case Change::Step::none: break;
        case Change::Step::confirm_first:
            change_ = {};
            report(GroupEvent::Kind::link_failed);
            break;
        case Change::Step::removal:
            change_ = {};
            on_link_error(now, carrier());
            break;
        case Change::Step::offer:
        case Change::Step::tokens:
        case Change::Step::confirm:
            if (change.link != 0) drop_link(change.link);
            if (change.link != 0 && change.step == Change::Step::confirm && role_ == Role::server)
                removals_.push_back(change.link);
            finish_change(now);
            break;
    }
}

}  // namespace fabricscope::stack::smcr
