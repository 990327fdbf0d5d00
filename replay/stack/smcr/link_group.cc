// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/link_group.h"

#include <algorithm>

#include "protocols/ib/mtu.h"

namespace fabricscope::stack::smcr {
namespace {

using wire::LlcType;

constexpr std::uint8_t version_2 = 0x20;     // in the type octet
constexpr std::uint8_t no_eye_catchers = 3;  // both bits in CONFIRM LINK
constexpr std::uint8_t advertised_links = 2, advertised_connections = 255;
constexpr std::uint8_t no_alternate_path = 1;  // reason of a rejected ADD LINK
constexpr unsigned receive_buffers = 4096;
constexpr std::uint64_t address_step = std::uint64_t{1} << 30;
constexpr std::uint8_t second_link = 2;
constexpr std::uint32_t operator_initiated = 0x0002'0000;  // reason of DELETE LINK

template <class Slot> Octets empty_slots(std::size_t count) { return Octets(count * layout::size_of<Slot>); }

}  // namespace

LinkGroup::LinkGroup(
    Role role, const Profile& profile, std::uint8_t version, std::vector<std::unique_ptr<Adapter>>& adapters,
    std::uint64_t element_size, Random random)
    : role_(role),
      profile_(profile),
      version_(version),
      adapters_(adapters),
      element_size_(element_size),
      random_(random),
      next_address_(0xFFFF'0000'0000'0000 | std::uint64_t{random_.bits(12)} << 32) {}

// ---- links ---------------------------------------------------------------------------------------

void LinkGroup::create_first_link() {
    Link link;
    Adapter& adapter = *adapters_[0];
    link.own = {adapter.config().address, adapter.create_rc(), random_.bits(24), 3};
    link.user_id = 0x101;
    adapter.rc(link.own.qpn)->post_receive(receive_buffers);
    links_.push_back(link);
}

void LinkGroup::connect_first_link(Time now, const LinkEnd& peer) {
    Link& link = links_[0];
    link.peer = peer;
    RcConfig config;
    config.remote_qpn = peer.qpn;
    config.send_psn = link.own.psn;
    config.receive_psn = peer.psn;
    config.mtu = ib::mtu_octets(std::min(link.own.mtu, peer.mtu));
    adapters_[link.adapter]->connect_rc(link.own.qpn, peer.address, config);
    if (role_ == Role::client) return wait_for(Wait::confirm_link, now + profile_.confirm_link_client);
    adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, 0, false);
    wait_for(Wait::confirm_link, now + profile_.confirm_link_server);
}

std::optional<std::size_t> LinkGroup::link_of(std::size_t adapter, std::uint32_t qpn) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].adapter == adapter && links_[i].own.qpn == qpn) return i;
    return std::nullopt;
}

void LinkGroup::end() {
    for (Link& link : links_) {
        if (link.state == Link::State::dead) continue;
        link.state = Link::State::dead;
        adapters_[link.adapter]->destroy_rc(link.own.qpn);
    }
    wait_for(Wait::nothing, never);
}

void LinkGroup::on_link_error(Time /*now*/, std::size_t link) {
    if (links_[link].state == Link::State::dead) return;
    const bool was_ready = ready_;
    end();
    report(was_ready ? GroupEvent::Kind::ended : GroupEvent::Kind::link_failed);
}

void LinkGroup::become_ready(Time now) {
    ready_ = true;
    wait_for(Wait::nothing, never);
    report(GroupEvent::Kind::link_ready);
    next_exchange(now);
}

// ---- RMBs ----------------------------------------------------------------------------------------

Element LinkGroup::take_element() {
    for (std::size_t i = 0; i < rmbs_.size(); ++i) {
        const auto free = std::ranges::find(rmbs_[i].used, false);
        if (free == rmbs_[i].used.end()) continue;
        *free = true;
        const auto index = static_cast<std::size_t>(free - rmbs_[i].used.begin());
        std::ranges::fill(octets_of({i, static_cast<std::uint8_t>(index + 1)}), std::uint8_t{0});
        return {i, static_cast<std::uint8_t>(index + 1)};
    }
    Rmb& rmb = rmbs_.emplace_back();
    rmb.element_size = element_size_;
    rmb.octets.resize(element_size_ * profile_.elements_per_rmb);
    rmb.used.resize(profile_.elements_per_rmb);
    rmb.used[0] = true;
    rmb.address = next_address_;
    next_address_ += address_step;
    for (const Link& link : links_)
        rmb.rkeys.push_back(adapters_[link.adapter]->memory().add({rmb.address, rmb.octets, remote_write}));
    return {rmbs_.size() - 1, 1};
}

std::span<std::uint8_t> LinkGroup::octets_of(Element element) {
    Rmb& rmb = rmbs_[element.rmb];
    return std::span(rmb.octets).subspan((element.index - 1U) * rmb.element_size, rmb.element_size);
}

void LinkGroup::release_element(Time now, Element element) {
    if (!profile_.rkeys_with_connections) {
        rmbs_[element.rmb].used[element.index - 1U] = false;
        return;
    }
    if (!alive()) return;
    exchanges_.push_back({Exchange::Kind::delete_rkey, element.rmb});
    next_exchange(now);
}

void LinkGroup::tell_rkey(Time now, Element element) {
    if (rmbs_[element.rmb].peer_knows) return report(GroupEvent::Kind::rkey_confirmed, element.rmb);
    exchanges_.push_back({Exchange::Kind::confirm_rkey, element.rmb});
    next_exchange(now);
}

void LinkGroup::next_exchange(Time now) {
    if (!ready_ || !alive() || wait_ != Wait::nothing || exchanges_.empty()) return;
    const Exchange& exchange = exchanges_.front();
    const Rmb& rmb = rmbs_[exchange.rmb];
    if (exchange.kind == Exchange::Kind::confirm_rkey) {
        wire::ConfirmRkeyMessage message;
        message.body.rkey = rmb.rkeys[0];
        message.body.address = rmb.address;
        const Octets slots = empty_slots<wire::LinkRtoken>(2);
        message.slots.octets = slots;
        send(now, 0, message_of(LlcType::confirm_rkey, message), "tells the key of its RMB");
    } else {
        wire::DeleteRkeyMessage message;
        message.body.count = 1;
        Octets slots = layout::octets_of(wire::DeletedRkey{rmb.rkeys[0]});
        slots.resize(8 * layout::size_of<wire::DeletedRkey>);
        message.slots.octets = slots;
        if (version_ != 1) message.slots.octets = ByteView(slots).first(layout::size_of<wire::DeletedRkey>);
        send(now, 0, message_of(LlcType::delete_rkey, message), "withdraws the key of its RMB");
    }
    wait_for(Wait::rkey, now + profile_.llc_wait);
}

// ---- messages ------------------------------------------------------------------------------------

/// The message as it is sent: header by version, body, padding.
Octets LinkGroup::message_of(LlcType type, auto body) const {
    wire::LlcMessage message;
    const auto raw = static_cast<std::uint8_t>(type);
    message.body = body;
    const auto built = [&](auto header, std::size_t length) {
        header.type = static_cast<std::uint8_t>(raw | (version_ == 1 ? 0 : version_2));
        header.length = static_cast<decltype(header.length)>(length);
        message.header = header;
        return wire::build(message);
    };
    const auto of_length = [&](std::size_t length) {
        if (version_ != 1)
            return profile_.host_order_lengths ? built(wire::LlcHeaderV2Little{}, length)
                                               : built(wire::LlcHeaderV2Big{}, length);
        if constexpr (std::is_same_v<decltype(body), wire::AddLinkMessage>) {
            wire::AddLinkHeaderV1 header;
            const wire::AddLink common = body.common();
            header.reject_reason = common.reject ? no_alternate_path : std::uint8_t{0};
            return built(header, length);
        } else {
            return built(wire::LlcHeaderV1{}, length);
        }
    };
    Octets octets = of_length(wire::kLlcSize);
    if (octets.size() > wire::kLlcSize) octets = of_length(octets.size());
    octets.resize(std::max(octets.size(), wire::kLlcSize));
    return octets;
}

void LinkGroup::send(Time now, std::size_t link, Octets octets, const char* note) {
    RcQueuePair* qp = adapters_[links_[link].adapter]->rc(links_[link].own.qpn);
    if (qp == nullptr) return;
    qp->post_send(now, {.octets = std::move(octets), .solicited = true, .note = note});
}

void LinkGroup::send_cdc(Time now, const wire::Cdc& message, const char* note) {
    send(now, 0, layout::octets_of(message), note);
}

void LinkGroup::write(Time now, std::uint64_t address, std::uint32_t rkey, Octets octets) {
    RcQueuePair* qp = adapters_[links_[0].adapter]->rc(links_[0].own.qpn);
    if (qp == nullptr) return;
    qp->post_send(
        now, {.type = WorkType::rdma_write, .octets = std::move(octets), .remote_address = address, .rkey = rkey});
}

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

/// A second link is always offered (RFC 7609, 3.5.1.6); with one adapter it would have to end at the same one.
void LinkGroup::send_add_link(Time now) {
    Link& first = links_[0];
    Adapter& adapter = *adapters_[0];
    refused_qpn_ = adapter.create_rc();
    wire::AddLinkMessage message;
    wire::AddLink body;
    body.mac = first.own.address.mac;
    body.gid = first.own.address.gid;
    body.qpn = refused_qpn_;
    body.link = second_link;
    body.mtu = first.own.mtu;
    body.initial_psn = random_.bits(24);
    message.body = body;
    Octets pairs;
    if (version_ != 1) {
        const auto told = static_cast<std::uint16_t>(std::ranges::count(rmbs_, true, &Rmb::peer_knows));
        const auto extend = [&](auto extension) {
            extension.direct = true;
            extension.target_gid = first.peer.address.gid;
            extension.rkey_count = told;
            message.v2 = extension;
        };
        if (profile_.host_order_lengths) extend(wire::AddLinkV2Little{});
        else extend(wire::AddLinkV2Big{});
        for (const Rmb& rmb : rmbs_)
            if (rmb.peer_knows) append(pairs, wire::RkeyPair{rmb.rkeys[0], 0x100 + random_.bits(20), rmb.address});
        message.rkeys.octets = pairs;
    }
    send(now, 0, message_of(LlcType::add_link, message), "offers a second link");
    wait_for(Wait::add_link, now + profile_.llc_wait);
}

void LinkGroup::on_llc(Time now, std::size_t link, ByteView octets) {
    const wire::LlcMessage message = wire::parse_llc(octets, octets.size());
    if (message.error || links_[link].state == Link::State::dead) return;
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) on_confirm_link(now, link, *confirm);
    else if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) on_add_link(now, link, message, *add);
    else if (const auto* rkey = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) on_confirm_rkey(now, link, *rkey);
    else if (const auto* deleted = std::get_if<wire::DeleteRkeyMessage>(&message.body))
        on_delete_rkey(now, link, *deleted);
    else if (const auto* end_of_link = std::get_if<wire::DeleteLink>(&message.body))
        on_delete_link(now, link, *end_of_link);
    else if (const auto* test = std::get_if<wire::TestLink>(&message.body)) {
        if (test->reply) {
            if (wait_ == Wait::test_link) wait_for(Wait::nothing, never), next_exchange(now);
            return;
        }
        wire::TestLink answer = *test;
        answer.reply = true;
        send(now, link, message_of(LlcType::test_link, answer), "is there");
    }
}

void LinkGroup::on_confirm_link(Time now, std::size_t index, const wire::ConfirmLink& message) {
    Link& link = links_[index];
    const bool eye_catchers = message.no_rmbe_eye_catcher != no_eye_catchers;
    if (wait_ != Wait::confirm_link || message.reply != (role_ == Role::server)) return;
    if (eye_catchers != (profile_.cursor_base == 4)) {
        report(GroupEvent::Kind::link_failed);
        return wait_for(Wait::nothing, never);
    }
    link.state = Link::State::active;
    if (role_ == Role::server) return send_add_link(now);
    link.number = message.link;
    adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, index, true);
    wait_for(Wait::add_link, now + profile_.llc_wait);
}

void LinkGroup::on_add_link(
    Time now, std::size_t link, const wire::LlcMessage& message, const wire::AddLinkMessage& body) {
    if (wait_ != Wait::add_link) return;
    if (role_ == Role::server) {
        if (!message.is_reply()) return;
        adapters_[0]->destroy_rc(refused_qpn_);
        return become_ready(now);
    }
    wire::AddLink answer = body.common();
    answer.reply = true;
    answer.reject = true;
    if (version_ != 1 && profile_.reject_reasons) answer.reject_reason_v2 = no_alternate_path;
    wire::AddLinkMessage reply;
    reply.body = answer;
    send(now, link, message_of(LlcType::add_link, reply), "has no second adapter for another link");
    become_ready(now);
}

void LinkGroup::on_confirm_rkey(Time now, std::size_t link, const wire::ConfirmRkeyMessage& message) {
    if (!message.body.reply) {
        wire::ConfirmRkeyMessage answer = message;
        answer.body.reply = true;
        // While links change the server says no, and the client asks again (RFC 7609, 3.5.5.3.1).
        answer.body.negative = role_ == Role::server && wait_ == Wait::add_link;
        return send(
            now, link, message_of(LlcType::confirm_rkey, answer),
            answer.body.negative ? "cannot take a key now" : "knows the key");
    }
    if (wait_ != Wait::rkey || exchanges_.empty() || exchanges_.front().kind != Exchange::Kind::confirm_rkey) return;
    const std::size_t rmb = exchanges_.front().rmb;
    exchanges_.pop_front();
    wait_for(Wait::nothing, never);
    if (!message.body.negative) rmbs_[rmb].peer_knows = true;
    report(message.body.negative ? GroupEvent::Kind::rkey_refused : GroupEvent::Kind::rkey_confirmed, rmb);
    next_exchange(now);
}

void LinkGroup::on_delete_rkey(Time now, std::size_t link, const wire::DeleteRkeyMessage& message) {
    if (!message.body.reply) {
        wire::DeleteRkeyMessage answer = message;
        answer.body.reply = true;
        // Linux' version 2 leaves the keys out: there are zeros in their place.
        const Octets zeros(message.slots.octets.size());
        if (version_ != 1) answer.slots.octets = zeros;
        return send(now, link, message_of(LlcType::delete_rkey, answer), "has forgotten the key");
    }
    if (wait_ != Wait::rkey || exchanges_.empty() || exchanges_.front().kind != Exchange::Kind::delete_rkey) return;
    Rmb& rmb = rmbs_[exchanges_.front().rmb];
    rmb.peer_knows = false;
    rmb.used[0] = false;
    exchanges_.pop_front();
    wait_for(Wait::nothing, never);
    next_exchange(now);
}

/// The server's word ends the link; a client's is a request to the server (RFC 7609, 3.5.5.1).
void LinkGroup::on_delete_link(Time now, std::size_t link, const wire::DeleteLink& message) {
    wire::DeleteLink answer = message;
    if (role_ == Role::client && !message.all) {
        answer.reply = true;
        send(now, link, message_of(LlcType::delete_link, answer), "lets the link go");
    } else if (role_ == Role::server && !message.reply) {
        send(now, link, message_of(LlcType::delete_link, answer), "ends the link, as it was asked to");
    }
    const bool was_alive = alive();
    end();
    if (was_alive) report(GroupEvent::Kind::ended);
}

void LinkGroup::test_link(Time now) {
    if (wait_ != Wait::nothing || !alive()) return;
    wire::TestLink message;
    for (std::uint8_t& octet : message.user_data.octets) octet = static_cast<std::uint8_t>(random_.next());
    send(now, 0, message_of(LlcType::test_link, message), "asks whether the link is alive");
    wait_for(Wait::test_link, now + profile_.llc_wait);
}

void LinkGroup::delete_all(Time now) {
    if (!alive()) return;
    const wire::DeleteLink message{.all = true, .orderly = true, .reason = operator_initiated, .reserved2 = {}};
    send(now, 0, message_of(LlcType::delete_link, message), "ends all links of the group");
    if (role_ == Role::client) return wait_for(Wait::delete_link, now + profile_.llc_wait);
    end();
    report(GroupEvent::Kind::ended);
}

Time LinkGroup::wakeup() const { return deadline_; }

void LinkGroup::on_timer(Time now) {
    if (now < deadline_) return;
    const Wait waited = std::exchange(wait_, Wait::nothing);
    deadline_ = never;
    switch (waited) {
        case Wait::nothing: break;
        case Wait::confirm_link: report(GroupEvent::Kind::link_failed); break;
        case Wait::add_link: become_ready(now); break;  // one link has to do
        case Wait::rkey:
        case Wait::delete_link:
        case Wait::test_link: on_link_error(now, 0); break;
    }
}

}  // namespace fabricscope::stack::smcr
