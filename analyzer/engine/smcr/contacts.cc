// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/contacts.h"

#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr {

namespace {

void note_group_facts(LinkGroup& group, Side side, const wire::SmcrAcceptConfirm& message) {
    group.peer_id[side] = message.body.peer_id;
    if (!group.version) group.version = message.body.version;
    if (message.v2) group.eid = printable_text(message.v2->eid.text.octets);
    if (message.first_contact) {
        group.hostname[side] = printable_text(message.first_contact->hostname.octets);
        group.release = message.first_contact->release;
    }
}

}  // namespace

void Contacts::judge_contact(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body) {
    const QueuePairRef* end = links_.find(Address::of(body.gid), body.qpn);
    const auto known = end != nullptr ? std::optional(LinkRef{end->group, end->link, end->side}) : std::nullopt;
    setup_rules_.contact.on_contact(a, body, known);
}

void Contacts::join(Connection& connection, LinkGroup& group) {
    connection.link_group = group.id;
    group.connections.push_back(connection.id);
}

void Contacts::on_accept(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
    Connection& connection = *session.connection;
    const wire::SmcrAcceptConfirmBody& body = message.body;
    judge_contact(a, body);
    if (!body.first_contact) links_.name_by_rmb(body.gid, body.qpn, body.rkey, body.rmb_address);
    const std::uint32_t known = connection.link_group;  // CONFIRM may have been met before
    const auto end = body.first_contact && known == 0
                         ? links_.first_contact(body.gid, body.qpn)
                         : links_.subsequent_contact(known, body.gid, body.qpn, Side::server);
    if (!end || end->side != Side::server) return;
    TrackedGroup& tracked = links_.at(end->group);
    if (known == 0) join(connection, tracked.group);
    if (body.first_contact) tracked.first_connection = connection.id;
    adopt(session, Side::server, message, *end, a);
    if (!connection.release) connection.release = tracked.group.release;
}

bool Contacts::on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
    Connection& connection = *session.connection;
    const wire::SmcrAcceptConfirmBody& body = message.body;
    judge_contact(a, body);
    if (connection.link_group == 0) links_.name_by_rmb(body.gid, body.qpn, body.rkey, body.rmb_address);
    // The ACCEPT is missing that would have made the group.
    if (connection.link_group == 0 && body.first_contact && a.psn_captured)
        links_.release_older(body.gid, body.qpn, body.initial_psn);
    // The server may name another link of the group than the client; but a new group has only one.
    const auto end = links_.subsequent_contact(connection.link_group, body.gid, body.qpn, Side::client);
    if (!end || end->side != Side::client) return false;
    LinkGroup& group = links_.at(end->group).group;
    if (connection.link_group == 0) join(connection, group);
    if (connection.first_contact.value_or(false)) happen(group.links[end->link], LinkEvent::negotiated);
    adopt(session, Side::client, message, *end, a);
    sessions_.open(session, group.cursor_base);
    if (!connection.element[Side::server]) links_.at(end->group).history.contact_missing = true;
    return true;
}

/// From now on `side` receives data of the connection as the message says.
void Contacts::adopt(
    Session& session, Side side, const wire::SmcrAcceptConfirm& message, QueuePairRef end, const TcpArrival& a) {
    Connection& connection = *session.connection;
    TrackedGroup& tracked = links_.at(end.group);
    const wire::SmcrAcceptConfirmBody& body = message.body;
    if (connection.first_contact == false)
        link_rules_.on_contact({connection.id, end.group, end.link, side, body.rkey, a.step}, tracked.history);
    Link& link = tracked.group.links[end.link];
    link.end[side].mac = body.mac;
    if (connection.first_contact.value_or(false)) {
        if (a.psn_captured) link.end[side].initial_psn = body.initial_psn;
        const std::uint32_t mtu = wire::mtu_octets(body.mtu);
        if (mtu != 0) {
            link.offered_mtu[side] = static_cast<std::uint16_t>(mtu);
            if (const std::uint32_t other_mtu = link.offered_mtu[other(side)]; other_mtu != 0)
                link.mtu = std::min(mtu, other_mtu);
        }
    }
    note_group_facts(tracked.group, side, message);
    links_.note_news();
    connection.alert_token[side] = body.alert_token;
    tracked.rmbs.assign_token(side, body.alert_token, connection.id);
    const std::uint64_t size = wire::buffer_size(body.buffer_size);
    session.flow[other(side)].set_size(size);
    const auto rmb = tracked.rmbs.announce(side, {end.link, body.rkey, body.rmb_address}, a.step.frame);
    if (!rmb) return;
    Rmb& taken = tracked.group.rmbs[*rmb];
    setup_rules_.contact.on_rmb(a, taken, size);
    taken.element_size = size;
    const RmbElement element{*rmb, body.rmb_index};
    connection.element[side] = element;
    const std::uint32_t before = tracked.rmbs.assign(element, connection.id);
    session.sent[other(side)].element_reused = before != 0;
    setup_rules_.contact.on_element(a, body, before, tracked.history, end.link);
}

void Contacts::on_decline(Session& session) {
    Connection& connection = *session.connection;
    if (connection.link_group == 0 || links_.at(connection.link_group).first_connection != connection.id) return;
    LinkGroup& declined = links_.at(connection.link_group).group;
    for (Link& link : declined.links) happen(link, LinkEvent::declined);
    if (connection.setup.confirm) return;
    // Declined instead of CONFIRM: there never was a group.
    std::erase(declined.connections, connection.id);
    connection.link_group = 0;
}

}  // namespace fabricscope::engine::smcr
