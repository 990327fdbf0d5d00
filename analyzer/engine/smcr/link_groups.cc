// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_groups.h"

#include <algorithm>

#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/smcr/youngest.h"
#include "protocols/rdma_ip_cm/message.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::size_t kMaxStrays = 8;

bool is_request(const capture::RcEvent& event) {
    using Kind = capture::RcEvent::Kind;
    return event.kind == Kind::send_message || event.kind == Kind::send_part || event.kind == Kind::write ||
           event.kind == Kind::unplaceable;
}

}  // namespace

// ---- groups and links ----------------------------------------------------------------------------

std::optional<std::uint32_t> LinkGroups::create_group() {
    if (model_.link_groups.size() >= options_.limits.link_groups) {
        ++model_.dropped_link_groups;
        return std::nullopt;
    }
    LinkGroup& group = model_.link_groups.emplace_back();
    group.id = static_cast<std::uint32_t>(model_.link_groups.size());
    group.cursor_base = options_.cursor_base;
    known_.push_back({&group, &states_.emplace_back()});
    return group.id;
}

std::optional<std::uint32_t> LinkGroups::create_link(std::uint32_t id) {
    auto& links = group(id).links;
    if (links.size() >= options_.limits.links_per_group || links_ >= options_.limits.links) {
        ++model_.dropped_details;
        return std::nullopt;
    }
    ++links_;
    links.emplace_back();
    state(id).links.push_back(std::make_unique<QueuePairs>());
    return static_cast<std::uint32_t>(links.size() - 1);
}

std::optional<std::uint32_t> LinkGroups::link_by_number(std::uint32_t id, std::uint8_t number) {
    const auto& links = group(id).links;
    const Link* found = link_numbered(group(id), number);
    return found == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - links.data()));
}

void LinkGroups::register_end(std::uint32_t id, std::uint32_t index, Side side) {
    const LinkEndpoint& end = group(id).links[index].end[side];
    if (!end.gid || !end.qpn) return;
    const EndpointRef now{id, index, side};
    EndpointRef& known = ends_[{Address::of(*end.gid), *end.qpn}];
    something_new_ |= known != now;
    known = now;
}

const LinkGroups::EndpointRef* LinkGroups::find(const Address& address, std::uint32_t qpn) const {
    const EndpointRef* end = ends_.find({address, qpn});
    return end != nullptr && end->group != 0 ? end : nullptr;
}

/// A queue pair that Communication Management sets up is no link's any more: its number is used again.
void LinkGroups::retire(const capture::Packet& mad) {
    if (!rdma_cm::is_message(mad)) return;
    const rdma_ip_cm::Message message = rdma_ip_cm::parse(mad.ib.payload);
    std::uint32_t qpn = 0;
    if (const auto* req = std::get_if<rdma_ip_cm::Req>(&message.body)) qpn = req->body.local_qpn;
    else if (const auto* rep = std::get_if<ib::CmRep>(&message.body)) qpn = rep->local_qpn;
    else return;
    if (find(mad.source, qpn) != nullptr) ends_[{mad.source, qpn}] = {};
}

void LinkGroups::set_base(std::uint32_t id, std::uint8_t base) {
    LinkGroup& g = group(id);
    if (!g.cursor_base) g.cursor_base = base;
    for (const std::uint32_t connection : g.connections) sessions_.set_base(sessions_.at(connection), *g.cursor_base);
}

/// A group that was seen midway has its sides named by chance. Now `found` is known to be `wanted`.
/// Returns whether the names had to change.
bool LinkGroups::orient(std::uint32_t id, Side found, Side wanted) {
    LinkGroup& g = group(id);
    if (g.roles_known) return false;
    g.roles_known = true;
    if (found == wanted) return false;
    GroupState& s = state(id);
    for (Link& link : g.links) link.end.swap_sides(), link.heard.swap_sides();
    for (Rmb& rmb : g.rmbs) rmb.owner = other(rmb.owner);
    for (LlcExchange& exchange : g.exchanges) exchange.from = other(exchange.from);
    for (const auto& pairs : s.links) {
        QueuePairs& link = *pairs;
        link.receiver.swap_sides();
        link.sent_psn.swap_sides();
        link.continuity.swap_sides();
    }
    for (Offer& offer : s.offers) offer.from = other(offer.from);
    s.history.swap_sides();
    s.tokens.swap_sides();
    s.strays.swap_sides();
    s.address.swap_sides();
    s.says_no_eye_catcher.swap_sides();
    s.confirmed_link.swap_sides();
    s.continued_rmb.swap_sides();
    for (std::uint32_t i = 0; i < g.links.size(); ++i)
        for (const Side side : {Side::client, Side::server}) register_end(id, i, side);
    for (const std::uint32_t connection : g.connections) sessions_.swap_sides(sessions_.at(connection));
    return true;
}

/// The same when a packet shows that its sender is `wanted`.
void LinkGroups::orient(Arrival& a, Side wanted) {
    if (!orient(a.group, a.from, wanted)) return;
    a.from = wanted;
    a.continuity = &state(a.group).links[a.link]->continuity[wanted];
}

// ---- CLC -----------------------------------------------------------------------------------------

std::optional<LinkGroups::EndpointRef> LinkGroups::first_contact(const Gid& gid, std::uint32_t qpn) {
    const auto id = create_group();
    if (!id) return std::nullopt;
    const auto index = create_link(*id);
    if (!index) return std::nullopt;
    LinkEndpoint& end = group(*id).links[*index].end[Side::server];
    end.gid = gid;
    end.qpn = qpn;
    register_end(*id, *index, Side::server);
    return EndpointRef{*id, *index, Side::server};
}

/// The link that an ACCEPT or CONFIRM of a subsequent contact names. If the capture has not shown it
/// before, the group (0 = not known either) was made before the capture began.
std::optional<LinkGroups::EndpointRef> LinkGroups::subsequent_contact(
    std::uint32_t id, const Gid& gid, std::uint32_t qpn, Side side) {
    if (const EndpointRef* known = find(Address::of(gid), qpn); known != nullptr && (id == 0 || known->group == id)) {
        orient(known->group, known->side, side);
        return *find(Address::of(gid), qpn);
    }
    if (id == 0) {
        const auto created = create_group();
        if (!created) return std::nullopt;
        id = *created;
        group(id).from_start = false;
    }
    auto& links = group(id).links;
    auto open_end = std::find_if(links.begin(), links.end(), [&](const Link& link) { return !link.end[side].qpn; });
    const auto index = open_end != links.end() ? std::optional(static_cast<std::uint32_t>(open_end - links.begin()))
                                               : create_link(id);
    if (!index) return std::nullopt;
    Link& link = group(id).links[*index];
    link.end[side].gid = gid;
    link.end[side].qpn = qpn;
    link.state = LinkState::active;
    register_end(id, *index, side);
    return EndpointRef{id, *index, side};
}

void LinkGroups::note_group_facts(std::uint32_t id, Side side, const wire::SmcrAcceptConfirm& message) {
    LinkGroup& g = group(id);
    g.peer_id[side] = message.body.peer_id;
    if (!g.version) g.version = message.body.version;
    if (message.v2) g.eid = printable_text(message.v2->eid.text.octets);
    if (message.first_contact) {
        g.hostname[side] = printable_text(message.first_contact->hostname.octets);
        g.release = message.first_contact->release;
    }
}

void LinkGroups::adopt(
    Session& session, Side side, const wire::SmcrAcceptConfirm& message, EndpointRef end, const TcpArrival& a) {
    Connection& connection = *session.connection;
    const wire::SmcrAcceptConfirmBody& body = message.body;
    if (connection.first_contact == false)
        link_rules_.on_contact({connection.id, end.group, end.link, side, body.rkey, a.step}, state(end.group).history);
    Link& link = group(end.group).links[end.link];
    link.end[side].mac = body.mac;
    if (connection.first_contact.value_or(false)) {
        link.end[side].initial_psn = body.initial_psn;
        const std::uint32_t mtu = wire::mtu_octets(body.mtu);
        if (mtu != 0) link.mtu = std::min(link.mtu.value_or(mtu), mtu);
    }
    note_group_facts(end.group, side, message);
    something_new_ = true;
    connection.alert_token[side] = body.alert_token;
    state(end.group).tokens[side][body.alert_token] = connection.id;
    const std::uint64_t size = wire::buffer_size(body.buffer_size);
    session.flow[other(side)].set_size(size);
    const auto rmb = announce_rmb(end.group, side, end.link, body.rkey, body.rmb_address, a.step.frame);
    if (!rmb) return;
    group(end.group).rmbs[*rmb].element_size = size;
    connection.element[side] = RmbElement{*rmb, body.rmb_index};
    ElementOwners& owners = state(end.group).history.element_owners;
    setup_rules_.contact.on_element(a, body, owners.of(*rmb, body.rmb_index), is_complete(end.group));
    owners.set(*rmb, body.rmb_index, connection.id);
}

std::optional<LinkRef> LinkGroups::named_by(const wire::SmcrAcceptConfirmBody& body) const {
    const EndpointRef* end = find(Address::of(body.gid), body.qpn);
    return end != nullptr ? std::optional(LinkRef{end->group, end->link}) : std::nullopt;
}

bool LinkGroups::is_complete(std::uint32_t id) {
    return id == 0 || state(id).history.gaps.values == std::array<std::uint32_t, 2>{};
}

void LinkGroups::on_accept(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
    Connection& connection = *session.connection;
    setup_rules_.contact.on_contact(a, message.body, named_by(message.body));
    const auto end = message.body.first_contact
                         ? first_contact(message.body.gid, message.body.qpn)
                         : subsequent_contact(0, message.body.gid, message.body.qpn, Side::server);
    if (!end) return;
    connection.link_group = end->group;
    group(end->group).connections.push_back(connection.id);
    if (message.body.first_contact) state(end->group).first_connection = connection.id;
    adopt(session, Side::server, message, *end, a);
    if (!connection.release) connection.release = group(end->group).release;
}

void LinkGroups::on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
    Connection& connection = *session.connection;
    setup_rules_.contact.on_contact(a, message.body, named_by(message.body));
    // The server may name another link of the group than the client; but a new group has only one.
    const auto end = subsequent_contact(connection.link_group, message.body.gid, message.body.qpn, Side::client);
    if (!end) return;
    if (connection.link_group == 0) {
        connection.link_group = end->group;
        group(end->group).connections.push_back(connection.id);
    }
    if (connection.first_contact.value_or(false)) group(end->group).links[end->link].state = LinkState::pending;
    adopt(session, Side::client, message, *end, a);
    sessions_.open(session);
    if (const auto base = group(end->group).cursor_base) sessions_.set_base(session, *base);
    admit();
}

void LinkGroups::on_decline(Session& session) {
    Connection& connection = *session.connection;
    if (connection.link_group == 0 || state(connection.link_group).first_connection != connection.id) return;
    LinkGroup& declined = group(connection.link_group);
    for (Link& link : declined.links) link.state = LinkState::failed;
    if (connection.setup.confirm) return;
    // Declined instead of CONFIRM: there never was a group.
    std::erase(declined.connections, connection.id);
    connection.link_group = 0;
}

// ---- RMBs ----------------------------------------------------------------------------------------

std::optional<std::size_t> LinkGroups::announce_rmb(
    std::uint32_t id, Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t address, std::uint64_t frame) {
    auto& rmbs = group(id).rmbs;
    if (const auto* known = state(id).history.rtokens[owner].find(link, rkey);
        known != nullptr && known->address == address && !rmbs[known->rmb].deleted)
        return known->rmb;
    if (rmbs_ >= options_.limits.rmbs || rmbs.size() >= options_.limits.rmbs_per_group) {
        ++model_.dropped_details;
        return std::nullopt;
    }
    ++rmbs_;
    rmbs.push_back({.owner = owner, .element_size = {}, .rtokens = {}, .first_frame = frame});
    add_rtoken(id, rmbs.size() - 1, link, rkey, address);
    return rmbs.size() - 1;
}

void LinkGroups::add_rtoken(
    std::uint32_t id, std::size_t rmb, std::uint32_t link, std::uint32_t rkey, std::uint64_t address) {
    Rmb& entry = group(id).rmbs[rmb];
    RtokenTable& known = state(id).history.rtokens[entry.owner];
    if (known.find(link, rkey) == nullptr) {
        if (rtokens_ >= options_.limits.rtokens) {
            ++model_.dropped_details;
            return;
        }
        ++rtokens_;
    }
    std::erase_if(entry.rtokens, [&](const Rtoken& rtoken) { return rtoken.link == link; });
    entry.rtokens.push_back({link, rkey, address});
    known.set(link, rkey, {rmb, address});
}

/// An RMB known by its reference RKey on the carrying link gets its RToken on the new one.
void LinkGroups::add_rkeys(
    std::uint32_t id, Side owner, std::uint32_t carrier, std::uint32_t link, const wire::RkeyPair& pair) {
    if (const auto* known = state(id).history.rtokens[owner].find(carrier, pair.reference_rkey))
        add_rtoken(id, known->rmb, link, pair.rkey, pair.address);
}

// ---- packets -------------------------------------------------------------------------------------

void LinkGroups::on_ib(const capture::Packet& packet) {
    if (ib::service_of(packet.ib.bth.opcode) != ib::Service::rc) return retire(packet);
    now_ = packet.time;
    if (!deliver(packet)) on_unknown(packet);
    admit();
}

/// Whether the packet's link is known; if so the packet has been dealt with.
bool LinkGroups::deliver(const capture::Packet& packet) {
    const EndpointRef* end = find(packet.destination, packet.ib.bth.destination_qpn);
    if (end == nullptr) return false;
    // A queue pair belongs to two ports only; the same number elsewhere is somebody else's.
    const auto& sender = group(end->group).links[end->link].end[other(end->side)].gid;
    if (sender && !(Address::of(*sender) == packet.source)) return false;
    FrameFacts facts;
    facts.packet = &packet;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.link_group = end->group;
    const Side from = other(end->side);
    GroupState& s = state(end->group);
    Arrival arrival{end->group, end->link, from, &packet, &facts, &s.links[end->link]->continuity[from], &s.history};
    on_arrival(arrival);
    return true;
}

/// Whether the first packet captured of its sender on the link is not the first that was sent.
bool LinkGroups::misses_begin(const Arrival& a) {
    const auto initial_psn = link(a).end[a.from].initial_psn;
    return initial_psn && *initial_psn != a.packet->ib.bth.psn;
}

void LinkGroups::on_arrival(Arrival& a) {
    Link& l = link(a);
    if (l.packets++ == 0) l.first_frame = a.packet->number, l.interface = a.packet->interface;
    l.heard[a.from] = a.packet->time;
    a.facts->link = l.number;
    a.facts->from = a.from;
    a.facts->roles_known = group(a.group).roles_known;
    QueuePairs& pairs = *state(a.group).links[a.link];
    auto& receiver = pairs.receiver[other(a.from)];
    if (!receiver) receiver = std::make_unique<capture::RcReceiver>();
    const capture::RcEvent event = receiver->receive(*a.packet);
    using Kind = capture::RcEvent::Kind;
    if (event.kind == Kind::acknowledge &&
        ib::AethSyndrome::of(a.packet->ib.aeth.syndrome).kind == ib::AethSyndrome::Class::nak)
        ++l.naks;
    pairs.unanswered[other(a.from)] = 0;
    const bool request = is_request(event);
    const bool first_request = request && !pairs.sent_psn[a.from];
    if (first_request && misses_begin(a)) ++a.history->gaps[a.from];
    if (pairs.continuity[a.from].note(event)) ++a.history->gaps[a.from];
    if (misses_acknowledged(a, pairs, event)) ++a.history->gaps[other(a.from)];
    if (request) pairs.sent_psn[a.from] = a.packet->ib.bth.psn;
    a.late = event.order == capture::PsnOrder::late;
    a.gaps = a.history->gaps;
    note_interface(a);
    if (request && !event.repeated()) transfer_rules_.on_request(a, first_request);
    if (request && event.repeated()) ++pairs.unanswered[a.from];
    if (event.kind == Kind::send_message) {
        // A message of one packet that was cut off by the snap length is used as far as it goes.
        on_send(a, event, event.message, event.message_length);
    } else if (event.kind == Kind::write) {
        on_write(a, event);
    } else if (event.repeated() && request) {
        ++l.retransmissions;
        a.facts->retransmission = true;
    }
    a.facts->link = link(a).number;  // a CONFIRM LINK may have told it
    a.facts->from = a.from;
    tell(*a.facts);
    if (request && !event.repeated() && a.packet->time > a.history->next_due) link_rules_.on_due(a);
    if (a.facts->request_frame != 0)
        observer_.on_response(a.facts->request_frame, a.facts->frame, a.facts->time - a.facts->request_time);
}

/// Whether requests of the other side are acknowledged that have not been seen.
bool LinkGroups::misses_acknowledged(const Arrival& a, const QueuePairs& pairs, const capture::RcEvent& event) {
    if (event.kind != capture::RcEvent::Kind::acknowledge ||
        ib::AethSyndrome::of(a.packet->ib.aeth.syndrome).kind != ib::AethSyndrome::Class::ack)
        return false;
    const auto& sent = pairs.sent_psn[other(a.from)];
    return sent && capture::psn_distance(*sent, a.packet->ib.bth.psn) > 0;
}

void LinkGroups::note_interface(Arrival& a) {
    GroupState& s = state(a.group);
    if (!s.interface) s.interface = a.packet->interface;
    if (*s.interface != a.packet->interface) s.one_interface = false;
    a.one_interface = s.one_interface;
}

void LinkGroups::count_repetition(Arrival& a, const capture::RcEvent& event, ByteView message) {
    ++link(a).retransmissions;
    a.facts->retransmission = true;
    const std::uint32_t connection = event.kind == capture::RcEvent::Kind::write
                                         ? target_of(a, event.r_key, event.address).connection
                                         : connection_of_cdc(a, message);
    if (connection == 0) return;
    a.facts->connection = connection;
    ++sessions_.at(connection).connection->from[a.from].retransmissions;
}

/// The connection of a CDC message by its token; 0 = not known, or another message.
std::uint32_t LinkGroups::connection_of_cdc(const Arrival& a, ByteView message) {
    if (message.size() < wire::kCdcMeaningful || message[0] != wire::kCdcType) return 0;
    wire::Cdc cdc;
    layout::parse_into(cdc, message);
    return connection_of_token(a, cdc.alert_token);
}

/// The connection of a token that the receiver assigned; 0 = not known.
std::uint32_t LinkGroups::connection_of_token(const Arrival& a, std::uint32_t token) {
    const std::uint32_t* connection = state(a.group).tokens[other(a.from)].find(token);
    return connection == nullptr ? 0 : *connection;
}

/// Where a WRITE goes: an element of an RMB (RFC 7609, 2.1), and whose that is.
LinkGroups::WriteTarget LinkGroups::target_of(const Arrival& a, std::uint32_t rkey, std::uint64_t address) {
    const GroupState& s = state(a.group);
    const auto* known = s.history.rtokens[other(a.from)].find(a.link, rkey);
    if (known == nullptr || address < known->address) return {};
    const Rmb& rmb = group(a.group).rmbs[known->rmb];
    const std::uint64_t in_rmb = address - known->address;
    const bool in_first = !rmb.element_size || in_rmb < *rmb.element_size;
    const std::uint64_t index = in_first ? 0 : in_rmb / *rmb.element_size;
    WriteTarget target{true, in_first ? in_rmb : in_rmb % *rmb.element_size};
    target.connection = s.history.element_owners.of(known->rmb, 1 + index);
    if (rmb.deleted) target.deleted = known->rmb;
    return target;
}

/// Why a WRITE has no target.
TransferRules::Lost LinkGroups::why_lost(const Arrival& a, std::uint32_t rkey, std::uint64_t address) {
    const auto* known = a.history->rtokens[other(a.from)].find(a.link, rkey);
    if (known == nullptr) return TransferRules::Lost::unknown_rkey;
    return address < known->address ? TransferRules::Lost::below_rmb : TransferRules::Lost::unassigned;
}

/// Whether all that could announce the WRITE's RMB has passed: nothing can be met out of order, and
/// no connection is being set up.
bool LinkGroups::sure_to_be_lost(const Arrival& a, const capture::RcEvent& event) {
    const auto& connections = group(a.group).connections;
    if (!group(a.group).from_start || !a.one_interface || connections.empty()) return false;
    if (why_lost(a, event.r_key, event.address) == TransferRules::Lost::unassigned) return false;
    const auto& confirm = sessions_.at(connections.back()).connection->setup.confirm;
    return confirm && confirm->interface == a.packet->interface;
}

void LinkGroups::on_send(Arrival& a, const capture::RcEvent& event, ByteView message, std::uint32_t length) {
    if (message.empty()) return;
    const bool is_cdc = message[0] == wire::kCdcType;
    a.facts->message = message;
    a.facts->message_length = length;
    a.facts->what = is_cdc ? FrameFacts::What::cdc : FrameFacts::What::llc;
    if (event.repeated()) return count_repetition(a, event, message);
    if (link(a).state == LinkState::pending && is_cdc) link(a).state = LinkState::active;
    if (is_cdc && a.history->watched) link_rules_.on_data(a);
    if (is_cdc) transfer_rules_.on_cdc_packet(a, message, length), on_cdc(a, message);
    else on_llc(a, message, length);
}

void LinkGroups::on_write(Arrival& a, const capture::RcEvent& event) {
    a.facts->what = FrameFacts::What::write;
    a.facts->length = event.length;
    if (event.repeated()) return count_repetition(a, event, {});
    transfer_rules_.on_write_packet(a, event);
    const WriteTarget target = target_of(a, event.r_key, event.address);
    if (a.history->watched) link_rules_.on_data(a);
    if (target.deleted) link_rules_.on_write_to_deleted(a, *target.deleted);
    const Flow::Write write{target.offset,
                            event.length,
                            a.packet->ib.payload,
                            event.first,
                            event.order == capture::PsnOrder::late,
                            a.packet->time,
                            event.operation_length};
    if (target.connection != 0) use_write(a, target.connection, write);
    else if (sure_to_be_lost(a, event)) give_up(a, event.r_key, event.address);
    else if (group(a.group).from_start) hold(a, write, event.r_key, event.address);
    else if (!target.known) keep_stray(a, event);
}

void LinkGroups::use_write(Arrival& a, std::uint32_t connection, const Flow::Write& write) {
    if (link(a).state == LinkState::pending) link(a).state = LinkState::active;
    Session& session = sessions_.at(connection);
    if (session.connection->decline) setup_rules_.decline.on_data(a, *session.connection);
    Flow::Write placed = write;
    Sent& sent = session.sent[a.from];
    placed.left_link = sent.moves() && sent.validation_on(a.link) == nullptr;
    transfer_rules_.on_write(a, session, placed);
    sessions_.on_write(session, a.from, placed, *a.facts);
}

/// A WRITE to an RMB that was announced before the capture began.
void LinkGroups::keep_stray(Arrival& a, const capture::RcEvent& event) {
    const ByteView octets = a.packet->ib.payload;
    keep_youngest(
        state(a.group).strays[a.from], kMaxStrays,
        {a.link,
         event.r_key,
         event.address,
         {0, event.length, {}, event.first, false, a.packet->time},
         {octets.begin(), octets.end()}});
}

/// The WRITE before a CDC message ends where its producer cursor points, which tells where the RMB
/// element begins. Elements are page aligned in every implementation; if this one would not be, the
/// WRITE was not this connection's.
void LinkGroups::place_strays(Arrival& a, Session& session, const wire::Cdc& cdc) {
    constexpr std::uint64_t kPage = 4096;
    auto& strays = state(a.group).strays[a.from];
    const Side to = other(a.from);
    if (strays.empty() || session.connection->element[to] || cdc.flags.failover_validation) return;
    const StrayWrite& latest = strays.back();
    const std::uint64_t end = latest.address + latest.write.length;
    if (latest.link != a.link || end < cdc.producer.offset || (end - cdc.producer.offset) % kPage != 0) return;
    const std::uint64_t begin = end - cdc.producer.offset;
    const auto rmb = announce_rmb(a.group, to, a.link, latest.rkey, begin, a.packet->number);
    if (!rmb) return;
    session.connection->element[to] = RmbElement{*rmb, 1};
    a.history->element_owners.set(*rmb, 1, session.connection->id);
    const std::uint32_t rkey = latest.rkey;
    for (StrayWrite& stray : strays) {
        if (stray.rkey != rkey || stray.address < begin) continue;
        stray.write.offset = stray.address - begin;
        stray.write.octets = stray.octets;
        FrameFacts earlier = *a.facts;
        sessions_.on_write(session, a.from, stray.write, earlier);
    }
    std::erase_if(strays, [&](const StrayWrite& stray) { return stray.rkey == rkey; });
}

void LinkGroups::on_cdc(Arrival& a, ByteView message) {
    if (message.size() < wire::kCdcMeaningful) return;
    wire::Cdc cdc;
    layout::parse_into(cdc, message);
    setup_rules_.message.on_cdc(a, message, cdc);
    const std::uint32_t connection = connection_of_token(a, cdc.alert_token);
    if (connection == 0 && group(a.group).from_start) return hold(a, message, cdc);
    Session* session = connection != 0 ? session_of_token(a, cdc, connection) : half_session(a, cdc);
    if (session != nullptr) use_cdc(a, *session, cdc);
}

void LinkGroups::use_cdc(Arrival& a, Session& session, const wire::Cdc& cdc) {
    const Connection& connection = *session.connection;
    if (connection.decline) setup_rules_.decline.on_data(a, connection);
    const bool aborts = cdc.state.abnormal_close && !cdc.flags.failover_validation;
    if (aborts && !connection.from[a.from].aborted) setup_rules_.close.on_abort(a, connection);
    place_strays(a, session, cdc);
    transfer_rules_.on_cdc(a, session, cdc, !waiting_data_.empty());
    sessions_.on_cdc(session, a.from, cdc, *a.facts);
    if (const auto base = session.connection->from[a.from].cursor_base; base && !group(a.group).cursor_base)
        set_base(a.group, *base);
}

/// Of a connection seen midway the token may name one half only, until the cursors join both.
Session* LinkGroups::session_of_token(Arrival& a, const wire::Cdc& cdc, std::uint32_t connection) {
    Session& session = sessions_.at(connection);
    const bool half = session.connection->midstream && !session.connection->alert_token[a.from];
    if (!half) return &session;
    Session* rest = other_half(a, cdc, &session);
    if (rest == nullptr) return &session;
    join_halves(a, *rest, session);
    return rest;
}

void LinkGroups::finish() {
    const Time last = now_;
    now_ = std::numeric_limits<Time>::max();  // nobody waits any longer
    admit();
    link_rules_.finish(last);
    constexpr std::uint32_t kRetries = 7;  // what a queue pair can be told at most (IBA 9.9.2.1.3)
    for (LinkGroup& g : model_.link_groups) {
        for (std::size_t i = 0; i < g.links.size(); ++i) {
            const auto& unanswered = state(g.id).links[i]->unanswered.values;
            const bool dead = *std::max_element(unanswered.begin(), unanswered.end()) >= kRetries;
            if (dead && g.links[i].state == LinkState::active) g.links[i].state = LinkState::failed;
        }
        for (const std::uint32_t id : g.connections) {
            Connection& connection = *sessions_.at(id).connection;
            if (!connection.version) connection.version = g.version;
            if (!connection.release && connection.version == g.version) connection.release = g.release;
        }
    }
}

}  // namespace fabricscope::engine::smcr
