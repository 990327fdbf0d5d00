// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/links.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/ib/mtu.h"
#include "replay/engine/player.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::replay::smcr {

namespace {

/// The first RMB of that name that still `holds`.
template <class Names, class Holds>
std::optional<std::size_t> first_named(const Names& names, std::size_t link, std::uint32_t rkey, Holds holds) {
    const auto found = names.find({link, rkey});
    if (found == names.end()) return std::nullopt;
    const auto rmb = std::ranges::find_if(found->second, holds);
    return rmb == found->second.end() ? std::nullopt : std::optional(*rmb);
}

constexpr unsigned receive_buffers = 4096;
/// Octets: a damaged recording can name RMBs of 128 GiB.
constexpr std::uint64_t most_rmb = std::uint64_t{1} << 26;
constexpr std::uint8_t hop_limit = 1;  // SMC-R stays on one subnet

/// The end of a link that a CLC or an ADD LINK message names.
LinkEnd end_of(const auto& body) { return {{body.mac, body.gid}, body.qpn, body.initial_psn, body.mtu}; }

}  // namespace

PlayedLinks::PlayedLinks(const Recorded& recorded, Side played, std::vector<stack::OutgoingFrame>& frames)
    : played_(played), carrier_(recorded.carrier), retries_for_ever_(recorded.deaf.has_value()), frames_(frames) {
    for (const Message& message : recorded.conversation.messages)
        if (message.from == played) collect_sizes(message);
}

/// Which adapters there have to be, and how large RMBs are.
void PlayedLinks::collect_sizes(const Message& message) {
    const auto add = [&](const IbAddress& address) {
        if (std::ranges::find(recorded_addresses_, address) == recorded_addresses_.end())
            recorded_addresses_.push_back(address);
    };
    if (message.name.starts_with("CLC")) {
        const wire::ClcMessage parsed = wire::parse_clc(message.octets);
        const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&parsed.body);
        if (body == nullptr) return;
        add({body->body.mac, body->body.gid});
        std::uint64_t& size = element_sizes_[{body->body.rkey, body->body.rmb_address}];
        size = std::max<std::uint64_t>(size, wire::buffer_size(body->body.buffer_size));
        elements_ = std::max<std::uint64_t>(elements_, body->body.rmb_index);
        if (size * elements_ > most_rmb)
            throw NotPlayable(fmt::format("an RMB of {} bytes is more than is played", size * elements_));
    } else if (message.name.starts_with("LLC ADD LINK")) {
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        const auto* body = std::get_if<wire::AddLinkMessage>(&parsed.body);
        if (body == nullptr || body->common().reject) return;
        add({body->common().mac, body->common().gid});
    }
}

void PlayedLinks::create_adapters(const std::vector<IbAddress>& addresses) {
    stack::Random random(1);
    for (const IbAddress& address : addresses) {
        stack::AdapterConfig config;
        config.address = address;
        config.carrier = carrier_;
        config.hop_limit = hop_limit;
        adapters_.push_back(std::make_unique<Adapter>(config, adapters_.size(), frames_, random.split()));
    }
}

// ---- links ---------------------------------------------------------------------------------------

std::size_t PlayedLinks::adapter_of(const IbAddress& address) const {
    const auto found = std::ranges::find_if(
        adapters_, [&](const auto& adapter) { return adapter->config().address.gid == address.gid; });
    return found == adapters_.end() ? 0 : static_cast<std::size_t>(found - adapters_.begin());
}

std::size_t PlayedLinks::new_link() {
    links_.emplace_back();
    for (auto& tokens : peers_) tokens.emplace_back();
    for (auto& rmb : own_) rmb->tokens.emplace_back();
    return links_.size() - 1;
}

void PlayedLinks::set_end(Time now, Link& link, const LinkEnd& end, bool own) {
    if (!own) {
        link.peer = end;
    } else if (!adapters_.empty()) {
        link.own = end;
        link.adapter = adapter_of(end.address);
        adapters_[link.adapter]->destroy_rc(end.qpn);
        adapters_[link.adapter]->create_rc(end.qpn);
        adapters_[link.adapter]->rc(end.qpn)->post_receive(receive_buffers);
    }
    if (link.own && link.peer) connect(now, link);
}

/// The own end is not there any more if the link was lost; a peer that does not know may begin a link group again.
void PlayedLinks::connect(Time now, Link& link) {
    Adapter& adapter = *adapters_[link.adapter];
    if (adapter.rc(link.own->qpn) == nullptr) return;
    stack::RcConfig config;
    config.remote_qpn = link.peer->qpn;
    config.send_psn = link.own->psn;
    config.receive_psn = link.peer->psn;
    config.mtu = ib::mtu_octets(std::min(link.own->mtu, link.peer->mtu));
    config.retries_for_ever = retries_for_ever_;
    adapter.connect_rc(link.own->qpn, link.peer->address, config);
    adapter.rc(link.own->qpn)->make_ready_to_send(now);
    link.connected = true;
}

void PlayedLinks::on_first_contact(Time now, const wire::SmcrAcceptConfirmBody& body, bool own) {
    if (links_.empty()) new_link();
    set_end(now, links_[0], end_of(body), own);
}

std::size_t PlayedLinks::link_named(const wire::SmcrAcceptConfirmBody& body, bool own) const {
    const auto found = std::ranges::find_if(links_, [&](const Link& link) {
        const auto& end = own ? link.own : link.peer;
        return !link.deleted && end && end->qpn == body.qpn && end->address.gid == body.gid;
    });
    return found == links_.end() ? 0 : static_cast<std::size_t>(found - links_.begin());
}

wire::SmcrAcceptConfirmBody PlayedLinks::on_link(std::size_t link, const wire::SmcrAcceptConfirmBody& confirm) const {
    const std::size_t named = link_named(confirm, true);
    const RToken token{confirm.rkey, confirm.rmb_address};
    const auto rmb = first_named(
        own_names_, named, token.rkey, [&](std::size_t each) { return own_[each]->tokens[named] == token; });
    if (link == named || !rmb || !links_[link].own) return confirm;
    wire::SmcrAcceptConfirmBody moved = confirm;
    const LinkEnd& end = *links_[link].own;
    moved.mac = end.address.mac;
    moved.gid = end.address.gid;
    moved.qpn = end.qpn;
    moved.initial_psn = end.psn;
    moved.mtu = end.mtu;
    moved.rkey = own_[*rmb]->tokens[link].rkey;
    moved.rmb_address = own_[*rmb]->tokens[link].address;
    return moved;
}

std::optional<std::size_t> PlayedLinks::link_of(std::size_t adapter, std::uint32_t qpn) const {
    const auto found = std::ranges::find_if(
        links_, [&](const Link& link) { return link.own && link.adapter == adapter && link.own->qpn == qpn; });
    return found == links_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - links_.begin()));
}

std::string PlayedLinks::channel_of(std::size_t link) {
    if (links_[link].channel == 0) links_[link].channel = ++channels_;
    return fmt::format("link {}", links_[link].channel);
}

std::optional<std::size_t> PlayedLinks::link_for(const std::string& channel) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (!usable(i)) continue;
        const std::size_t number = links_[i].channel == 0 ? channels_ + 1 : links_[i].channel;
        if (channel == fmt::format("link {}", number)) return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> PlayedLinks::numbered(std::uint8_t number) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].number == number && !links_[i].deleted) return i;
    return std::nullopt;
}

bool PlayedLinks::usable(std::size_t link) const {
    return links_[link].connected && !links_[link].deleted && !links_[link].lost;
}

std::optional<std::size_t> PlayedLinks::usable_link() const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (usable(i)) return i;
    return std::nullopt;
}

void PlayedLinks::lose(std::size_t link) {
    links_[link].lost = true;
    adapters_[links_[link].adapter]->destroy_rc(links_[link].own->qpn);
}

void PlayedLinks::send(Time now, std::size_t link, Octets octets, std::string note, std::uint64_t id) {
    stack::RcQueuePair* qp = adapters_[links_[link].adapter]->rc(links_[link].own->qpn);
    if (qp == nullptr) return;
    qp->post_send(now, {.id = id, .octets = std::move(octets), .solicited = true, .note = std::move(note)});
}

// ---- LLC -----------------------------------------------------------------------------------------

void PlayedLinks::on_llc(Time now, std::size_t link, const wire::LlcMessage& message, bool own) {
    const auto* const confirmed = std::get_if<wire::ConfirmLink>(&message.body);
    if (confirmed != nullptr && own) own_header_ = message.header;
    if (confirmed != nullptr) links_[link].number = confirmed->link;
    else if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) on_add_link(now, link, *add, own);
    else if (const auto* tokens = std::get_if<wire::AddLinkContinuationMessage>(&message.body))
        on_pairs(link, tokens->slots, tokens->used, own);
    else if (const auto* rkey = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) on_confirm_rkey(link, *rkey, own);
    else if (const auto* more = std::get_if<wire::ConfirmRkeyContinuationMessage>(&message.body))
        on_rkey_continuation(*more, own);
    else if (const auto* gone = std::get_if<wire::DeleteLink>(&message.body)) on_delete_link(*gone);
}

void PlayedLinks::end_group(Time now) {
    const auto link = usable_link();
    if (all_deleted_ || !link || !own_header_) return;
    wire::LlcMessage message;
    message.header = *own_header_;
    const auto set_type = [&](auto& header) {
        constexpr std::uint8_t version = 0xE0;
        header.type = (header.type & version) | static_cast<std::uint8_t>(wire::LlcType::delete_link);
    };
    std::visit(set_type, message.header);
    message.body = wire::DeleteLink{
        .all = true, .orderly = true, .reason = stack::smcr::operator_initiated, .reserved2 = {}};
    Octets octets = wire::build(message);
    octets.resize(wire::llc_size);
    send(now, *link, std::move(octets), "ends the link group");
    all_deleted_ = true;
}

/// The server's request is one half of the new link, the client's answer the other. A client's request without a queue
/// pair only asks for one.
void PlayedLinks::on_add_link(Time now, std::size_t link, const wire::AddLinkMessage& message, bool own) {
    const wire::AddLink body = message.common();
    const Side from = own ? played_ : engine::other(played_);
    if (!body.reply && from == Side::client) return;
    if (!body.reply) {
        offered_ = new_link();
        links_[*offered_].number = body.link;
    }
    if (!offered_) return;
    if (body.reject) {
        links_[*offered_].deleted = true;
        offered_.reset();
        return;
    }
    set_end(now, links_[*offered_], end_of(body), own);
    on_pairs(link, message.rkeys, message.rkeys.size(), own);
}

void PlayedLinks::on_pairs(std::size_t link, const layout::List<wire::RkeyPair>& pairs, std::size_t count, bool own) {
    if (!offered_) return;
    for (std::size_t i = 0; i < std::min(count, pairs.size()); ++i) {
        const wire::RkeyPair pair = pairs[i];
        const RToken token{pair.rkey, pair.address};
        if (own) {
            const auto rmb = first_named(own_names_, link, pair.reference_rkey, [&](std::size_t each) {
                return own_[each]->tokens[link].rkey == pair.reference_rkey;
            });
            if (rmb) name_own(*rmb, *offered_, token);
        } else {
            const std::vector<std::size_t> named = peers_names_[{link, pair.reference_rkey}];
            for (const std::size_t rmb : named)
                if (peers_[rmb][link].rkey == pair.reference_rkey) name_peers(rmb, *offered_, token);
        }
    }
}

void PlayedLinks::on_confirm_rkey(std::size_t link, const wire::ConfirmRkeyMessage& message, bool own) {
    if (message.body.reply) return;
    const RToken here{message.body.rkey, message.body.address};
    std::uint64_t size = size_of(here);
    for (std::size_t i = 0; i < message.used; ++i)
        size = std::max(size, size_of({message.slots[i].rkey, message.slots[i].address}));
    const std::size_t rmb = own ? own_rmb(link, here, size) : peer_rmb(link, here);
    told_rmb_[own ? 1 : 0] = rmb;
    name_on_links(rmb, message.slots, message.used, own);
}

void PlayedLinks::on_rkey_continuation(const wire::ConfirmRkeyContinuationMessage& message, bool own) {
    const auto rmb = told_rmb_[own ? 1 : 0];
    if (!message.body.reply && rmb) name_on_links(*rmb, message.slots, message.used, own);
}

void PlayedLinks::name_on_links(
    std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t count, bool own) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto other = numbered(slots[i].link);
        const RToken token{slots[i].rkey, slots[i].address};
        if (!other) continue;
        if (own) name_own(rmb, *other, token);
        else name_peers(rmb, *other, token);
    }
}

/// Once the answer to a request, or a request that is not answered, has passed. The queue pair stays, to acknowledge.
void PlayedLinks::on_delete_link(const wire::DeleteLink& message) {
    all_deleted_ = all_deleted_ || message.all;
    if (const auto link = numbered(message.link); message.reply && link) links_[*link].deleted = true;
    if (std::ranges::all_of(links_, &Link::deleted)) all_deleted_ = true;
}

// ---- memory --------------------------------------------------------------------------------------

/// 0 if CLC never names it so. Each link's name of an RMB may be met with some of its elements only.
std::uint64_t PlayedLinks::size_of(RToken token) const {
    const auto size = element_sizes_.find({token.rkey, token.address});
    return size == element_sizes_.end() ? 0 : size->second * elements_;
}

std::size_t PlayedLinks::own_rmb(std::size_t link, RToken token, std::uint64_t size) {
    const auto known = first_named(own_names_, link, token.rkey, [&](std::size_t each) {
        return own_[each]->tokens[link] == token && own_[each]->octets.size() >= size;
    });
    if (known) return *known;
    auto rmb = std::make_unique<Rmb>();
    rmb->octets.resize(size);
    rmb->tokens.resize(links_.size());
    own_.push_back(std::move(rmb));
    name_own(own_.size() - 1, link, token);
    return own_.size() - 1;
}

void PlayedLinks::name_own(std::size_t rmb, std::size_t link, RToken token) {
    own_[rmb]->tokens[link] = token;
    own_names_[{link, token.rkey}].push_back(rmb);
    if (links_[link].own)
        adapters_[links_[link].adapter]->memory().add(
            token.rkey, {token.address, own_[rmb]->octets, stack::remote_write});
}

void PlayedLinks::name_peers(std::size_t rmb, std::size_t link, RToken token) {
    peers_[rmb][link] = token;
    peers_names_[{link, token.rkey}].push_back(rmb);
}

void PlayedLinks::on_rmb(std::size_t link, const wire::SmcrAcceptConfirmBody& body, bool own) {
    const RToken token{body.rkey, body.rmb_address};
    if (link >= links_.size()) return;
    if (own) own_rmb(link, token, size_of(token));
    else peer_rmb(link, token);
}

std::span<std::uint8_t> PlayedLinks::element(std::size_t link, const wire::SmcrAcceptConfirmBody& body) {
    const RToken token{body.rkey, body.rmb_address};
    const std::size_t rmb = own_rmb(link, token, size_of(token));
    const std::uint64_t size = wire::buffer_size(body.buffer_size);
    Octets& octets = own_[rmb]->octets;
    const std::uint64_t offset = (std::max<std::uint8_t>(body.rmb_index, 1) - 1U) * size;
    if (offset + size > octets.size()) return {};
    const std::span<std::uint8_t> element = std::span(octets).subspan(offset, size);
    std::ranges::fill(element, std::uint8_t{0});
    return element;
}

std::size_t PlayedLinks::peer_rmb(std::size_t link, RToken token) {
    const auto known = first_named(
        peers_names_, link, token.rkey, [&](std::size_t each) { return peers_[each][link] == token; });
    if (known) return *known;
    peers_.emplace_back(links_.size());
    name_peers(peers_.size() - 1, link, token);
    return peers_.size() - 1;
}

void PlayedLinks::write(
    Time now, std::size_t link, std::size_t peer_rmb, std::uint64_t offset, Octets octets, std::uint64_t id) {
    const RToken& token = peers_[peer_rmb][link];
    stack::RcQueuePair* qp = adapters_[links_[link].adapter]->rc(links_[link].own->qpn);
    if (qp == nullptr) return;
    qp->post_send(
        now, {.id = id,
              .type = stack::WorkType::rdma_write,
              .octets = std::move(octets),
              .remote_address = token.address + offset,
              .rkey = token.rkey});
}

}  // namespace fabricscope::replay::smcr
