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
constexpr std::uint64_t farewell = UINT64_MAX;             // no connection's

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
    message.max_links = max_links_;
    message.max_connections = version_ == 1 ? 0 : advertised_connections;
    send(
        now, index, message_of(LlcType::confirm_link, message),
        reply ? "confirms the link" : "asks for confirmation of the link");
}

void LinkGroup::on_confirm_link(Time now, std::size_t index, const wire::ConfirmLink& message) {
    const bool first = link_flow_.state == LinkFlow::State::confirm_first && index == 0;
    const bool another = link_flow_.state == LinkFlow::State::confirm && index == link_flow_.link;
    if (!(first || another) || message.reply != (role_ == Role::server)) return;
    const bool eye_catchers = message.no_rmbe_eye_catcher != no_eye_catchers;
    if (eye_catchers != (profile_.cursor_base == 4)) return fail_first_contact();
    if (first && message.max_links != 0) max_links_ = std::min(max_links_, message.max_links);
    Link& link = links_[index];
    link.state = Link::State::active;
    if (role_ == Role::client) {
        link.number = message.link;
        adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
        send_confirm_link(now, index, true);
    }
    if (another) return link_added(now);
    if (role_ == Role::server) return offer_link(now);
    enter(LinkFlow::State::offer, now + profile_.llc_wait);
}

// ---- ADD LINK ------------------------------------------------------------------------------------

void LinkGroup::want_link(Time now) {
    if (!ready_ || !has_active_link()) return;
    link_wanted_ = true;
    next(now);
}

void LinkGroup::offer_any_link(Time now) {
    any_link_wanted_ = ready_ && has_active_link();
    next(now);
}

/// Server: the client has another device. While a link is being added, it has not seen the offer yet, which will do
/// (RFC 7609, 3.5.5.3.1).
void LinkGroup::on_link_request(Time now) {
    if (role_ == Role::server && !adds_link()) want_link(now);
}

/// Client: as long as that is not one link too many (RFC 7609, 2.2.2).
void LinkGroup::ask_for_link(Time now) {
    const auto adapter = spare_adapter();
    if (!adapter || symmetric_links() >= max_links_) return;
    const IbAddress& address = adapters_[*adapter]->config().address;
    if (version_ == 1) {
        wire::AddLink body;
        body.mac = address.mac;
        body.gid = address.gid;
        return send_add_link(now, carrier(), body, "asks for another link");
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
        if (rmb.peer_knows) pairs.push_back({rmb.rkeys[link_flow_.carrier], rmb.rkeys[link_flow_.link], rmb.address});
    if (profile_.newest_rmb_first) std::ranges::reverse(pairs);
    return pairs;
}

void LinkGroup::learn_tokens(std::size_t link, const layout::List<wire::RkeyPair>& pairs, std::size_t count) {
    for (std::size_t i = 0; i < std::min(count, pairs.size()); ++i)
        for (auto& tokens : remote_rmbs_)
            if (tokens[link].rkey == pairs[i].reference_rkey)
                tokens[link_flow_.link] = {pairs[i].rkey, pairs[i].address};
}

/// Version 2 has the RTokens in the message. `reason`: of a rejection.
void LinkGroup::send_add_link(Time now, std::size_t link, wire::AddLink body, const char* note, std::uint8_t reason) {
    wire::AddLinkMessage message;
    if (version_ != 1 && profile_.reject_reasons) body.reject_reason_v2 = reason;
    message.body = body;
    Octets pairs;
    if (version_ != 1 && !body.reject) {
        const std::vector<wire::RkeyPair> told = token_pairs();
        const auto extend = [&](auto extension) {
            extension.direct = true;
            extension.target_gid = role_ == Role::server ? links_[link].peer.address.gid : body.gid;
            extension.rkey_count = static_cast<std::uint16_t>(told.size());
            message.v2 = extension;
        };
        if (profile_.host_order_lengths) extend(wire::AddLinkV2Little{});
        else extend(wire::AddLinkV2Big{});
        for (const wire::RkeyPair& pair : told) append(pairs, pair);
        message.rkeys.octets = pairs;
    }
    send(now, link, message_of(LlcType::add_link, message, reason), note);
}

/// At first contact a second link is always offered (RFC 7609, 3.5.1.6); with one adapter it has to end at the same
/// one.
void LinkGroup::offer_link(Time now) {
    const std::size_t adapter = spare_adapter().value_or(links_[carrier()].adapter);
    link_flow_ = {};
    link_flow_.carrier = carrier();
    link_flow_.link = create_link(adapter, new_number());
    const Link& link = links_[link_flow_.link];
    wire::AddLink body;
    body.mac = link.own.address.mac;
    body.gid = link.own.address.gid;
    body.qpn = link.own.qpn;
    body.link = link.number;
    body.mtu = link.own.mtu;
    body.initial_psn = link.own.psn;
    send_add_link(now, link_flow_.carrier, body, ready_ ? "offers another link" : "offers a second link");
    enter(LinkFlow::State::offer, now + profile_.llc_wait);
}

void LinkGroup::on_add_link(
    Time now, std::size_t link, const wire::LlcMessage& message, const wire::AddLinkMessage& body) {
    if (role_ == Role::client) {
        if (!message.is_reply()) on_offer(now, link, body);
    } else if (!message.is_reply()) {
        on_link_request(now);
    } else if (link_flow_.state == LinkFlow::State::clearing) {
        finish_link_flow(now);
    } else if (link_flow_.state == LinkFlow::State::offer && body.common().link == links_[link_flow_.link].number) {
        on_offer_answer(now, link, body);
    }
}

/// A link that the server offered before, and which it has given up since, is given up, too.
void LinkGroup::on_offer(Time now, std::size_t link, const wire::AddLinkMessage& message) {
    if (adds_link() && link_flow_.link != no_link) drop_link(link_flow_.link);
    else if (link_flow_.state != LinkFlow::State::idle && link_flow_.state != LinkFlow::State::offer) return;
    link_flow_ = {};
    link_flow_.carrier = link;
    wire::AddLink answer = message.common();
    answer.reply = true;
    const IbAddress server{answer.mac, answer.gid};
    const bool bad_mtu = answer.mtu < smallest_mtu || answer.mtu > largest_mtu;
    const auto adapter = bad_mtu ? std::nullopt : adapter_towards(server, link);
    if (!adapter) {
        answer.reject = true;
        send_add_link(
            now, link, answer, bad_mtu ? "cannot have a link of that MTU" : "has no second adapter for another link",
            bad_mtu ? invalid_mtu : no_alternate_path);
        return finish_link_flow(now);
    }
    link_flow_.offer = message.common();
    link_flow_.link = create_link(*adapter, answer.link);
    connect_link(link_flow_.link, {server, answer.qpn, answer.initial_psn, answer.mtu});
    learn_tokens(link, message.rkeys, message.rkeys.size());
    const Link& added = links_[link_flow_.link];
    answer.mac = added.own.address.mac;
    answer.gid = added.own.address.gid;
    answer.qpn = added.own.qpn;
    answer.mtu = added.own.mtu;
    answer.initial_psn = added.own.psn;
    send_add_link(now, link, answer, "takes the link");
    if (version_ == 1) enter(LinkFlow::State::tokens, now + profile_.llc_wait);
    else enter(LinkFlow::State::confirm, now + profile_.confirm_added_link);
}

void LinkGroup::on_offer_answer(Time now, std::size_t link, const wire::AddLinkMessage& message) {
    const wire::AddLink answer = message.common();
    if (answer.reject) {
        drop_link(link_flow_.link);
        return finish_link_flow(now);
    }
    const LinkEnd client{{answer.mac, answer.gid}, answer.qpn, answer.initial_psn, answer.mtu};
    if (is_parallel(links_[link_flow_.link].adapter, client.address)) {  // RFC 7609, C.7.1
        queue_removal({links_[link_flow_.link].number, false, protocol_violation});
        drop_link(link_flow_.link);
        return finish_link_flow(now);
    }
    connect_link(link_flow_.link, client);
    learn_tokens(link, message.rkeys, message.rkeys.size());
    if (version_ != 1) return confirm_new_link(now);
    enter(LinkFlow::State::tokens, now + profile_.llc_wait);
    send_tokens(now, false);
}

/// Two RTokens in a message; the server's and the client's go in turns until both are through (RFC 7609, 3.5.1.6).
void LinkGroup::send_tokens(Time now, bool reply) {
    const std::vector<wire::RkeyPair> pairs = token_pairs();
    const std::size_t left = pairs.size() - std::min(link_flow_.rtokens_sent, pairs.size());
    wire::AddLinkContinuationMessage message;
    message.body.reply = reply;
    message.body.link = links_[link_flow_.link].number;
    message.body.rtokens_left = static_cast<std::uint8_t>(left);
    Octets slots;
    for (std::size_t i = 0; i < std::min(left, pairs_in_message); ++i)
        append(slots, pairs[link_flow_.rtokens_sent + i]);
    slots.resize(pairs_in_message * layout::size_of<wire::RkeyPair>);
    message.slots.octets = slots;
    link_flow_.rtokens_sent += pairs_in_message;
    send(
        now, link_flow_.carrier, message_of(LlcType::add_link_continuation, message), "tells its keys on the new link");
}

void LinkGroup::on_tokens(Time now, std::size_t link, const wire::AddLinkContinuationMessage& message) {
    const bool due = link_flow_.state == LinkFlow::State::tokens && message.body.link == links_[link_flow_.link].number;
    if (!due || message.body.reply != (role_ == Role::server)) return;
    learn_tokens(link, message.slots, message.used);
    if (role_ == Role::client) send_tokens(now, true);
    const bool through = message.body.rtokens_left <= pairs_in_message &&
                         link_flow_.rtokens_sent >= token_pairs().size();
    if (role_ == Role::client) {
        if (through) enter(LinkFlow::State::confirm, now + profile_.confirm_added_link);
    } else if (through) {
        confirm_new_link(now);
    } else {
        send_tokens(now, false);
    }
}

void LinkGroup::confirm_new_link(Time now) {
    const Link& link = links_[link_flow_.link];
    adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, link_flow_.link, false);
    enter(LinkFlow::State::confirm, now + profile_.confirm_added_link);
}

bool LinkGroup::adds_link() const {
    return link_flow_.state == LinkFlow::State::offer || link_flow_.state == LinkFlow::State::tokens ||
           link_flow_.state == LinkFlow::State::confirm;
}

/// A symmetric link makes an asymmetric one superfluous (RFC 7609, 2.2.1), and there may be devices for yet another.
void LinkGroup::link_added(Time now) {
    const std::vector<bool> asymmetric = asymmetric_links();
    if (role_ == Role::server && !asymmetric[link_flow_.link]) {
        for (std::size_t i = 0; i < links_.size(); ++i)
            if (asymmetric[i]) queue_removal({links_[i].number, true, asymmetric_not_needed});
        link_wanted_ = true;
    }
    finish_link_flow(now);
}

/// The new link is not to be. A client that may wait for its confirmation is told (RFC 7609, C.7.1).
void LinkGroup::give_up_link(Time now) {
    if (link_flow_.link != no_link) drop_link(link_flow_.link);
    if (role_ == Role::server && link_flow_.state == LinkFlow::State::confirm)
        queue_removal({links_[link_flow_.link].number, true, lost_path});
    finish_link_flow(now);
}

/// As Linux: the server can do without an answer, and the client says no to the offer once the link is cleared away.
void LinkGroup::give_up_unconfirmed(Time now) {
    if (!profile_.rejects_unconfirmed) return give_up_link(now);
    send_delete_link(now, {.link = links_[link_flow_.link].number, .reason = lost_path, .reserved2 = {}});
    drop_link(link_flow_.link);
    enter(LinkFlow::State::clearing, now + (role_ == Role::server ? profile_.llc_wait : profile_.link_clearing));
}

void LinkGroup::reject_unconfirmed(Time now) {
    wire::AddLink answer = link_flow_.offer;
    answer.reply = answer.reject = true;
    send_add_link(now, link_flow_.carrier, answer, "cannot use the link", no_alternate_path);
    finish_link_flow(now);
}

/// At first contact data may flow from now on; by the RFC not before the client has been told of a link that failed.
void LinkGroup::finish_link_flow(Time now) {
    link_flow_ = {};
    if (!ready_ && profile_.full_recovery && !removals_.empty()) return remove_link(now);
    if (!std::exchange(ready_, true)) report(GroupEvent::Kind::link_ready);
    next(now);
}

// ---- DELETE LINK ---------------------------------------------------------------------------------

/// The server's DELETE LINK ends a link; a client's asks the server to do so (RFC 7609, 3.5.5.1).
void LinkGroup::send_delete_link(Time now, const wire::DeleteLink& message) {
    send(
        now, carrier(), message_of(LlcType::delete_link, message),
        role_ == Role::server ? "ends the link" : "asks for the end of the link");
}

void LinkGroup::queue_removal(Removal removal) {
    const bool known = std::ranges::find(removals_, removal.number, &Removal::number) != removals_.end();
    const bool under_way = link_flow_.state == LinkFlow::State::leaving || link_flow_.state == LinkFlow::State::removal;
    if (!known && !(under_way && link_flow_.delete_link.link == removal.number)) removals_.push_back(removal);
}

/// Server: the next link that is to go. One that works goes when nobody uses it any more.
void LinkGroup::remove_link(Time now) {
    const Removal removal = removals_.front();
    removals_.pop_front();
    const wire::DeleteLink message{
        .orderly = removal.orderly, .link = removal.number, .reason = removal.reason, .reserved2 = {}};
    const auto link = link_of_number(removal.number);
    const bool works = link && links_[*link].state == Link::State::active;
    if (works && active_links() == 1) return end_group(now, *link, message);
    if (works && removal.orderly) return leave(now, *link, message);
    if (link) lose_link(*link);
    link_flow_ = {};
    link_flow_.carrier = carrier();
    link_flow_.delete_link = message;
    send_delete_link(now, message);
    enter(LinkFlow::State::removal, now + profile_.llc_wait);
}

/// Connections go to other links first; then the server sends `message`, or the client answers it.
void LinkGroup::leave(Time now, std::size_t link, const wire::DeleteLink& message) {
    links_[link].state = Link::State::leaving;
    link_flow_.link = link;
    link_flow_.delete_link = message;
    enter(LinkFlow::State::leaving, now + profile_.llc_wait);
    events_.push_back({GroupEvent::Kind::link_leaving, 0, link});
    if (links_[link].connections == 0) on_left(now);
}

/// The server keeps the link until it has the reply (RFC 7609, 3.5.5.1.3).
void LinkGroup::on_left(Time now) {
    if (role_ == Role::server) {
        link_flow_.carrier = carrier();
        send_delete_link(now, link_flow_.delete_link);
        return enter(LinkFlow::State::removal, now + profile_.llc_wait);
    }
    send(now, link_flow_.carrier, message_of(LlcType::delete_link, link_flow_.delete_link), "lets the link go");
    drop_link(link_flow_.link);
    finish_link_flow(now);
}

/// This side cannot use the link any more.
void LinkGroup::lose_link(std::size_t index) {
    const Link::State before = links_[index].state;
    drop_link(index);
    if (before != Link::State::active && before != Link::State::leaving) return;
    // What was asked over that link is not answered any more; it is asked again over another.
    if (request_flow_.state == RequestFlow::State::rkey && request_flow_.link == index)
        enter(RequestFlow::State::idle, never);
    if (continued_ && continued_->link == index) continued_.reset();
    if (has_active_link()) events_.push_back({GroupEvent::Kind::link_down, 0, index});
}

void LinkGroup::on_link_error(Time now, std::size_t link) {
    const Link::State before = links_[link].state;
    if (before == Link::State::dead) return;
    if (before == Link::State::ending) return drop_link(link);
    lose_link(link);
    if (!has_active_link()) {
        end();
        return report(ready_ ? GroupEvent::Kind::ended : GroupEvent::Kind::link_failed);
    }
    if (before == Link::State::active) tell_of_lost_link(now, links_[link].number);
    go_on_without(now, link);
}

/// What was being done about links, now that this one is lost.
void LinkGroup::go_on_without(Time now, std::size_t link) {
    if (link_flow_.state == LinkFlow::State::idle) return next(now);
    if (link_flow_.state == LinkFlow::State::leaving && link_flow_.link == link) return on_left(now);
    if (link_flow_.carrier == link) return start_over(now);
    if (!adds_link() || link_flow_.link != link) return;
    if (link_flow_.state == LinkFlow::State::confirm) give_up_unconfirmed(now);
    else give_up_link(now);
}

/// A client's need not be orderly: the link is of no use to anybody (RFC 7609, 3.5.5.1.4).
void LinkGroup::tell_of_lost_link(Time now, std::uint8_t number) {
    if (role_ == Role::server) return queue_removal({number, true, lost_path});
    send_delete_link(
        now, {.orderly = profile_.lost_link_orderly, .link = number, .reason = lost_path, .reserved2 = {}});
}

/// The link is lost over which a change was spoken of; another one will do (RFC 7609, C.7.1).
void LinkGroup::start_over(Time now) {
    if (role_ == Role::server && adds_link()) link_wanted_ = true;
    if (role_ == Role::server && link_flow_.state == LinkFlow::State::removal)
        removals_.push_front(
            {link_flow_.delete_link.link, link_flow_.delete_link.orderly, link_flow_.delete_link.reason});
    if (adds_link()) return give_up_link(now);
    finish_link_flow(now);
}

void LinkGroup::on_delete_link(Time now, std::size_t link, const wire::DeleteLink& message) {
    if (message.reply) {
        const bool clearing = role_ == Role::server && link_flow_.state == LinkFlow::State::clearing;
        if (link_flow_.state != LinkFlow::State::removal && !clearing) return;
        if (link_flow_.link != no_link) drop_link(link_flow_.link);
        return finish_link_flow(now);
    }
    const auto named = link_of_number(message.link);
    const bool last = named && links_[*named].state == Link::State::active && active_links() == 1;
    if (message.all || last) end_group(now, link, message);
    else if (role_ == Role::server) on_client_deletes(now, link, message);
    else on_server_deletes(now, link, message);
}

/// All links go, or the last one. The server sends DELETE LINK even to a client that has sent its own.
void LinkGroup::end_group(Time now, std::size_t link, const wire::DeleteLink& message) {
    wire::DeleteLink answer = message;
    answer.reply = role_ == Role::client;
    if (answer.all && role_ == Role::server && profile_.always_ends_orderly) answer.orderly = true;
    if (answer.reply && !profile_.repeats_reason) answer.reason = 0;
    if (role_ == Role::server)
        send(now, link, message_of(LlcType::delete_link, answer), "ends the link, as it was asked to");
    else if (!answer.all) send(now, link, message_of(LlcType::delete_link, answer), "lets the link go");
    const bool was_alive = alive();
    if (message.all && role_ == Role::server && profile_.ends_once_more) end_once_more(now, link);
    else end();
    if (was_alive) report(GroupEvent::Kind::ended);
}

/// As Linux, which then terminates the group as if nobody had spoken of it yet. Who asked may be gone by now: the queue
/// pairs stay as long as that may take.
void LinkGroup::end_once_more(Time now, std::size_t link) {
    const wire::DeleteLink message{.all = true, .reason = program_initiated, .reserved2 = {}};
    send(now, link, message_of(LlcType::delete_link, message), "ends all links of the group of itself, too");
    for (Link& one : links_) {
        if (one.state == Link::State::dead) continue;
        one.state = Link::State::ending;
        one.test_deadline = now + profile_.llc_wait;
    }
    link_flow_ = {};
    enter(RequestFlow::State::idle, never);
}

/// The server's own request answers that of the client, when its turn comes. A link that the client has lost is not
/// used meanwhile.
void LinkGroup::on_client_deletes(Time now, std::size_t link, const wire::DeleteLink& message) {
    const auto named = link_of_number(message.link);
    if (!named) {
        if (std::ranges::find(links_, message.link, &Link::number) != links_.end()) return;  // it is gone already
        wire::DeleteLink answer = message;
        answer.reply = true;
        answer.reason = unknown_link;
        return send(now, link, message_of(LlcType::delete_link, answer), "knows no such link");
    }
    const bool is_new = adds_link() && link_flow_.link == *named;
    if (is_new && profile_.rejects_unconfirmed && link_flow_.state == LinkFlow::State::confirm)
        return give_up_unconfirmed(now);
    queue_removal({message.link, message.orderly, message.reason});
    const bool works = message.orderly && message.reason != lost_path;
    if (works || is_new) return next(now);
    lose_link(*named);
    go_on_without(now, *named);
}

void LinkGroup::on_server_deletes(Time now, std::size_t link, const wire::DeleteLink& message) {
    if (link_flow_.state == LinkFlow::State::clearing && links_[link_flow_.link].number == message.link) return;
    const auto named = link_of_number(message.link);
    wire::DeleteLink answer = message;
    answer.reply = true;
    const bool works = named && links_[*named].state == Link::State::active && message.reason != lost_path;
    const bool is_new = named && adds_link() && link_flow_.link == *named;
    if (!named) answer.reason = unknown_link;
    else if (!is_new && !profile_.repeats_reason) answer.reason = 0;
    if (works && link_flow_.state == LinkFlow::State::idle) {
        link_flow_.carrier = link;
        return leave(now, *named, answer);
    }
    if (named) lose_link(*named);
    const bool carries = links_[link].state == Link::State::dead;
    send(now, carries ? carrier() : link, message_of(LlcType::delete_link, answer), "lets the link go");
    if (is_new && profile_.rejects_unconfirmed) return enter(LinkFlow::State::clearing, now + profile_.link_clearing);
    if (is_new) return finish_link_flow(now);
    next(now);
}

/// Ends the link of that number, whether there is one or not.
void LinkGroup::delete_link(Time now, std::uint8_t number, bool orderly, std::uint32_t reason) {
    if (!has_active_link()) return;
    if (role_ == Role::client)
        return send_delete_link(now, {.orderly = orderly, .link = number, .reason = reason, .reserved2 = {}});
    queue_removal({number, orderly, reason});
    next(now);
}

void LinkGroup::delete_all(Time now, bool orderly, std::uint32_t reason) {
    if (!alive()) return;
    const wire::DeleteLink message{.all = true, .orderly = orderly, .reason = reason, .reserved2 = {}};
    send(now, carrier(), message_of(LlcType::delete_link, message), "ends all links of the group");
    if (role_ == Role::client) return enter(RequestFlow::State::delete_all, now + profile_.llc_wait);
    end();
    report(GroupEvent::Kind::ended);
}

// ---- time ----------------------------------------------------------------------------------------

/// RFC 7609, C.7.1: a link that does not come is done without; one that does not go takes its carrier with it.
void LinkGroup::on_link_flow_timeout(Time now) {
    switch (link_flow_.state) {
        case LinkFlow::State::idle: break;
        case LinkFlow::State::confirm_first: return give_up_first_contact(now);
        case LinkFlow::State::given_up: return fail_first_contact();
        case LinkFlow::State::leaving: lose_link(link_flow_.link); return on_left(now);
        case LinkFlow::State::removal: return on_link_error(now, link_flow_.carrier);
        case LinkFlow::State::offer:
        case LinkFlow::State::tokens:
            if (!ready_ && profile_.full_recovery) return fail_first_contact();
            return give_up_link(now);
        case LinkFlow::State::confirm: return give_up_unconfirmed(now);
        case LinkFlow::State::clearing: return role_ == Role::server ? finish_link_flow(now) : reject_unconfirmed(now);
    }
}

/// Linux' server says so on the link, too, if its queue pair still works, and waits until that has arrived.
void LinkGroup::give_up_first_contact(Time now) {
    if (role_ == Role::client || !profile_.deletes_failed_group) return fail_first_contact();
    const wire::DeleteLink message{.all = true, .reason = program_initiated, .reserved2 = {}};
    send(now, 0, message_of(LlcType::delete_link, message), "ends the group, as nobody confirms its link", farewell);
    enter(LinkFlow::State::given_up, now + profile_.llc_wait);
}

void LinkGroup::on_sent(std::uint64_t id) {
    if (id == farewell && link_flow_.state == LinkFlow::State::given_up) fail_first_contact();
}

void LinkGroup::fail_first_contact() {
    end();
    report(GroupEvent::Kind::link_failed);
}

}  // namespace fabricscope::stack::smcr
