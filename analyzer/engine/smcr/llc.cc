// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/llc.h"

#include <algorithm>

#include "analyzer/engine/smcr/link_life.h"
#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::size_t no_exchange = static_cast<std::size_t>(-1);

/// Up to here go the fields that matter; behind are reserved octets and lists that count themselves.
std::size_t meaningful_end(const wire::LlcMessage& message) {
    return std::holds_alternative<wire::DeleteLink>(message.body) ? 9 : 36;
}

/// The link that an RToken is listed for. The only RToken of a list is for the only other link, whatever it says.
std::optional<std::uint32_t> link_meant(
    const LinkGroup& group, std::uint32_t carrier, std::uint8_t number, std::size_t listed) {
    const auto named = LinkTable::by_number(group, number);
    if ((named && named != carrier) || listed != 1 || !group.from_start) return named;
    std::optional<std::uint32_t> only;
    for (std::uint32_t i = 0; i < group.links.size(); ++i) {
        if (i == carrier || group.links[i].state != LinkState::active) continue;
        if (only) return named;
        only = i;
    }
    return only ? only : named;
}

/// The RTokens that an RMB has on links other than the one that carries the message.
void add_rtokens(
    TrackedGroup& tracked, std::uint32_t carrier, std::size_t rmb, const layout::List<wire::LinkRtoken>& slots,
    std::size_t used) {
    for (std::size_t i = 0; i < used; ++i) {
        const wire::LinkRtoken rtoken = slots[i];
        if (const auto link = link_meant(tracked.group, carrier, rtoken.link, used))
            tracked.rmbs.add(rmb, {*link, rtoken.rkey, rtoken.address});
    }
}

}  // namespace

void Llc::on_message(Arrival& a, ByteView octets, std::uint32_t length) {
    const wire::LlcMessage message = wire::parse_llc(octets, length);
    LinkGroup& group = links_.at(a.group).group;
    if (!message.error && message.version() > group.version.value_or(1)) group.version = message.version();
    setup_rules_.message.on_llc(a, message);
    const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
    const bool begins = confirm != nullptr && !confirm->reply && group.links[a.link].packets == 1;
    if (begins && !message.error) setup_rules_.contact.on_link_begun(a);
    link_rules_.on_llc(a, message);
    const bool cut = message.error.fault == layout::Fault::truncated;
    const bool cut_short = cut && message.error.offset < meaningful_end(message);
    if (cut) links_.at(a.group).llc_cut = true;
    if (cut_short) links_.at(a.group).queue_pairs[a.link]->note_cut();
    else std::visit([&](const auto& body) { apply(a, body, message); }, message.body);
    constexpr std::size_t flags_offset = 3;  // which tell a reply from a request
    if (std::holds_alternative<wire::UnknownLlc>(message.body) || octets.size() <= flags_offset) return;
    if (message.is_reply()) on_reply(a, message);
    else on_request(a, message, octets);
}

// ---- requests and replies ------------------------------------------------------------------------

void Llc::on_request(Arrival& a, const wire::LlcMessage& message, ByteView octets) {
    LinkGroup& group = links_.at(a.group).group;
    auto& open = a.history->open;
    ++group.exchange_count;
    std::size_t index = no_exchange;
    if (group.exchanges.size() < options_.limits.exchanges_per_group && exchanges_left_ != 0) {
        --exchanges_left_;
        index = group.exchanges.size();
        group.exchanges.push_back(
            {.type = message.type(),
             .version = message.version(),
             .from = a.from,
             .link = group.links[a.link].number,
             .request = a.step(),
             .reply = {},
             .change = link_change(message)});
    }
    OpenRequest request{message.type(), a.from, a.link, subject_of(message), index, a.step()};
    request.serialized = is_serialized(message, a.from);
    request.gaps = a.history->gaps;
    std::copy_n(octets.begin(), std::min(octets.size(), request.octets.size()), request.octets.begin());
    request.cut = message.error.fault == layout::Fault::truncated;
    link_rules_.on_request(a, message, request);
    if (keep_youngest(open, options_.limits.open_requests, request)) a.history->forgot_requests = true;
}

/// The reply belongs to the oldest request of its kind from the other side; rather to one about the same thing, rather
/// to one whose reply cannot be among what is missing of this side, rather to one on the same link. One about something
/// else is none if the request that it answers may be missing.
void Llc::on_reply(Arrival& a, const wire::LlcMessage& message) {
    auto& open = a.history->open;
    const std::uint32_t subject = subject_of(message);
    const auto fit = [&](const OpenRequest& request) {
        if (request.type != message.type() || request.from != other(a.from)) return 0;
        if (request.subject != subject && request.gaps[request.from] != a.history->gaps[request.from]) return 0;
        const bool unanswered = request.gaps[a.from] == a.history->gaps[a.from];
        return 1 + (request.subject == subject ? 4 : 0) + (unanswered ? 2 : 0) + (request.link == a.link ? 1 : 0);
    };
    const auto request = std::ranges::max_element(open, {}, fit);
    if (request == open.end() || fit(*request) == 0) return link_rules_.on_unasked_reply(a, message);
    a.facts->request_frame = request->step.frame;
    a.facts->request_time = request->step.time;
    if (request->exchange != no_exchange) {
        LlcExchange& exchange = links_.at(a.group).group.exchanges[request->exchange];
        exchange.reply = a.step();
        exchange.refused = is_refusal(message);
        if (exchange.refused) exchange.change = link_change(message);
    }
    link_rules_.on_reply(a, message, *request);
    open.erase(request);
}

void Llc::finish(const TrackedGroup& tracked) {
    const GroupHistory& history = tracked.history;
    for (const OpenRequest& request : history.open) {
        const Side silent = other(request.from);
        const bool misses_some = request.gaps[silent] != history.gaps[silent] || history.unheard_links != 0 ||
                                 history.begun_before[silent] > request.step.frame;
        if (request.exchange != no_exchange && misses_some)
            tracked.group.exchanges[request.exchange].reply_may_be_lost = true;
    }
}

// ---- links ---------------------------------------------------------------------------------------

void Llc::apply(Arrival& a, const wire::ConfirmLink& body, const wire::LlcMessage& message) {
    TrackedGroup& tracked = links_.at(a.group);
    const Side sender = body.reply ? Side::client : Side::server;  // only the server asks (RFC 7609, A.3.1)
    if (links_.orient(tracked, a.from, sender)) a.from = sender;
    LinkGroup& group = tracked.group;
    Link& link = group.links[a.link];
    LinkEndpoint& end = link.end[a.from];
    // ADD LINK gives it, or the server's request where there was none; 0 is none.
    if (link.number.value_or(0) == 0) link.number = body.link;
    end.mac = body.mac;
    if (!end.gid) end.gid = body.gid;
    end.qpn = body.qpn;  // if ACCEPT, CONFIRM or ADD LINK named another one, packets go to either
    links_.bind({a.group, a.link, a.from});
    if (!group.version) group.version = message.version();
    if (body.max_links != 0) group.max_links = std::min(group.max_links.value_or(body.max_links), body.max_links);
    // Without eye catchers cursors start at 0; both sides must say so.
    tracked.no_eye_catcher[a.from] = body.no_rmbe_eye_catcher != 0;
    const auto& [client, server] = tracked.no_eye_catcher.values;
    if (client && server) links_.set_base(group, *client && *server ? 0 : 4);
    if (!body.reply) return;
    happen(link, LinkEvent::confirmed);
    if (tracked.first_connection == 0 || a.link != 0) return;
    Setup& setup = sessions_.at(tracked.first_connection).connection->setup;
    if (!setup.confirm_link) setup.confirm_link = a.step();
}

void Llc::apply(Arrival& a, const wire::AddLinkMessage& message, const wire::LlcMessage&) {
    const wire::AddLink body = message.common();
    TrackedGroup& tracked = links_.at(a.group);
    // Only the client answers (RFC 7609, 3.5.5.1.2).
    if (body.reply && links_.orient(tracked, a.from, Side::client)) a.from = Side::client;
    LinkOffer made{
        body.link,
        a.from,
        {body.gid, body.mac, body.qpn, body.initial_psn},
        wire::mtu_octets(body.mtu),
        a.link,
        {},
        a.history->all_gaps()};
    for (std::size_t i = 0; i < message.rkeys.size(); ++i) made.rkeys.push_back(message.rkeys[i]);
    if (body.reply && body.reject) return refuse(a, tracked.offers, std::move(made));
    if (!body.reply) return tracked.offers.make(std::move(made));
    const LinkOffer* offer = tracked.offers.find(body.link, a.from);
    if (offer == nullptr)
        offer = tracked.offers.only(a.from, a.history->all_gaps());  // what a wrong number is about, the link will show
    if (offer != nullptr) add_link(tracked, LinkOffer(*offer), made);
}

/// Linux repeats the offer's queue pair in its refusal: such a link has one end only.
void Llc::refuse(const Arrival& a, LinkOffers& offers, LinkOffer refusal) {
    const LinkOffer* offer = offers.find(refusal.number, a.from);
    if (offer != nullptr && a.from == Side::client && refusal.end.qpn != 0U && refusal.end.gid != offer->end.gid) {
        offers.refused = {*offer, refusal, a.step(), a.history->gaps};
        links_.note_news();
    }
    offers.withdraw(refusal.number);
}

bool Llc::begin_refused_link(const capture::Packet& packet) {
    const auto id = links_.refused(packet);
    if (!id) return false;
    TrackedGroup& tracked = links_.at(*id);
    const RefusedLink refused = *std::exchange(tracked.offers.refused, std::nullopt);
    link_rules_.on_refused_link(packet, *id, refused, tracked.history);
    add_link(tracked, refused.offer, refused.refusal);
    return true;
}

/// The link comes to be when the other side accepts.
void Llc::add_link(TrackedGroup& tracked, const LinkOffer& offer, const LinkOffer& acceptance) {
    const auto index = links_.create_link(tracked);
    if (!index) return;
    Link& added = tracked.group.links[*index];
    if (offer.number == acceptance.number) added.number = offer.number;  // else CONFIRM LINK tells which one it is
    if (offer.mtu != 0 && acceptance.mtu != 0) added.mtu = std::min(offer.mtu, acceptance.mtu);
    for (const LinkOffer* half : {&offer, &acceptance}) added.end[half->from] = half->end;
    for (const Side side : {Side::client, Side::server}) links_.bind({tracked.group.id, *index, side});
    for (const LinkOffer* half : {&offer, &acceptance})
        for (const wire::RkeyPair& pair : half->rkeys)
            tracked.rmbs.add_by_reference(half->from, half->carrier, *index, pair);
    tracked.offers.withdraw(offer.number);
    tracked.count_unheard_links();
}

void Llc::apply(Arrival& a, const wire::AddLinkContinuationMessage& message, const wire::LlcMessage&) {
    TrackedGroup& tracked = links_.at(a.group);
    const auto link = LinkTable::by_number(tracked.group, message.body.link);
    if (!link) return;
    for (std::size_t i = 0; i < message.used; ++i)
        tracked.rmbs.add_by_reference(a.from, a.link, *link, message.slots[i]);
}

/// The client asks; it is the server's own request that deletes (RFC 7609, 3.5.4 and 3.5.5.1.4). A reply is about what
/// was asked, which is one link.
void Llc::apply(Arrival& a, const wire::DeleteLink& body, const wire::LlcMessage&) {
    note_left(a, body);
    TrackedGroup& tracked = links_.at(a.group);
    const LinkGroup& group = tracked.group;
    if (a.from == Side::client && !body.reply && group.roles_known) return;
    const bool all = body.all && !body.reply;
    const auto one = all ? std::nullopt : LinkTable::by_number(group, body.link);
    for (std::uint32_t i = 0; i < group.links.size(); ++i)
        if (all || one == i) remove(a, tracked, i);
    tracked.count_unheard_links();
}

/// What was sent on a link of which nothing was captured is missing for good. So may be what confirmed a link.
void Llc::remove(const Arrival& a, TrackedGroup& tracked, std::uint32_t index) {
    Link& link = tracked.group.links[index];
    if (is_unheard(tracked.group, link))
        for (const Side side : {Side::client, Side::server}) a.history->note_gap(side, a.packet->number);
    if (tracked.queue_pairs[index]->misses_some() && !repeats_in_vain(link)) happen(link, LinkEvent::used);
    happen(link, LinkEvent::deleted);
}

/// The client knows of a deletion that it agrees to, and of that of the whole group, to which nobody replies.
void Llc::note_left(const Arrival& a, const wire::DeleteLink& body) {
    const LinkGroup& group = links_.at(a.group).group;
    const bool agreed = a.from == Side::client && body.reply;
    const bool all = a.from == Side::server && !body.reply && body.all;
    if (!group.roles_known || !(agreed || all)) return;
    const auto one = LinkTable::by_number(group, body.link);
    for (std::uint32_t i = 0; i < group.links.size(); ++i)
        if (all || one == i) setup_rules_.contact.on_link_left(a, i);
}

// ---- RKeys ---------------------------------------------------------------------------------------

void Llc::apply(Arrival& a, const wire::ConfirmRkeyMessage& message, const wire::LlcMessage&) {
    if (message.body.reply) return;  // an echo
    TrackedGroup& tracked = links_.at(a.group);
    const auto rmb = tracked.rmbs.announce(a.from, {a.link, message.body.rkey, message.body.address}, a.packet->number);
    if (!rmb) return;
    tracked.continued_rmb[a.from] = *rmb;
    add_rtokens(tracked, a.link, *rmb, message.slots, message.used);
}

void Llc::apply(Arrival& a, const wire::ConfirmRkeyContinuationMessage& message, const wire::LlcMessage&) {
    TrackedGroup& tracked = links_.at(a.group);
    const auto rmb = tracked.continued_rmb[a.from];
    if (!message.body.reply && rmb) add_rtokens(tracked, a.link, *rmb, message.slots, message.used);
}

void Llc::apply(Arrival& a, const wire::DeleteRkeyMessage& message, const wire::LlcMessage&) {
    if (message.body.reply) return;
    RmbTable& rmbs = links_.at(a.group).rmbs;
    for (std::size_t i = 0; i < message.used; ++i) rmbs.remove(a.from, a.link, message.slots[i].rkey, a.packet->number);
}

}  // namespace fabricscope::engine::smcr
