// SPDX-License-Identifier: GPL-2.0-or-later
// What LLC messages do to a link group (RFC 7609, 3.5.5 and A.3).
#include <algorithm>

#include "analyzer/engine/smcr/link_groups.h"
#include "analyzer/engine/smcr/llc_exchange.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::size_t kMaxOffers = 8;
constexpr std::size_t kNoExchange = static_cast<std::size_t>(-1);

}  // namespace

void LinkGroups::on_llc(Arrival& a, ByteView octets, std::uint32_t length) {
    const wire::LlcMessage message = wire::parse_llc(octets, length);
    setup_rules_.message.on_llc(a, message);
    link_rules_.on_llc(a, message);
    // Up to here go the fields that matter; behind are reserved octets and lists that count themselves.
    constexpr std::size_t kMeaningful = 36;
    const bool cut_short = message.error.fault == layout::Fault::truncated && message.error.offset < kMeaningful;
    if (message.error.fault == layout::Fault::truncated) state(a.group).llc_cut = true;
    if (!cut_short) std::visit([&](const auto& body) { apply(a, body, message); }, message.body);
    note_exchange(a, message, octets);
}

// ---- requests and replies ------------------------------------------------------------------------

void LinkGroups::note_exchange(Arrival& a, const wire::LlcMessage& message, ByteView octets) {
    if (std::holds_alternative<wire::UnknownLlc>(message.body)) return;
    if (message.is_reply()) on_reply(a, message);
    else on_request(a, message, octets);
}

void LinkGroups::on_request(Arrival& a, const wire::LlcMessage& message, ByteView octets) {
    LinkGroup& g = group(a.group);
    auto& open = a.history->open;
    ++g.exchange_count;
    std::size_t index = kNoExchange;
    if (g.exchanges.size() < options_.limits.exchanges_per_group && exchanges_ < options_.limits.exchanges) {
        ++exchanges_;
        index = g.exchanges.size();
        g.exchanges.push_back({message.type(), message.version(), a.from, link(a).number, a.step(), {}, false});
    }
    OpenRequest request{message.type(), a.from, a.link, subject_of(message), index, a.step()};
    request.serialized = is_serialized(message, a.from);
    request.gaps = a.history->gaps;
    std::copy_n(octets.begin(), std::min(octets.size(), request.octets.size()), request.octets.begin());
    link_rules_.on_request(a, message, request);
    if (keep_youngest(open, options_.limits.open_requests, request)) a.history->forgot_requests = true;
}

/// The reply belongs to the oldest request of its kind from the other side; rather to one about the
/// same thing, rather to one on the same link.
void LinkGroups::on_reply(Arrival& a, const wire::LlcMessage& message) {
    auto& open = a.history->open;
    const std::uint32_t subject = subject_of(message);
    const auto fit = [&](const OpenRequest& request) {
        if (request.type != message.type() || request.from != other(a.from)) return 0;
        return 1 + (request.subject == subject ? 2 : 0) + (request.link == a.link ? 1 : 0);
    };
    const auto request = std::ranges::max_element(open, {}, fit);
    if (request == open.end() || fit(*request) == 0) return link_rules_.on_unasked_reply(a, message);
    a.facts->request_frame = request->step.frame;
    a.facts->request_time = request->step.time;
    if (request->exchange != kNoExchange) {
        LlcExchange& exchange = group(a.group).exchanges[request->exchange];
        exchange.reply = a.step();
        exchange.refused = is_refusal(message);
    }
    link_rules_.on_reply(a, message, *request);
    open.erase(request);
}

// ---- links ---------------------------------------------------------------------------------------

void LinkGroups::apply(Arrival& a, const wire::ConfirmLink& body, const wire::LlcMessage& message) {
    // Only the server asks (RFC 7609, A.3.1).
    orient(a, body.reply ? Side::client : Side::server);
    LinkGroup& g = group(a.group);
    GroupState& s = state(a.group);
    Link& l = link(a);
    l.number = body.link;
    l.end[a.from].mac = body.mac;
    if (!l.end[a.from].gid) l.end[a.from].gid = body.gid;
    if (!l.end[a.from].qpn) l.end[a.from].qpn = body.qpn;
    register_end(a.group, a.link, a.from);
    if (!g.version || message.version() > *g.version) g.version = message.version();
    if (body.max_links != 0) g.max_links = std::min(g.max_links.value_or(body.max_links), body.max_links);
    s.confirmed_link[a.from] = true;
    s.says_no_eye_catcher[a.from] = body.no_rmbe_eye_catcher != 0;
    // Without eye catchers cursors start at 0; both sides must say so.
    if (s.confirmed_link[Side::client] && s.confirmed_link[Side::server])
        set_base(a.group, s.says_no_eye_catcher[Side::client] && s.says_no_eye_catcher[Side::server] ? 0 : 4);
    if (!body.reply) return;
    l.state = LinkState::active;
    if (s.first_connection == 0 || a.link != 0) return;
    Setup& setup = sessions_.at(s.first_connection).connection->setup;
    if (!setup.confirm_link) setup.confirm_link = a.step();
}

void LinkGroups::apply(Arrival& a, const wire::AddLinkMessage& message, const wire::LlcMessage&) {
    const wire::AddLink body = message.common();
    auto& offers = state(a.group).offers;
    const auto same = [&](const Offer& offer) { return offer.number == body.link; };
    if (body.reply && body.reject) {
        std::erase_if(offers, same);
        return;
    }
    Offer made{body.link, a.from, {body.gid, body.mac, body.qpn, body.initial_psn}, wire::mtu_octets(body.mtu),
               a.link,    {}};
    for (std::size_t i = 0; i < message.rkeys.size(); ++i) made.rkeys.push_back(message.rkeys[i]);
    if (!body.reply) {
        std::erase_if(offers, same);
        keep_youngest(offers, kMaxOffers, std::move(made));
        return;
    }
    const auto offer = std::find_if(offers.begin(), offers.end(), same);
    if (offer == offers.end() || offer->from == a.from) return;
    const auto index = create_link(a.group);
    if (!index) return;
    Link& added = group(a.group).links[*index];
    added.number = body.link;
    added.end[offer->from] = offer->end;
    added.end[a.from] = made.end;
    if (offer->mtu != 0 && made.mtu != 0) added.mtu = std::min(offer->mtu, made.mtu);
    for (const Side side : {Side::client, Side::server}) register_end(a.group, *index, side);
    for (const Offer* half : {&*offer, &made})
        for (const wire::RkeyPair& pair : half->rkeys) add_rkeys(a.group, half->from, half->carrier, *index, pair);
    offers.erase(offer);
}

void LinkGroups::apply(Arrival& a, const wire::AddLinkContinuationMessage& message, const wire::LlcMessage&) {
    const auto index = link_by_number(a.group, message.body.link);
    if (!index) return;
    for (std::size_t i = 0; i < message.used; ++i) add_rkeys(a.group, a.from, a.link, *index, message.slots[i]);
}

void LinkGroups::apply(Arrival& a, const wire::DeleteLink& body, const wire::LlcMessage&) {
    note_left(a, body);
    // A link that is deleted before it was confirmed never came up.
    const auto remove = [](Link& l) {
        l.state = l.state == LinkState::active || l.state == LinkState::deleted ? LinkState::deleted
                                                                                : LinkState::failed;
    };
    if (body.all) {
        for (Link& l : group(a.group).links) remove(l);
        return;
    }
    // The client asks; it is the server's own request that deletes (RFC 7609, 3.5.5.1.4).
    if (a.from == Side::client && !body.reply && group(a.group).roles_known) return;
    if (const auto index = link_by_number(a.group, body.link)) remove(group(a.group).links[*index]);
}

/// The client knows of a deletion that it asks for or agrees to.
void LinkGroups::note_left(const Arrival& a, const wire::DeleteLink& body) {
    const LinkGroup& g = group(a.group);
    if (a.from == Side::server || !g.roles_known || !(body.all || body.reply)) return;
    const auto one = link_by_number(a.group, body.link);
    for (std::uint32_t i = 0; i < g.links.size(); ++i)
        if (body.all || one == i) setup_rules_.contact.on_link_left(a, i);
}

// ---- RKeys ---------------------------------------------------------------------------------------

/// The RTokens that an RMB has on links other than the one that carries the message.
void LinkGroups::add_rtokens(
    std::uint32_t id, std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t used) {
    for (std::size_t i = 0; i < used; ++i) {
        const wire::LinkRtoken rtoken = slots[i];
        if (const auto index = link_by_number(id, rtoken.link))
            add_rtoken(id, rmb, *index, rtoken.rkey, rtoken.address);
    }
}

void LinkGroups::apply(Arrival& a, const wire::ConfirmRkeyMessage& message, const wire::LlcMessage&) {
    if (message.body.reply) return;  // an echo
    const auto rmb = announce_rmb(a.group, a.from, a.link, message.body.rkey, message.body.address, a.packet->number);
    if (!rmb) return;
    state(a.group).continued_rmb[a.from] = *rmb;
    add_rtokens(a.group, *rmb, message.slots, message.used);
}

void LinkGroups::apply(Arrival& a, const wire::ConfirmRkeyContinuationMessage& message, const wire::LlcMessage&) {
    const auto rmb = state(a.group).continued_rmb[a.from];
    if (message.body.reply || !rmb) return;
    add_rtokens(a.group, *rmb, message.slots, message.used);
}

void LinkGroups::apply(Arrival& a, const wire::DeleteRkeyMessage& message, const wire::LlcMessage&) {
    if (message.body.reply) return;
    for (std::size_t i = 0; i < message.used; ++i)
        if (const auto* known = a.history->rtokens[a.from].find(a.link, message.slots[i].rkey))
            group(a.group).rmbs[known->rmb].deleted = true;
}

}  // namespace fabricscope::engine::smcr
