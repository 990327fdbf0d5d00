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
constexpr std::uint8_t first_link_mtu = 3;          // coded
constexpr std::size_t rtokens_in_message = 2;       // for other links, in CONFIRM RKEY
constexpr std::size_t rtokens_in_continuation = 3;  // in CONFIRM RKEY CONTINUATION
constexpr std::size_t rkeys_in_message = 8;         // in DELETE RKEY of version 1

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
      max_links_(profile.max_links),
      next_address_(0xFFFF'0000'0000'0000 | std::uint64_t{random_.bits(12)} << 32) {}

// ---- links ---------------------------------------------------------------------------------------

bool LinkGroup::alive() const {
    return std::ranges::any_of(
        links_, [](const Link& link) { return link.state != Link::State::dead && link.state != Link::State::ending; });
}

/// The link that LLC messages go over.
std::size_t LinkGroup::carrier() const {
    const auto active = std::ranges::find(links_, Link::State::active, &Link::state);
    return active == links_.end() ? 0 : static_cast<std::size_t>(active - links_.begin());
}

std::size_t LinkGroup::enter_link() {
    const std::vector<bool> asymmetric = asymmetric_links();
    std::size_t best = carrier();
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (links_[i].state != Link::State::active || (profile_.asymmetric_links_idle && asymmetric[i])) continue;
        if (links_[i].connections < links_[best].connections) best = i;
    }
    enter_link(best);
    return best;
}

void LinkGroup::leave_link(Time now, std::size_t link) {
    const bool last = --links_[link].connections == 0;
    if (last && link_flow_.state == LinkFlow::State::leaving && link_flow_.link == link) on_left(now);
}

std::size_t LinkGroup::active_links() const {
    return static_cast<std::size_t>(std::ranges::count(links_, Link::State::active, &Link::state));
}

/// Which links end at a device, of this side or of the other one, where an earlier link ends that is symmetric
/// (RFC 7609, 2.2.1).
std::vector<bool> LinkGroup::asymmetric_links() const {
    std::vector<bool> asymmetric(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i)
        for (std::size_t k = 0; k < i && links_[i].state == Link::State::active; ++k) {
            if (links_[k].state != Link::State::active || asymmetric[k]) continue;
            if (links_[k].adapter == links_[i].adapter || links_[k].peer.address == links_[i].peer.address)
                asymmetric[i] = true;
        }
    return asymmetric;
}

std::size_t LinkGroup::symmetric_links() const {
    return active_links() - static_cast<std::size_t>(std::ranges::count(asymmetric_links(), true));
}

template <class Ends> bool LinkGroup::any_symmetric_link(Ends&& ends) const {
    const std::vector<bool> asymmetric = asymmetric_links();
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].state == Link::State::active && !asymmetric[i] && ends(links_[i])) return true;
    return false;
}

/// Two links between the same two devices may not be.
bool LinkGroup::is_parallel(std::size_t adapter, const IbAddress& peer) const {
    return std::ranges::any_of(links_, [&](const Link& link) {
        return link.state == Link::State::active && link.adapter == adapter && link.peer.address == peer;
    });
}

/// Server: whether one more link is of use, and allowed (RFC 7609, 2.2.2, 3.5.5.1).
bool LinkGroup::needs_link() const {
    return active_links() <= 1 || (symmetric_links() < max_links_ && spare_adapter());
}

std::vector<Gid> LinkGroup::gids(std::size_t first) const {
    std::vector<Gid> gids{adapters_[first]->config().address.gid};
    for (std::size_t i = 0; i < adapters_.size(); ++i)
        if (i != first && adapters_[i]->up()) gids.push_back(adapters_[i]->config().address.gid);
    return gids;
}

/// One that works and where no symmetric link ends; rather one that is not used at all.
std::optional<std::size_t> LinkGroup::spare_adapter() const {
    std::optional<std::size_t> spare;
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
        if (!adapters_[i]->up()) continue;
        if (!uses(i)) return i;
        if (!spare && !any_symmetric_link([&](const Link& link) { return link.adapter == i; })) spare = i;
    }
    return spare;
}

/// Client: where a link to that device of the server is to end. An asymmetric link is the only one of its kind
/// (RFC 7609, 3.5.1.6.1, 3.5.5.1.1).
std::optional<std::size_t> LinkGroup::adapter_towards(const IbAddress& server, std::size_t carrier) const {
    const bool shared = any_symmetric_link([&](const Link& link) { return link.peer.address == server; });
    const bool may_share = !has_asymmetric_link();
    if (symmetric_links() >= max_links_) return std::nullopt;
    if (const auto spare = spare_adapter(); spare && !is_parallel(*spare, server) && (!shared || may_share))
        return spare;
    const std::size_t used = links_[carrier].adapter;
    if (shared || !may_share || is_parallel(used, server)) return std::nullopt;
    return used;
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
    link.own = {device.config().address, device.create_rc(), random_.bits(24), first_link_mtu};
    if (!links_.empty()) link.own.mtu = profile_.added_link_mtu;
    link.user_id = user_id_base + number;
    device.rc(link.own.qpn)->post_receive(receive_buffers);
    links_.push_back(link);
    for (Rmb& rmb : rmbs_) rmb.rkeys.push_back(device.memory().add({rmb.address, rmb.octets, remote_write}));
    for (auto& tokens : remote_rmbs_) tokens.emplace_back();
    return links_.size() - 1;
}

void LinkGroup::create_first_link() { create_link(0, new_number()); }

/// Not one that has been used, until all have (RFC 7609, 2.2.4); 0 is none.
std::uint8_t LinkGroup::new_number() {
    while (next_number_ == 0 || link_of_number(next_number_)) ++next_number_;
    return next_number_++;
}

void LinkGroup::connect_link(std::size_t index, const LinkEnd& peer) {
    Link& link = links_[index];
    link.peer = peer;
    RcConfig config;
    config.remote_qpn = peer.qpn;
    config.send_psn = link.own.psn;
    config.receive_psn = peer.psn;
    config.mtu = ib::mtu_octets(std::min(link.own.mtu, peer.mtu));
    config.retries_for_ever = profile_.retries_for_ever;
    adapters_[link.adapter]->connect_rc(link.own.qpn, peer.address, config);
}

void LinkGroup::connect_first_link(Time now, const LinkEnd& peer) {
    connect_link(0, peer);
    if (role_ == Role::client) return enter(LinkFlow::State::confirm_first, now + profile_.confirm_link_client);
    adapters_[links_[0].adapter]->rc(links_[0].own.qpn)->make_ready_to_send(now);
    send_confirm_link(now, 0, false);
    enter(LinkFlow::State::confirm_first, now + profile_.confirm_link_server);
}

void LinkGroup::resume_first_link(Time now, std::uint32_t own_psn, const LinkEnd& peer) {
    Link& link = links_[0];
    link.own.psn = own_psn;
    connect_link(0, peer);
    adapters_[link.adapter]->rc(link.own.qpn)->make_ready_to_send(now);
    link.state = Link::State::active;
    ready_ = true;
}

std::optional<std::size_t> LinkGroup::link_of(std::size_t adapter, std::uint32_t qpn) const {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (links_[i].adapter == adapter && links_[i].own.qpn == qpn && links_[i].state != Link::State::dead) return i;
    return std::nullopt;
}

std::optional<std::size_t> LinkGroup::link_to(const IbAddress& peer, std::uint32_t qpn) const {
    std::optional<std::size_t> gone;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (links_[i].peer.qpn != qpn || !(links_[i].peer.address == peer)) continue;
        if (links_[i].state == Link::State::active) return i;
        gone = i;
    }
    return gone;
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
    link.test_deadline = never;
    Adapter& adapter = *adapters_[link.adapter];
    adapter.destroy_rc(link.own.qpn);
    for (Rmb& rmb : rmbs_) adapter.memory().remove(std::exchange(rmb.rkeys[index], 0));
}

void LinkGroup::end() {
    for (std::size_t i = 0; i < links_.size(); ++i) drop_link(i);
    link_flow_ = {};
    enter(RequestFlow::State::idle, never);
}

// ---- RMBs ----------------------------------------------------------------------------------------

Element LinkGroup::allocate_element() {
    for (std::size_t i = 0; i < rmbs_.size(); ++i) {
        const auto free = std::ranges::find(rmbs_[i].used, false);
        if (free == rmbs_[i].used.end()) continue;
        *free = true;
        rmbs_[i].idle_since = never;
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
    Rmb& rmb = rmbs_[element.rmb];
    if (!profile_.rkeys_with_connections) {
        rmb.used[element.index - 1U] = false;
        if (std::ranges::find(rmb.used, true) == rmb.used.end()) rmb.idle_since = now;
        return;
    }
    if (!alive()) return;
    rkey_requests_.push_back({RkeyRequest::Kind::delete_rkey, {element.rmb}, carrier()});
    next(now);
}

void LinkGroup::tell_rkey(Time now, Element element, std::size_t link) {
    if (rmbs_[element.rmb].peer_knows) return report(GroupEvent::Kind::rkey_confirmed, element.rmb);
    rkey_requests_.push_back({RkeyRequest::Kind::confirm_rkey, {element.rmb}, link});
    next(now);
}

/// When it is seen that the RMB has not been used for long enough. This side looks only now and then, so that several
/// may go together.
Time LinkGroup::withdrawal_of(const Rmb& rmb) const {
    if (!rmb.peer_knows || rmb.idle_since == never) return never;
    const Time interval = profile_.rmb_idle / 4 + 1;
    return ((rmb.idle_since + profile_.rmb_idle) / interval + 1) * interval;
}

/// Nobody gets an element of these RMBs until the peer has forgotten them (RFC 7609, 3.5.5.2.2).
void LinkGroup::withdraw_idle_rmbs(Time now) {
    if (profile_.rmb_idle == never) return;
    RkeyRequest request{RkeyRequest::Kind::delete_rkey, {}, carrier()};
    for (std::size_t i = 0; i < rmbs_.size() && request.rmbs.size() < rkeys_in_message; ++i) {
        if (withdrawal_of(rmbs_[i]) > now) continue;
        rmbs_[i].idle_since = never;
        rmbs_[i].used.assign(rmbs_[i].used.size(), true);
        request.rmbs.push_back(i);
    }
    if (!request.rmbs.empty()) rkey_requests_.push_back(std::move(request));
}

std::size_t LinkGroup::remote_rmb(std::size_t link, RToken token) {
    for (std::size_t i = 0; i < remote_rmbs_.size(); ++i)
        if (remote_rmbs_[i][link] == token) return i;
    remote_rmbs_.emplace_back(links_.size())[link] = token;
    return remote_rmbs_.size() - 1;
}

bool LinkGroup::may_begin() const {
    return ready_ && has_active_link() && request_flow_.state == RequestFlow::State::idle &&
           link_flow_.state == LinkFlow::State::idle;
}

/// The next thing that this side has to begin, if nothing is under way. Both sides may tell of RMBs at the same time,
/// but links do not change meanwhile (RFC 7609, 3.5.5.3).
void LinkGroup::next(Time now) {
    if (!may_begin()) return;
    if (!continued_) {
        if (!removals_.empty()) return remove_link(now);
        const bool wanted = std::exchange(link_wanted_, false);
        if (wanted && role_ == Role::client) ask_for_link(now);
        const bool in_any_case = std::exchange(any_link_wanted_, false);
        if (in_any_case || (wanted && role_ == Role::server && needs_link())) return offer_link(now);
    }
    if (rkey_requests_.empty()) withdraw_idle_rmbs(now);
    if (rkey_requests_.empty()) return;
    const RkeyRequest& request = rkey_requests_.front();
    request_flow_.link = links_[request.link].state == Link::State::active ? request.link : carrier();
    enter(RequestFlow::State::rkey, now + profile_.llc_wait);
    if (request.kind == RkeyRequest::Kind::confirm_rkey) send_confirm_rkey(now, rmbs_[request.rmbs.front()]);
    else send_delete_rkey(now, request);
}

// ---- messages ------------------------------------------------------------------------------------

/// The message as it is sent: header by version, body, padding.
Octets LinkGroup::message_of(LlcType type, const LlcBody& body, std::uint8_t reject_reason) const {
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
        if (type != LlcType::add_link) return built(wire::LlcHeaderV1{}, length);
        wire::AddLinkHeaderV1 header;
        header.reject_reason = reject_reason;
        return built(header, length);
    };
    Octets octets = of_length(wire::llc_size);
    if (octets.size() > wire::llc_size) octets = of_length(octets.size());
    octets.resize(std::max(octets.size(), wire::llc_size));
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
    if (!message.is_reply()) ++requests_;
    if (message.error || links_[link].state == Link::State::dead || links_[link].state == Link::State::ending) return;
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) on_confirm_link(now, link, *confirm);
    else if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body)) on_add_link(now, link, message, *add);
    else if (const auto* tokens = std::get_if<wire::AddLinkContinuationMessage>(&message.body))
        on_tokens(now, link, *tokens);
    else if (std::holds_alternative<wire::RequestAddLinkMessage>(message.body)) on_link_request(now);
    else if (const auto* rkey = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) on_confirm_rkey(now, link, *rkey);
    else if (const auto* more = std::get_if<wire::ConfirmRkeyContinuationMessage>(&message.body))
        on_rkey_continuation(now, link, *more);
    else if (const auto* deleted = std::get_if<wire::DeleteRkeyMessage>(&message.body))
        on_delete_rkey(now, link, *deleted);
    else if (const auto* end_of_link = std::get_if<wire::DeleteLink>(&message.body))
        on_delete_link(now, link, *end_of_link);
    else if (const auto* test = std::get_if<wire::TestLink>(&message.body)) on_test_link(now, link, *test);
}

// ---- keys ----------------------------------------------------------------------------------------

namespace {

/// The first `count` of them, and room for those that are not.
Octets extract_slots(std::deque<wire::LinkRtoken>& tokens, std::size_t count) {
    Octets slots;
    for (std::size_t i = 0; i < count && !tokens.empty(); ++i) {
        append(slots, tokens.front());
        tokens.pop_front();
    }
    slots.resize(count * layout::size_of<wire::LinkRtoken>);
    return slots;
}

}  // namespace

/// What does not fit follows when this has been answered (RFC 7609, A.3.5, A.3.6).
void LinkGroup::send_confirm_rkey(Time now, const Rmb& rmb) {
    request_flow_.rtokens_left.clear();
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (i != request_flow_.link && links_[i].state == Link::State::active)
            request_flow_.rtokens_left.push_back({links_[i].number, rmb.rkeys[i], rmb.address});
    wire::ConfirmRkeyMessage message;
    message.body.rkey = rmb.rkeys[request_flow_.link];
    message.body.address = rmb.address;
    message.body.other_links = static_cast<std::uint8_t>(request_flow_.rtokens_left.size());
    const Octets slots = extract_slots(request_flow_.rtokens_left, rtokens_in_message);
    message.slots.octets = slots;
    send(now, request_flow_.link, message_of(LlcType::confirm_rkey, message), "tells the key of its RMB");
}

void LinkGroup::send_rkey_continuation(Time now) {
    wire::ConfirmRkeyContinuationMessage message;
    message.body.rtokens_left = static_cast<std::uint8_t>(request_flow_.rtokens_left.size());
    const Octets slots = extract_slots(request_flow_.rtokens_left, rtokens_in_continuation);
    message.slots.octets = slots;
    send(
        now, request_flow_.link, message_of(LlcType::confirm_rkey_continuation, message),
        "tells the key of its RMB on more links");
    enter(RequestFlow::State::rkey, now + profile_.llc_wait);
}

void LinkGroup::send_delete_rkey(Time now, const RkeyRequest& request) {
    wire::DeleteRkeyMessage message;
    Octets slots;
    for (const std::size_t rmb : request.rmbs) append(slots, wire::DeletedRkey{rmbs_[rmb].rkeys[request_flow_.link]});
    if (request.unknown_rkey != 0) append(slots, wire::DeletedRkey{request.unknown_rkey});
    message.body.count = static_cast<std::uint8_t>(slots.size() / layout::size_of<wire::DeletedRkey>);
    if (version_ == 1) slots.resize(rkeys_in_message * layout::size_of<wire::DeletedRkey>);
    message.slots.octets = slots;
    send(
        now, request_flow_.link, message_of(LlcType::delete_rkey, message),
        message.body.count == 1 ? "withdraws the key of its RMB" : "withdraws the keys of its RMBs");
}

void LinkGroup::on_confirm_rkey(Time now, std::size_t link, const wire::ConfirmRkeyMessage& message) {
    if (message.body.reply) return on_rkey_answer(now, message.body.negative, message.body.retry);
    wire::ConfirmRkeyMessage answer = message;
    answer.body.reply = true;
    // While links change the server says no, and the client asks again (RFC 7609, 3.5.5.3.1).
    const bool busy = link_flow_.state != LinkFlow::State::idle && link_flow_.state != LinkFlow::State::leaving;
    answer.body.negative = answer.body.retry = role_ == Role::server && busy;
    send(
        now, link, message_of(LlcType::confirm_rkey, answer),
        answer.body.negative ? "cannot take a key now" : "knows the key");
    if (answer.body.negative) return;
    const std::size_t rmb = remote_rmb(link, {message.body.rkey, message.body.address});
    learn_rkeys(rmb, message.slots, message.used);
    continued_.reset();
    if (message.body.other_links > message.used) continued_ = Continued{rmb, link};
    else rkeys_learnt(now, rmb);
}

void LinkGroup::on_rkey_continuation(Time now, std::size_t link, const wire::ConfirmRkeyContinuationMessage& message) {
    if (message.body.reply) return on_rkey_answer(now, message.body.negative, false);
    wire::ConfirmRkeyContinuationMessage answer = message;
    answer.body.reply = true;
    answer.body.negative = !continued_ || continued_->link != link;
    send(
        now, link, message_of(LlcType::confirm_rkey_continuation, answer),
        answer.body.negative ? "does not know what this continues" : "knows the key on these links, too");
    if (answer.body.negative) return;
    const std::size_t rmb = continued_->rmb;
    learn_rkeys(rmb, message.slots, message.used);
    if (message.body.rtokens_left > message.used) return;
    continued_.reset();
    rkeys_learnt(now, rmb);
}

void LinkGroup::learn_rkeys(std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t used) {
    for (std::size_t i = 0; i < used; ++i)
        if (const auto other = link_of_number(slots[i].link); other)
            remote_rmbs_[rmb][*other] = {slots[i].rkey, slots[i].address};
}

/// A link that was left out has failed, as the peer sees it (RFC 7609, C.7.1).
void LinkGroup::rkeys_learnt(Time now, std::size_t rmb) {
    for (std::size_t i = 0; profile_.full_recovery && i < links_.size(); ++i)
        if (links_[i].state == Link::State::active && remote_rmbs_[rmb][i].rkey == 0) on_link_error(now, i);
    next(now);
}

/// To CONFIRM RKEY or its CONTINUATION.
void LinkGroup::on_rkey_answer(Time now, bool negative, bool retry) {
    if (!is_running(RkeyRequest::Kind::confirm_rkey)) return;
    if (!negative && !request_flow_.rtokens_left.empty()) return send_rkey_continuation(now);
    const RkeyRequest request = rkey_requests_.front();
    const std::size_t rmb = request.rmbs.front();
    finish_rkey_request();
    if (negative && retry) rkey_requests_.push_front(request);
    else if (negative) report(GroupEvent::Kind::rkey_refused, rmb);
    if (!negative) {
        rmbs_[rmb].peer_knows = true;
        report(GroupEvent::Kind::rkey_confirmed, rmb);
    }
    next(now);
}

void LinkGroup::delete_rkey(Time now, std::uint32_t rkey) {
    rkey_requests_.push_back({RkeyRequest::Kind::delete_rkey, {}, carrier(), rkey});
    next(now);
}

/// Which of them are not known: version 1 has a bit for each, the first one on the left, version 2 their number.
std::uint8_t LinkGroup::forget_rkeys(std::size_t link, const wire::DeleteRkeyMessage& message) {
    unsigned unknown = 0;
    for (std::size_t i = 0; i < message.used; ++i) {
        const auto known = std::ranges::find_if(
            remote_rmbs_, [&](const auto& tokens) { return tokens[link].rkey == message.slots[i].rkey; });
        if (known != remote_rmbs_.end()) std::ranges::fill(*known, RToken{});
        else unknown += version_ == 1 ? 0x80U >> i : 1U;
    }
    return static_cast<std::uint8_t>(unknown);
}

void LinkGroup::on_delete_rkey(Time now, std::size_t link, const wire::DeleteRkeyMessage& message) {
    if (!message.body.reply) {
        wire::DeleteRkeyMessage answer = message;
        answer.body.reply = true;
        answer.body.error_mask = forget_rkeys(link, message);
        answer.body.negative = answer.body.error_mask != 0;
        // Linux' version 2 leaves the keys out: there are zeros in their place.
        const Octets zeros(message.slots.octets.size());
        if (version_ != 1) answer.slots.octets = zeros;
        return send(
            now, link, message_of(LlcType::delete_rkey, answer),
            answer.body.negative ? "does not know the key" : "has forgotten the key");
    }
    if (!is_running(RkeyRequest::Kind::delete_rkey)) return;
    for (const std::size_t rmb : rkey_requests_.front().rmbs) {
        rmbs_[rmb].peer_knows = false;
        rmbs_[rmb].used.assign(rmbs_[rmb].used.size(), false);
    }
    finish_rkey_request();
    next(now);
}

// ---- whether a link is alive ---------------------------------------------------------------------

void LinkGroup::test_links(Time now) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        Link& link = links_[i];
        if (link.state != Link::State::active || link.test_deadline != never) continue;
        wire::TestLink message;
        for (std::uint8_t& octet : message.user_data.octets) octet = static_cast<std::uint8_t>(random_.next());
        link.test_data = message.user_data;
        link.test_deadline = now + profile_.llc_wait;
        send(now, i, message_of(LlcType::test_link, message), "asks whether the link is alive");
    }
}

/// Other data in the reply are as bad as none (RFC 7609, C.7.1).
void LinkGroup::on_test_link(Time now, std::size_t link, const wire::TestLink& message) {
    if (message.reply) {
        if (std::exchange(links_[link].test_deadline, never) == never) return;
        if (message.user_data != links_[link].test_data) on_link_error(now, link);
        return;
    }
    wire::TestLink answer = message;
    answer.reply = true;
    send(now, link, message_of(LlcType::test_link, answer), "is there");
}

Time LinkGroup::wakeup() const {
    Time earliest = std::min(request_flow_.deadline, link_flow_.deadline);
    for (const Link& link : links_) earliest = std::min(earliest, link.test_deadline);
    if (!may_begin() || profile_.rmb_idle == never) return earliest;
    for (const Rmb& rmb : rmbs_) earliest = std::min(earliest, withdrawal_of(rmb));
    return earliest;
}

bool LinkGroup::is_running(RkeyRequest::Kind kind) const {
    return request_flow_.state == RequestFlow::State::rkey && !rkey_requests_.empty() &&
           rkey_requests_.front().kind == kind;
}

void LinkGroup::finish_rkey_request() {
    rkey_requests_.pop_front();
    request_flow_ = {};
}

void LinkGroup::on_timer(Time now) {
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (now >= links_[i].test_deadline) on_link_error(now, i);
    if (now >= link_flow_.deadline) on_link_flow_timeout(now);
    if (now >= request_flow_.deadline) {
        const RequestFlow::State waited = std::exchange(request_flow_.state, RequestFlow::State::idle);
        request_flow_.deadline = never;
        on_link_error(now, waited == RequestFlow::State::rkey ? request_flow_.link : carrier());
    }
    next(now);
}

}  // namespace fabricscope::stack::smcr
