// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_groups.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr {

namespace {

using Place = RmbTable::Target::Place;
using Kind = capture::RcEvent::Kind;

TransferRules::Lost why_lost(Place place) {
    switch (place) {
        case Place::unknown_rkey: return TransferRules::Lost::unknown_rkey;
        case Place::below_rmb: return TransferRules::Lost::below_rmb;
        case Place::in_rmb: break;
    }
    return TransferRules::Lost::unassigned;
}

/// Whether the message can be the next one of this side: the one behind the latest, which announces all that has been
/// written, or nothing new.
bool continues(const Session& session, Side from, const wire::Cdc& cdc) {
    const Flow& flow = session.flow[from];
    const Motion motion = flow.producer_motion(cdc.producer);
    return sequence_distance(session.sent[from].sequence, cdc.sequence) == 1 &&
           (motion.moved == 0 || motion.position == flow.frontier());
}

}  // namespace

void LinkGroups::on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
    if (!contacts_.on_confirm(session, message, a)) return;
    transfer_rules_.on_confirm(session, links_.at(session.connection->link_group).history);
    admit();
}

// ---- packets -------------------------------------------------------------------------------------

void LinkGroups::on_ib(const capture::Packet& packet) {
    if (ib::service_of(packet.ib.bth.opcode) != ib::Service::rc) return retire(packet);
    now_ = packet.time;
    room_.advance(packet.time);
    if (!deliver(packet)) on_unknown(packet);
    admit();
}

/// A queue pair that Communication Management sets up is no link's any more: its number is used again.
void LinkGroups::retire(const capture::Packet& mad) {
    if (const auto qpn = rdma_cm::queue_pair_named_by(mad)) links_.release(mad.source, *qpn);
}

/// Whether the packet's link is known; if so the packet has been dealt with.
bool LinkGroups::deliver(const capture::Packet& packet) {
    const QueuePairRef* end = links_.find(packet.destination, packet.ib.bth.destination_qpn);
    if (end == nullptr) return false;
    TrackedGroup& tracked = links_.at(end->group);
    const Side from = other(end->side);
    // A queue pair belongs to two ports only; the same number elsewhere is somebody else's.
    const auto& sender = tracked.group.links[end->link].end[from].gid;
    if (sender && !(Address::of(*sender) == packet.source)) return false;
    if (begins_another(packet, *end)) {
        links_.release_link(*end);
        return false;
    }
    FrameFacts facts;
    facts.packet = &packet;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.link_group = end->group;
    Arrival arrival{end->group, end->link, from, &packet, &facts, &tracked.history};
    on_arrival(arrival);
    return true;
}

/// Whether it is the CONFIRM LINK of another link, whose queue pairs have the numbers that those of this one had: its
/// PSN is nowhere near what its sender has sent, or was to begin with.
bool LinkGroups::begins_another(const capture::Packet& packet, const QueuePairRef& end) {
    constexpr std::int32_t farthest = 1 << 16;
    if (!begins_link(packet)) return false;
    const TrackedGroup& tracked = links_.at(end.group);
    const Link& link = tracked.group.links[end.link];
    const auto& sent = tracked.queue_pairs[end.link]->sent_psn(other(end.side));
    const auto& near = sent || link.packets == 0 ? sent : link.end[other(end.side)].initial_psn;
    return near && std::abs(capture::psn_distance(*near, packet.ib.bth.psn)) > farthest;
}

/// A packet to a queue pair that no message has named.
void LinkGroups::on_unknown(const capture::Packet& packet) {
    if (recognise(packet)) return void(deliver(packet));
    if (!room_.admitting() && room_.expects(packet)) {
        if (!room_.full()) return hold(packet);
        // What came before goes first.
        room_.admit_packets([&](const capture::Packet& waiting, bool overdue) { return admit(waiting, overdue); });
        if (deliver(packet)) return;
    }
    if (midstream_.identify(packet)) deliver(packet);
}

/// Whether the packet, which has waited, need not wait any longer.
bool LinkGroups::admit(const capture::Packet& packet, bool overdue) {
    if (deliver(packet) || (recognise(packet) && deliver(packet))) return true;
    if (overdue) on_unknown(packet);
    return overdue;
}

/// Whether the packet begins a link of which ACCEPT, CONFIRM or ADD LINK named another GID or queue pair, or CONFIRM is
/// missing: the link gets what the packet has. Or one that was refused.
bool LinkGroups::recognise(const capture::Packet& packet) {
    const auto end = links_.misnamed(packet);
    if (!end) return llc_.begin_refused_link(packet);
    LinkEndpoint& named = links_.at(end->group).group.links[end->link].end[end->side];
    LinkEndpoint actual = named;
    if (end->side == Side::server) actual.gid = Gid{packet.source.bytes};
    else actual.gid = Gid{packet.destination.bytes}, actual.qpn = packet.ib.bth.destination_qpn;
    if (named.gid) link_rules_.on_misnamed(packet, {end->group, end->link, end->side}, named, actual);
    else links_.at(end->group).history.contact_missing = true;
    named = actual;
    links_.bind(*end);
    return true;
}

void LinkGroups::on_arrival(Arrival& a) {
    TrackedGroup& tracked = links_.at(a.group);
    const capture::Packet& packet = *a.packet;
    Link& l = tracked.group.links[a.link];
    if (l.packets++ == 0) {
        l.first_frame = packet.number;
        l.interface = packet.interface;
        l.vlan = packet.vlan;
    }
    const bool was_heard = l.is_heard(a.from);
    l.heard[a.from] = packet.time;
    if (!was_heard) tracked.count_unheard_links();
    a.facts->link = l.number;
    a.facts->from = a.from;
    a.facts->roles_known = tracked.group.roles_known;
    const QueuePairs::Received received = tracked.queue_pairs[a.link]->receive(packet, a.from, l.end);
    const capture::RcEvent& event = received.event;
    if (is_nak(packet, event)) ++l.naks;
    for (const Side side : {Side::client, Side::server})
        if (received.gap[side]) a.history->note_gap(side, packet.number);
    // Which PSN it began with is not known: something may have come before.
    if (received.first_request && !l.end[a.from].initial_psn) {
        a.history->begun_before[a.from] = packet.number;
        if (tracked.group.from_start) a.history->note_gap(a.from, a.packet->number);
    }
    a.late = event.order == capture::PsnOrder::late;
    a.gaps = a.history->gaps;
    if (!tracked.interface) tracked.interface = packet.interface;
    if (*tracked.interface != packet.interface) a.history->one_interface = false;
    if (l.interface != packet.interface) a.history->mixed_links |= link_set_of(a.link);
    a.one_interface = a.history->one_interface;
    a.peer_knew_more = tracked.queue_pairs[a.link]->has_more_to_show(other(a.from));
    if (received.fresh()) {
        a.history->spoken_on[a.from] |= link_set_of(a.link);
        link_rules_.on_proof(a);
        transfer_rules_.on_request(a, received.first_request);
    }
    if (event.kind == Kind::send_message) on_send(a, event);
    else if (event.kind == Kind::write) on_write(a, event);
    else if (received.request && event.repeated()) count_repetition(a, 0);
    a.facts->link = link(a).number;  // a CONFIRM LINK may have told it
    a.facts->from = a.from;
    tell(*a.facts);
    if (received.fresh() && packet.time > a.history->next_due) link_rules_.on_due(a);
    if (a.facts->request_frame != 0)
        observer_.on_response(a.facts->request_frame, a.facts->frame, a.facts->time - a.facts->request_time);
}

void LinkGroups::count_repetition(Arrival& a, std::uint32_t connection) {
    ++link(a).retransmissions;
    Repetitions& repeated = link(a).repeated[a.from];
    if (repeated.count++ == 0) repeated.first = step_of(*a.packet);
    repeated.last = step_of(*a.packet);
    a.facts->retransmission = true;
    if (connection == 0) return;
    a.facts->connection = connection;
    ++sessions_.at(connection).connection->from[a.from].retransmissions;
}

/// What was cut is as good as missing.
void LinkGroups::note_cut(const Arrival& a) {
    a.history->note_gap(a.from, a.packet->number);
    links_.at(a.group).queue_pairs[a.link]->note_cut();
}

/// A message of one packet that was cut off by the snap length is used as far as it goes: if nothing is left, it is as
/// good as missing.
void LinkGroups::on_send(Arrival& a, const capture::RcEvent& event) {
    const ByteView message = event.message;
    if (message.empty()) {
        if (event.message_length != 0 && !event.repeated()) note_cut(a);
        return;
    }
    const bool is_cdc = message[0] == wire::cdc_type;
    a.facts->message = message;
    a.facts->message_length = event.message_length;
    a.facts->what = is_cdc ? FrameFacts::What::cdc : FrameFacts::What::llc;
    if (event.repeated()) return count_repetition(a, connection_of_cdc(a, message));
    if (!is_cdc) return llc_.on_message(a, message, event.message_length);
    happen(link(a), LinkEvent::used);
    if (a.history->watched) link_rules_.on_data(a);
    transfer_rules_.on_cdc_packet(a, message, event.message_length);
    on_cdc(a, message);
}

void LinkGroups::on_write(Arrival& a, const capture::RcEvent& event) {
    a.facts->what = FrameFacts::What::write;
    a.facts->length = event.length;
    RmbTable::Target target = target_of(a, event.r_key, event.address);
    if (event.repeated()) return count_repetition(a, target.connection);
    if (is_anothers(target.connection, a)) target.connection = 0;
    transfer_rules_.on_write_packet(a, event);
    if (a.history->watched) link_rules_.on_data(a);
    if (target.deleted) link_rules_.on_write_to_deleted(a, *target.deleted);
    const Flow::Write write{target.offset, event.length,   a.packet->ib.payload,  event.first,
                            a.late,        a.packet->time, event.operation_length};
    TrackedGroup& tracked = links_.at(a.group);
    const auto waiting = [&] { return WaitingData::Write{HeldWrite(write), event.r_key, event.address}; };
    if (is_behind_waiting(a, target.connection)) return use_or_hold(a, waiting());
    if (target.connection != 0) return use_write(a, target.connection, write);
    if (!tracked.group.from_start) {
        tracked.strays[a.from].keep(
            {a.link, event.r_key, event.address,
             HeldWrite({0, event.length, write.octets, event.first, /* late */ false, a.packet->time})});
        return;
    }
    if (sure_to_be_lost(a)) give_up(a, waiting(), target);
    else use_or_hold(a, waiting());
}

// ---- CDC messages and WRITEs ---------------------------------------------------------------------

/// Where a WRITE of the sender goes: one of the other side's RMBs.
RmbTable::Target LinkGroups::target_of(const Arrival& a, std::uint32_t rkey, std::uint64_t address) {
    return links_.at(a.group).rmbs.target_of(other(a.from), a.link, rkey, address);
}

/// The connection of a token that the receiver assigned; 0 = not known.
std::uint32_t LinkGroups::connection_of_token(const Arrival& a, std::uint32_t token) {
    return links_.at(a.group).rmbs.connection_of(other(a.from), token);
}

/// The connection of a CDC message by its token; 0 = not known, or another message.
std::uint32_t LinkGroups::connection_of_cdc(const Arrival& a, ByteView message) {
    if (message.size() < wire::cdc_meaningful || message[0] != wire::cdc_type) return 0;
    wire::Cdc cdc;
    layout::parse_into(cdc, message);
    return connection_of_token(a, cdc.alert_token);
}

void LinkGroups::on_cdc(Arrival& a, ByteView message) {
    if (message.size() < wire::cdc_meaningful) return note_cut(a);
    wire::Cdc cdc;
    layout::parse_into(cdc, message);
    setup_rules_.message.on_cdc(a, message, cdc);
    const std::uint32_t connection = connection_of_token(a, cdc.alert_token);
    if (is_behind_waiting(a, connection)) return use_or_hold(a, WaitingData::Cdc{cdc, connection});
    if (connection != 0) return use_cdc(a, session_of(a, cdc, connection), cdc);
    // If the group was captured from its start, the connection was not made before: its CLC messages are still to come.
    if (sure_to_be_lost(a)) return on_lost_cdc(a, cdc, connection_meant(a, cdc));
    if (links_.at(a.group).group.from_start) return use_or_hold(a, WaitingData::Cdc{cdc, connection_meant(a, cdc)});
    if (Session* session = midstream_.begin_connection(a, cdc)) use_cdc(a, *session, cdc);
}

void LinkGroups::use_cdc(Arrival& a, Session& session, const wire::Cdc& cdc) {
    const Connection& connection = *session.connection;
    sessions_.open(session, links_.at(a.group).group.cursor_base);
    if (connection.decline) setup_rules_.decline.on_data(a, connection);
    const bool aborts = cdc.state.abnormal_close && !cdc.flags.failover_validation;
    if (aborts && !connection.from[a.from].aborted) setup_rules_.close.on_abort(a, connection);
    place_strays(a, session, cdc);
    if (cdc.sequence == 1 && !cdc.flags.failover_validation && !a.late)
        session.flow[a.from].on_first_message(cdc.producer);
    expect_missed_replay(a, session);
    transfer_rules_.on_cdc(a, session, cdc, room_.holds_data());
    sessions_.on_cdc(session, a.from, cdc, *a.facts);
    LinkGroup& group = links_.at(a.group).group;
    if (const auto base = connection.from[a.from].cursor_base; base && !group.cursor_base)
        links_.set_base(group, *base);
}

/// The side goes on on another link. If packets are missing, so may be the failover validation before it.
void LinkGroups::expect_missed_replay(const Arrival& a, Session& session) {
    Sent& sent = session.sent[a.from];
    const bool moves = sent.link && sent.link != a.link && !a.late;
    if (moves && !sent.moves() && !a.history->complete()) session.flow[a.from].expect_replay();
}

void LinkGroups::use_write(Arrival& a, std::uint32_t connection, const Flow::Write& write) {
    happen(link(a), LinkEvent::used);
    Session& session = sessions_.at(connection);
    sessions_.open(session, links_.at(a.group).group.cursor_base);
    if (session.connection->decline) setup_rules_.decline.on_data(a, *session.connection);
    Flow::Write placed = write;
    expect_missed_replay(a, session);
    Sent& sent = session.sent[a.from];
    placed.left_link = sent.moves() && sent.validation_on(a.link) == nullptr;
    placed.lap_unsure = !a.history->complete();
    transfer_rules_.on_write(a, session, placed);
    sessions_.on_write(session, a.from, placed, *a.facts);
}

/// The message's producer cursor may tell where the RMB element is that WRITEs before it went to; or CONFIRM has,
/// since.
void LinkGroups::place_strays(Arrival& a, Session& session, const wire::Cdc& cdc) {
    TrackedGroup& tracked = links_.at(a.group);
    StrayWrites& strays = tracked.strays[a.from];
    const Side to = other(a.from);
    if (strays.empty() || cdc.flags.failover_validation) return;
    auto& element = session.connection->element[to];
    if (element && !tracked.group.from_start) return;
    const Time since = session.connection->midstream ? 0 : session.connection->first_time;
    auto place = element ? tracked.rmbs.place_of(*element, a.link) : std::nullopt;
    const bool announced = place.has_value();
    if (!announced) place = strays.element_before(a.link, cdc.producer);
    if (!place || (element && element->index != 1 && !announced)) return;
    if (!announced && element) tracked.rmbs.add(element->rmb, *place);  // CONFIRM RKEY or ADD LINK is missing
    if (!element) {
        element = tracked.rmbs.element_at(to, *place, a.packet->number);
        if (!element) return;
        tracked.rmbs.assign(*element, session.connection->id);
    }
    strays.release(*place, since, [&](const Flow::Write& write) {
        FrameFacts earlier = *a.facts;
        sessions_.on_write(session, a.from, write, earlier);
    });
}

// ---- a CONFIRM that was not captured -------------------------------------------------------------

namespace {

bool lacks_token(const Connection& connection) { return !connection.alert_token[Side::client]; }
bool lacks_element(const Connection& connection) { return !connection.element[Side::client]; }

}  // namespace

/// The connection whose CONFIRM must have come before this message of the server, and was not captured: the server
/// has its token and its RMB from there. nullptr: there is none, or it could be either, or another one whose whole
/// set-up is missing, as what the server has sent since then is.
Session* LinkGroups::lacking_confirm(const Arrival& a, bool (*lacks)(const Connection&)) {
    const LinkGroup& group = links_.at(a.group).group;
    if (a.from != Side::server || !group.from_start || !a.one_interface || sessions_.any_without_group())
        return nullptr;
    Session* match = nullptr;
    for (const std::uint32_t id : youngest_connections(group)) {
        const Connection& c = *sessions_.at(id).connection;
        if (c.midstream && !lacks(c)) return nullptr;  // it may be what came of the one that lacks it
        if (c.setup.confirm || c.midstream || c.decline || !lacks(c)) continue;
        const auto& accept = c.setup.accept;
        const bool is_missing = accept && c.setup.hears_both() && accept->interface == a.packet->interface &&
                                accept->frame < a.packet->number && a.history->gap_frame[Side::server] < accept->frame;
        if (!is_missing || match != nullptr) return nullptr;
        match = &sessions_.at(id);
    }
    return match;
}

/// Whether the message is the first from the server of such a connection.
bool LinkGroups::use_without_confirm(Arrival& a, const WaitingData::Cdc& waiting) {
    const wire::Cdc& cdc = waiting.message;
    if (cdc.sequence != 1 || cdc.flags.failover_validation) return false;
    Session* session = lacking_confirm(a, lacks_token);
    if (session == nullptr) return false;
    a.history->contact_missing = true;
    session->connection->alert_token[Side::client] = cdc.alert_token;
    links_.at(a.group).rmbs.assign_token(Side::client, cdc.alert_token, session->connection->id);
    use_cdc(a, *session, cdc);
    return true;
}

/// Whether the WRITE can be for such a connection: its cursor will tell.
bool LinkGroups::use_without_confirm(Arrival& a, const WaitingData::Write& waiting) {
    if (lacking_confirm(a, lacks_element) == nullptr) return false;
    a.history->contact_missing = true;
    const bool lost = links_.at(a.group).strays[a.from].keep(
        {a.link, waiting.rkey, waiting.address, waiting.write}, room_.most());
    if (lost) sessions_.leave_out_detail();
    return true;
}

/// The one connection whose latest WRITE ends where the message's producer cursor points, and of which
/// it could be the next message; 0 = none.
std::uint32_t LinkGroups::connection_meant(const Arrival& a, const wire::Cdc& cdc) {
    std::uint32_t meant = 0;
    for (const std::uint32_t id : youngest_connections(links_.at(a.group).group)) {
        const Session& candidate = sessions_.at(id);
        const Motion motion = candidate.flow[a.from].producer_motion(cdc.producer);
        if (candidate.sent[a.from].written_frame == 0 || motion.moved == 0 || !continues(candidate, a.from, cdc))
            continue;
        if (meant != 0) return 0;  // could be either
        meant = id;
    }
    return meant;
}

/// The connection to which a message belongs: the one that its token names, unless it can only be another one's.
Session& LinkGroups::session_of(const Arrival& a, const wire::Cdc& cdc, std::uint32_t named) {
    Session& session = midstream_.whole(a, cdc, sessions_.at(named));
    const bool moved = session.connection->from[a.from].failover_cdcs != 0 || cdc.flags.failover_validation;
    if (a.late || moved || !a.history->complete() || continues(session, a.from, cdc)) return session;
    if (why_not_announced(a)) return session;  // what it goes on with may be where nobody looks
    const std::uint32_t meant = connection_meant(a, cdc);
    if (meant == 0 || meant == session.connection->id) return session;
    transfer_rules_.on_wrong_token(a, sessions_.at(meant), *session.connection);
    return sessions_.at(meant);
}

/// Whether all that could announce data of an unknown connection has passed: nothing can be met out of order, and no
/// connection is being set up. What its sender sent before goes first, if it waits.
bool LinkGroups::sure_to_be_lost(const Arrival& a) {
    const LinkGroup& group = links_.at(a.group).group;
    if (!group.from_start || !a.one_interface || group.connections.empty()) return false;
    if (!room_.admitting() && room_.holds_data_of(a.group, a.from)) return false;
    const auto& confirm = sessions_.at(group.connections.back()).connection->setup.confirm;
    return confirm && confirm->interface == a.packet->interface;
}

/// Whether the CONFIRM of one of the youngest connections is missing: it names an RMB.
bool LinkGroups::awaits_confirm(std::uint32_t group) {
    return std::ranges::any_of(youngest_connections(links_.at(group).group), [&](std::uint32_t id) {
        return !sessions_.at(id).connection->setup.confirm;
    });
}

/// Why an RMB or a token that is not known may have been announced nevertheless.
std::optional<UndecidedReason> LinkGroups::why_not_announced(const Arrival& a) {
    if (room_.closed()) return UndecidedReason::capture_ended;
    if (a.history->contact_missing || awaits_confirm(a.group) || sessions_.any_without_group())
        return UndecidedReason::setup_not_captured;
    if (links_.at(a.group).llc_cut) return UndecidedReason::cut;
    if (a.history->all_gaps() != 0) return UndecidedReason::frames_missing;
    if (a.history->unheard_links != 0) return UndecidedReason::link_not_captured;
    if (model_.dropped_details != 0 || model_.dropped_connections != 0) return UndecidedReason::not_remembered;
    return std::nullopt;
}

/// Both sides had closed the connection: its RMB elements are another's, if what would tell whose may be missing.
bool LinkGroups::was_over(std::uint32_t connection, const Arrival& a) {
    if (connection == 0 || a.late) return false;
    const PerSide<Sent>& sent = sessions_.at(connection).sent;
    const auto closed = [&](Side side) {
        return sent[side].closed_frame != 0 && sent[side].closed_frame < a.packet->number;
    };
    return closed(Side::client) && closed(Side::server) && !sent[a.from].moves() && why_not_announced(a);
}

/// Nothing has announced the WRITE's RMB, or given its element to a connection.
void LinkGroups::give_up(const Arrival& a, const WaitingData::Write& waiting, const RmbTable::Target& target) {
    const auto why = why_not_announced(a);
    transfer_rules_.on_lost_write(a, why_lost(target.place), waiting.rkey, why);
    if (why && target.place == Place::unknown_rkey)  // a cursor may tell what nothing has announced
        links_.at(a.group).strays[a.from].keep({a.link, waiting.rkey, waiting.address, waiting.write});
    a.history->note_gap(a.from, a.packet->number);  // it is missing where it belongs
}

/// Nothing has given the message's token to a connection. `meant`: to which it seems to belong; 0 = not known.
void LinkGroups::on_lost_cdc(Arrival& a, const wire::Cdc& cdc, std::uint32_t meant) {
    Session* session = meant != 0 && continues(sessions_.at(meant), a.from, cdc) ? &sessions_.at(meant) : nullptr;
    const bool wrong = transfer_rules_.on_lost_cdc(a, cdc, session, why_not_announced(a));
    if (!wrong) session = midstream_.begin_connection(a, cdc);
    if (session != nullptr) use_cdc(a, *session, cdc);
    else a.history->note_gap(a.from, a.packet->number);  // it is missing where it belongs
}

// ---- what has waited -----------------------------------------------------------------------------

/// Data of a connection that is not known, of a group that was captured from its start.
template <class Content> void LinkGroups::use_or_hold(Arrival& a, Content content) {
    if (room_.holds_data()) room_.announce();  // what came before goes first
    else if (use_without_confirm(a, content)) return;
    if (room_.hold({a, std::move(content)})) sessions_.leave_out_detail();
}

void LinkGroups::hold(const capture::Packet& packet) {
    room_.hold(packet);
    if (packet.ib.opcode().operation != ib::Operation::send) return;
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.message = packet.ib.payload;
    facts.message_length = packet.ib.payload_length;
    if (wire::looks_like_cdc(facts.message, facts.message_length)) facts.what = FrameFacts::What::cdc;
    else if (wire::looks_like_llc(facts.message, facts.message_length)) facts.what = FrameFacts::What::llc;
    else return;
    tell(facts);
}

void LinkGroups::admit() {
    if (links_.consume_news()) room_.announce();
    if (room_.ready()) admit_waiting();
}

void LinkGroups::admit_waiting() {
    room_.admit(
        [&](const capture::Packet& packet, bool overdue) { return admit(packet, overdue); },
        [&](const WaitingData& data, bool overdue) { return settle(data, overdue); });
}

/// Whether the data need not wait any longer.
bool LinkGroups::settle(const WaitingData& data, bool overdue) {
    const capture::Packet packet = data.packet.packet();
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    Arrival a = data.arrival(packet, facts, links_.at(data.group).history);
    facts.link = link(a).number;
    facts.from = a.from;
    return std::visit([&](const auto& content) { return settle(a, content, overdue); }, data.content);
}

/// Between ACCEPT and CONFIRM a connection is known but cannot take data yet.
bool LinkGroups::takes_data(std::uint32_t connection) {
    if (connection == 0) return false;
    const Connection& c = *sessions_.at(connection).connection;
    return c.midstream || c.setup.confirm || c.alert_token[Side::client];
}

/// Whether what its sender sent before for the connection may still wait.
bool LinkGroups::is_behind_waiting(const Arrival& a, std::uint32_t connection) {
    return connection != 0 && room_.holds_data() && !takes_data(connection) && room_.holds_data_of(a.group, a.from);
}

/// What was sent before the connection began is another's, which had the token or RMB element then.
bool LinkGroups::began_later(std::uint32_t connection, const Arrival& a) {
    if (connection == 0) return false;
    const Connection& c = *sessions_.at(connection).connection;
    return !c.midstream && c.interface == a.packet->interface && c.first_time > a.packet->time;
}

/// Whether a WRITE was not for the connection that has its RMB element now. It may have waited while that was given
/// away.
bool LinkGroups::is_anothers(std::uint32_t connection, const Arrival& a) {
    return (room_.admitting() && began_later(connection, a)) || was_over(connection, a);
}

bool LinkGroups::settle(Arrival& a, const WaitingData::Write& waiting, bool overdue) {
    RmbTable::Target target = target_of(a, waiting.rkey, waiting.address);
    if (is_anothers(target.connection, a)) target.connection = 0;
    if (target.connection == 0 && use_without_confirm(a, waiting)) return true;
    if (!takes_data(target.connection) && !overdue) return false;
    if (target.connection != 0) use_write(a, target.connection, waiting.write.at(target.offset));
    else give_up(a, waiting, target);
    return true;
}

bool LinkGroups::settle(Arrival& a, const WaitingData::Cdc& waiting, bool overdue) {
    const wire::Cdc& cdc = waiting.message;
    std::uint32_t connection = connection_of_token(a, cdc.alert_token);
    if (began_later(connection, a)) connection = 0;
    if (connection == 0 && use_without_confirm(a, waiting)) return true;
    if (!takes_data(connection) && !overdue) return false;
    if (connection != 0) use_cdc(a, sessions_.at(connection), cdc);
    else on_lost_cdc(a, cdc, room_.closed() ? 0 : waiting.meant);
    return true;
}

// ---- the end -------------------------------------------------------------------------------------

namespace {

/// Whether the group would have been heard until TCP ended: an interface by which only the group came may have ended
/// before.
bool is_heard_to_tcps_end(const LinkGroup& group, const Connection& connection) {
    const auto reaches_end = [&](const Link& link) {
        return link.interface == connection.interface ||
               std::max(link.heard[Side::client], link.heard[Side::server]) >= connection.end;
    };
    return !connection.end || std::ranges::any_of(group.links, reaches_end);
}

}  // namespace

Seen LinkGroups::seen(const Session& session) {
    Seen result{.setup = session.setup_seen};
    const std::uint32_t id = session.connection->link_group;
    if (id == 0) return result;
    const TrackedGroup& tracked = links_.at(id);
    for (const Side side : {Side::client, Side::server}) result.side[side] = is_heard(tracked.group, side);
    result.to_tcps_end = is_heard_to_tcps_end(tracked.group, *session.connection);
    const bool from_start = tracked.group.from_start && !tracked.history.contact_missing;
    result.link = from_start && tracked.history.complete() && result.side[Side::client] && result.side[Side::server];
    for (const Side side : {Side::client, Side::server}) {
        const Sent& sent = session.sent[side];
        const bool spoke = sent.frame != 0;
        const bool whole = sent.gaps == tracked.history.gaps[side] && tracked.history.unheard_links == 0;
        result.last_message[side] = spoke ? whole : result.link;
    }
    result.heard_until = std::min(last_heard(tracked.group, Side::client), last_heard(tracked.group, Side::server));
    return result;
}

namespace {

/// Whether a DELETE LINK may be about the link: which one it names was cut off, or it names one of which nothing has
/// told the number, as nothing has of this one.
bool may_be_deleted(const LinkGroup& group, const Link& link) {
    return std::ranges::any_of(group.exchanges, [&](const LlcExchange& exchange) {
        const LinkChange& change = exchange.change;
        if (exchange.type != wire::LlcType::delete_link) return false;
        if (!change.all && change.link.value_or(0) == 0) return true;
        return !link.number && (change.all || link_numbered(group, *change.link) == nullptr);
    });
}

/// Whether a side was silent for so long that it does not matter how far the clocks of two interfaces differ.
bool was_silent(const Link& link) {
    const auto silence = [&](Side of) { return link.repeated[other(of)].last.time - link.heard[of].value_or(0); };
    return std::max(silence(Side::client), silence(Side::server)) > capture::second;
}

/// Whether requests on the link stayed without an answer at the end: of whom nothing at all was captured, the answers
/// may have been missed.
bool is_unanswered(const LinkGroup& group, const Link& link, const QueuePairs& pairs, bool mixed) {
    const bool both_heard = link.is_heard(Side::client) && link.is_heard(Side::server);
    return both_heard && pairs.unanswered() && (!mixed || was_silent(link)) && !may_be_deleted(group, link);
}

}  // namespace

void LinkGroups::finish() {
    room_.close();
    admit();
    link_rules_.finish(now_);
    for (LinkGroup& group : model_.link_groups) {
        link_rules_.finish(links_.at(group.id).history);
        const TrackedGroup& tracked = links_.at(group.id);
        llc_.finish(tracked);
        for (std::uint32_t i = 0; i < group.links.size(); ++i)
            if (is_unanswered(group, group.links[i], *tracked.queue_pairs[i], tracked.history.mixed(i)))
                happen(group.links[i], LinkEvent::unanswered);
        for (const std::uint32_t id : group.connections) {
            Connection& connection = *sessions_.at(id).connection;
            if (!connection.version) connection.version = group.version;
            if (!connection.release && connection.version == group.version) connection.release = group.release;
        }
    }
}

}  // namespace fabricscope::engine::smcr
