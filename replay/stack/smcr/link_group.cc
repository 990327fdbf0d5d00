// SPDX-License-Identifier: GPL-2.0-or-later
// Links and RMBs; what is said about links is in link_changes.cc.
#include "replay/stack/smcr/link_group.h"

#include <algorithm>

#include "protocols/ib/mtu.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::stack::smcr {
namespace {

using wire::LlcType;

constexpr std::uint8_t version_2 = 0x20;  // in the type octet
constexpr unsigned receive_buffers = 4096;
constexpr std::uint64_t address_step = std::uint64_t{1} << 30;
constexpr std::uint32_t user_id_base = 0x100;
constexpr std::size_t rtokens_in_message = 2;  // for other links, in CONFIRM RKEY
constexpr std::size_t rkeys_in_message = 8;    // in DELETE RKEY of version 1

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

bool LinkGroup::has_active_link() const {
    return std::ranges::any_of(links_, [](const Link& link) { return link.state == Link::State::active; });
}

bool LinkGroup::alive() const {
    return std::ranges::any_of(links_, [](const Link& link) { return link.state != Link::State::dead; });
}

/// The link that LLC messages go over.
std::size_t LinkGroup::carrier() const {
    const auto active = std::ranges::find(links_, Link::State::active, &Link::state);
    return active == links_.end() ? 0 : static_cast<std::size_t>(active - links_.begin());
}

std::size_t LinkGroup::enter_link() {
    std::size_t best = carrier();
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (links_[i].state != Link::State::active || (profile_.asymmetric_links_idle && is_asymmetric(i))) continue;
        if (links_[i].connections < links_[best].connections) best = i;
    }
    enter_link(best);
    return best;
}

/// It ends at a device of this side or of the other one where an earlier link ends, too (RFC 7609, 2.2.1).
bool LinkGroup::is_asymmetric(std::size_t index) const {
    const Link& link = links_[index];
    return std::any_of(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(index), [&](const Link& other) {
        return other.state == Link::State::active &&
               (other.adapter == link.adapter || other.peer.address == link.peer.address);
    });
}

std::vector<Gid> LinkGroup::gids(std::size_t first) const {
    std::vector<Gid> gids{adapters_[first]->config().address.gid};
    for (std::size_t i = 0; i < adapters_.size(); ++i)
        if (i != first && adapters_[i]->up()) gids.push_back(adapters_[i]->config().address.gid);
    return gids;
}

/// One that works and that no active link uses.
std::optional<std::size_t> LinkGroup::spare_adapter() const {
    for (std::size_t i = 0; i < adapters_.size(); ++i)
        if (adapters_[i]->up() && !uses(i)) return i;
    return std::nullopt;
}

bool LinkGroup::uses(std::size_t adapter) const {
    return std::ranges::any_of(
        links_, [&](const Link& link) { return link.adapter == adapter && link.state == Link::State::active; });
}

std::size_t LinkGroup::create_link(std::size_t adapter, std::uint8_t number) {
    Link link;
    Adapter& device = *adapters_[adapter];
    link.number = number;
    link.adapter = adapter;
    link.own = {device.config().address, device.create_rc(), random_.bits(24), 3};
    link.user_id = user_id_base + number;
    device.rc(link.own.qpn)->post_receive(receive_buffers);
    links_.push_back(link);
    for (Rmb& rmb : rmbs_) rmb.rkeys.push_back(device.memory().add({rmb.address, rmb.octets, remote_write}));
    for (auto& tokens : remote_rmbs_) tokens.emplace_back();
    return links_.size() - 1;
}

void LinkGroup::create_first_link() { create_link(0, next_number_++); }

void LinkGroup::connect_link(std::size_t index, const LinkEnd& peer) {
    Link& link = links_[index];
    link.peer = peer;
    RcConfig config;
    config.remote_qpn = peer.qpn;
    config.send_psn = link.own.psn;
    config.receive_psn = peer.psn;
    config.mtu = ib::mtu_octets(std::min(link.own.mtu, peer.mtu));
    adapters_[link.adapter]->connect_rc(link.own.qpn, peer.address, config);
}

void LinkGroup::connect_first_link(Time now, const LinkEnd& peer) {
    connect_link(0, peer);
    if (role_ == Role::client) return change_to(Change::Step::confirm_first, now + profile_.confirm_link_client);
    adapters_[links_[0].adapter]->rc(links_[0].own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, 0, false);
    change_to(Change::Step::confirm_first, now + profile_.confirm_link_server);
}

std::optional<std::size_t> LinkGroup::link_of(std::size_t adapter, std::uint32_t qpn) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].adapter == adapter && links_[i].own.qpn == qpn && links_[i].state != Link::State::dead) return i;
    return std::nullopt;
}

std::optional<std::size_t> LinkGroup::link_to(const IbAddress& peer, std::uint32_t qpn) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].peer.qpn == qpn && links_[i].peer.address == peer && links_[i].state == Link::State::active)
            return i;
    return std::nullopt;
}

std::optional<std::size_t> LinkGroup::link_between(const Mac& own, const Mac& peer) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].own.address.mac == own && links_[i].peer.address.mac == peer &&
            links_[i].state == Link::State::active)
            return i;
    return std::nullopt;
}

std::optional<std::size_t> LinkGroup::link_of_number(std::uint8_t number) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].number == number && links_[i].state != Link::State::dead) return i;
    return std::nullopt;
}

/// Nothing is sent or received on it any more, and its keys are void.
void LinkGroup::drop_link(std::size_t index) {
    Link& link = links_[index];
    if (link.state == Link::State::dead) return;
    link.state = Link::State::dead;
    Adapter& adapter = *adapters_[link.adapter];
    adapter.destroy_rc(link.own.qpn);
    for (Rmb& rmb : rmbs_) adapter.memory().remove(std::exchange(rmb.rkeys[index], 0));
}

void LinkGroup::end() {
    for (std::size_t i = 0; i < links_.size(); ++i) drop_link(i);
    change_ = {};
    wait_for(Wait::nothing, never);
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
    for (const Link& link : links_) {
        const bool dead = link.state == Link::State::dead;
        rmb.rkeys.push_back(dead ? 0 : adapters_[link.adapter]->memory().add({rmb.address, rmb.octets, remote_write}));
    }
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
    next(now);
}

void LinkGroup::tell_rkey(Time now, Element element) {
    if (rmbs_[element.rmb].peer_knows) return report(GroupEvent::Kind::rkey_confirmed, element.rmb);
    exchanges_.push_back({Exchange::Kind::confirm_rkey, element.rmb});
    next(now);
}

std::size_t LinkGroup::remote_rmb(std::size_t link, RToken token) {
    for (std::size_t i = 0; i < remote_rmbs_.size(); ++i)
        if (remote_rmbs_[i][link] == token) return i;
    remote_rmbs_.emplace_back(links_.size())[link] = token;
    return remote_rmbs_.size() - 1;
}

/// The next thing that this side has to begin, if nothing is under way.
void LinkGroup::next(Time now) {
    if (!ready_ || !alive() || wait_ != Wait::nothing || change_.step != Change::Step::none) return;
    if (!removals_.empty()) {
        change_.link = removals_.front();
        removals_.pop_front();
        send_delete_link(now, change_.link);
        return change_to(Change::Step::removal, now + profile_.llc_wait);
    }
    if (std::exchange(link_wanted_, false)) return offer_link(now);
    if (exchanges_.empty()) return;
    const Exchange& exchange = exchanges_.front();
    if (exchange.kind == Exchange::Kind::confirm_rkey) send_confirm_rkey(now, rmbs_[exchange.rmb]);
    else send_delete_rkey(now, rmbs_[exchange.rmb]);
    wait_for(Wait::rkey, now + profile_.llc_wait);
}

// ---- messages ------------------------------------------------------------------------------------

/// The message as it is sent: header by version, body, padding.
Octets LinkGroup::message_of(LlcType type, const LlcBody& body) const {
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
        const auto* add = std::get_if<wire::AddLinkMessage>(&body);
        if (add == nullptr) return built(wire::LlcHeaderV1{}, length);
        wire::AddLinkHeaderV1 header;
        const wire::AddLink common = add->common();
        header.reject_reason = common.reject ? no_alternate_path : std::uint8_t{0};
        return built(header, length);
    };
    Octets octets = of_length(wire::kLlcSize);
    if (octets.size() > wire::kLlcSize) octets = of_length(octets.size());
    octets.resize(std::max(octets.size(), wire::kLlcSize));
    return octets;
}

void LinkGroup::send(Time now, std::size_t link, Octets octets, const char* note, std::uint64_t id) {
    RcQueuePair* qp = adapters_[links_[link].adapter]->rc(links_[link].own.qpn);
    if (qp == nullptr) return;
    qp->post_send(now, {.id = id, .octets = std::move(octets), .solicited = true, .note = note});
}

void LinkGroup::send_cdc(Time now, std::size_t link, const wire::Cdc& message, const char* note, std::uint64_t id) {
    send(now, link, layout::octets_of(message), note, id);
}

void LinkGroup::write(
    Time now, std::size_t link, std::size_t remote_rmb, std::uint64_t offset, Octets octets, std::uint64_t id) {
    RcQueuePair* qp = adapters_[links_[link].adapter]->rc(links_[link].own.qpn);
    if (qp == nullptr) return;
    const RToken& token = remote_rmbs_[remote_rmb][link];
    qp->post_send(
        now, {.id = id,
              .type = WorkType::rdma_write,
              .octets = std::move(octets),
              .remote_address = token.address + offset,
              .rkey = token.rkey});
}

void LinkGroup::on_llc(Time now, std::size_t link, ByteView octets) {
    const wire::LlcMessage message = wire::parse_llc(octets, octets.size());
    if (message.error || links_[link].state == Link::State::dead) return;
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) on_confirm_link(now, link, *confirm);
    else if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) on_add_link(now, link, message, *add);
    else if (const auto* tokens = std::get_if<wire::AddLinkContinuationMessage>(&message.body))
        on_tokens(now, link, *tokens);
    else if (std::holds_alternative<wire::RequestAddLinkMessage>(message.body) && role_ == Role::server) want_link(now);
    else if (const auto* rkey = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) on_confirm_rkey(now, link, *rkey);
    else if (const auto* deleted = std::get_if<wire::DeleteRkeyMessage>(&message.body))
        on_delete_rkey(now, link, *deleted);
    else if (const auto* end_of_link = std::get_if<wire::DeleteLink>(&message.body))
        on_delete_link(now, link, *end_of_link);
    else if (const auto* test = std::get_if<wire::TestLink>(&message.body)) on_test_link(now, link, *test);
}

// ---- keys ----------------------------------------------------------------------------------------

void LinkGroup::send_confirm_rkey(Time now, const Rmb& rmb) {
    const std::size_t link = carrier();
    wire::ConfirmRkeyMessage message;
    message.body.rkey = rmb.rkeys[link];
    message.body.address = rmb.address;
    Octets slots;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (i == link || links_[i].state != Link::State::active || message.body.other_links == rtokens_in_message)
            continue;
        ++message.body.other_links;
        append(slots, wire::LinkRtoken{links_[i].number, rmb.rkeys[i], rmb.address});
    }
    slots.resize(rtokens_in_message * layout::size_of<wire::LinkRtoken>);
    message.slots.octets = slots;
    send(now, link, message_of(LlcType::confirm_rkey, message), "tells the key of its RMB");
}

void LinkGroup::send_delete_rkey(Time now, const Rmb& rmb) {
    const std::size_t link = carrier();
    wire::DeleteRkeyMessage message;
    message.body.count = 1;
    Octets slots = layout::octets_of(wire::DeletedRkey{rmb.rkeys[link]});
    if (version_ == 1) slots.resize(rkeys_in_message * layout::size_of<wire::DeletedRkey>);
    message.slots.octets = slots;
    send(now, link, message_of(LlcType::delete_rkey, message), "withdraws the key of its RMB");
}

void LinkGroup::on_confirm_rkey(Time now, std::size_t link, const wire::ConfirmRkeyMessage& message) {
    if (!message.body.reply) {
        wire::ConfirmRkeyMessage answer = message;
        answer.body.reply = true;
        // While links change the server says no, and the client asks again (RFC 7609, 3.5.5.3.1).
        answer.body.negative = role_ == Role::server && change_.step != Change::Step::none;
        if (!answer.body.negative) learn_rkey(link, message);
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
    next(now);
}

void LinkGroup::learn_rkey(std::size_t link, const wire::ConfirmRkeyMessage& message) {
    auto& tokens = remote_rmbs_[remote_rmb(link, {message.body.rkey, message.body.address})];
    for (std::size_t i = 0; i < message.used; ++i)
        if (const auto other = link_of_number(message.slots[i].link); other)
            tokens[*other] = {message.slots[i].rkey, message.slots[i].address};
}

void LinkGroup::on_delete_rkey(Time now, std::size_t link, const wire::DeleteRkeyMessage& message) {
    if (!message.body.reply) {
        for (std::size_t i = 0; i < message.used; ++i)
            for (auto& tokens : remote_rmbs_)
                if (tokens[link].rkey == message.slots[i].rkey) std::ranges::fill(tokens, RToken{});
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
    next(now);
}

// ---- whether a link is alive ---------------------------------------------------------------------

void LinkGroup::test_link(Time now) {
    if (wait_ != Wait::nothing || !alive()) return;
    wire::TestLink message;
    for (std::uint8_t& octet : message.user_data.octets) octet = static_cast<std::uint8_t>(random_.next());
    tested_ = carrier();
    send(now, tested_, message_of(LlcType::test_link, message), "asks whether the link is alive");
    wait_for(Wait::test_link, now + profile_.llc_wait);
}

void LinkGroup::on_test_link(Time now, std::size_t link, const wire::TestLink& message) {
    if (message.reply) {
        if (wait_ != Wait::test_link) return;
        wait_for(Wait::nothing, never);
        return next(now);
    }
    wire::TestLink answer = message;
    answer.reply = true;
    send(now, link, message_of(LlcType::test_link, answer), "is there");
}

void LinkGroup::on_timer(Time now) {
    if (now >= change_.deadline) on_change_timeout(now);
    if (now < deadline_) return;
    const Wait waited = std::exchange(wait_, Wait::nothing);
    deadline_ = never;
    if (waited == Wait::test_link) on_link_error(now, tested_);
    else if (waited != Wait::nothing) on_link_error(now, carrier());
}

}  // namespace fabricscope::stack::smcr
