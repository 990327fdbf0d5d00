// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_table.h"

#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr {

void TrackedGroup::swap_sides() {
    for (Link& link : group.links) {
        link.end.swap_sides(), link.heard.swap_sides(), link.repeated.swap_sides();
        link.offered_mtu.swap_sides();
    }
    for (Rmb& rmb : group.rmbs) rmb.owner = other(rmb.owner);
    for (LlcExchange& exchange : group.exchanges) exchange.from = other(exchange.from);
    for (const auto& pairs : queue_pairs) pairs->swap_sides();
    history.swap_sides();
    rmbs.swap_sides();
    offers.swap_sides();
    continued_rmb.swap_sides();
    no_eye_catcher.swap_sides();
    address.swap_sides();
    strays.swap_sides();
}

LinkTable::LinkTable(const Options& options, Model& model, Sessions& sessions)
    : options_(options), model_(model), sessions_(sessions), rmb_budget_(options.limits, model.dropped_details) {}

void TrackedGroup::count_unheard_links() {
    const auto first_added = group.links.begin() + (group.links.empty() ? 0 : 1);
    const auto unheard = [&](const Link& link) { return is_unheard(group, link); };
    history.unheard_links = static_cast<std::uint32_t>(std::count_if(first_added, group.links.end(), unheard));
}

std::optional<std::uint32_t> LinkTable::create_group() {
    if (model_.link_groups.size() >= options_.limits.link_groups) {
        ++model_.dropped_link_groups;
        return std::nullopt;
    }
    LinkGroup& group = model_.link_groups.emplace_back();
    group.id = static_cast<std::uint32_t>(model_.link_groups.size());
    group.cursor_base = options_.cursor_base;
    by_id_.push_back(&groups_.emplace_back(group, rmb_budget_));
    return group.id;
}

std::optional<std::uint32_t> LinkTable::create_link(TrackedGroup& of) {
    auto& links = of.group.links;
    if (links.size() >= options_.limits.links_per_group || links_ >= options_.limits.links) {
        ++model_.dropped_details;
        return std::nullopt;
    }
    ++links_;
    links.emplace_back();
    of.queue_pairs.push_back(std::make_unique<QueuePairs>());
    return static_cast<std::uint32_t>(links.size() - 1);
}

std::optional<std::uint32_t> LinkTable::by_number(const LinkGroup& group, std::uint8_t number) {
    const Link* found = link_numbered(group, number);
    return found == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - group.links.data()));
}

void LinkTable::bind(const QueuePairRef& end) {
    const LinkEndpoint& endpoint = at(end.group).group.links[end.link].end[end.side];
    if (!endpoint.gid || !endpoint.qpn) return;
    QueuePairRef& known = ends_[{Address::of(*endpoint.gid), *endpoint.qpn}];
    news_ |= known != end;
    known = end;
}

const QueuePairRef* LinkTable::find(const Address& port, std::uint32_t qpn) const {
    const QueuePairRef* end = ends_.find({port, qpn});
    return end != nullptr && end->group != 0 ? end : nullptr;
}

void LinkTable::release(const Address& port, std::uint32_t qpn) {
    if (find(port, qpn) != nullptr) ends_[{port, qpn}] = {};
}

void LinkTable::release_link(QueuePairRef end) {
    const Link& link = at(end.group).group.links[end.link];
    for (const LinkEndpoint& one : link.end.values) {
        if (!one.gid || !one.qpn) continue;
        const QueuePairRef* known = find(Address::of(*one.gid), *one.qpn);
        if (known != nullptr && known->group == end.group && known->link == end.link)
            release(Address::of(*one.gid), *one.qpn);
    }
}

void LinkTable::release_older(const Gid& gid, std::uint32_t qpn, std::uint32_t initial_psn) {
    const QueuePairRef* known = find(Address::of(gid), qpn);
    if (known == nullptr) return;
    const auto& begun = at(known->group).group.links[known->link].end[known->side].initial_psn;
    if (begun && *begun != initial_psn) release_link(*known);
}

std::optional<QueuePairRef> LinkTable::first_contact(const Gid& gid, std::uint32_t qpn) {
    const auto id = create_group();
    if (!id) return std::nullopt;
    TrackedGroup& made = at(*id);
    const auto index = create_link(made);
    if (!index) return std::nullopt;
    LinkEndpoint& end = made.group.links[*index].end[Side::server];
    end.gid = gid;
    end.qpn = qpn;
    const QueuePairRef server{*id, *index, Side::server};
    bind(server);
    return server;
}

namespace {

constexpr std::size_t most_in_the_making = 8;  // link groups at a time

/// Whether the packet has the PSN of the server's first one, on a link that nothing has been sent on.
bool may_begin(const Link& link, const capture::Packet& packet) {
    const LinkEndpoint& server = link.end[Side::server];
    return link.packets == 0 && server.gid && server.initial_psn == packet.ib.bth.psn;
}

/// The server's queue pair, if the packet is a CONFIRM LINK request.
std::optional<std::uint32_t> confirming_qpn(const capture::Packet& packet) {
    if (!begins_link(packet)) return std::nullopt;
    const wire::LlcMessage message = wire::parse_llc(packet.ib.payload, packet.ib.payload_length);
    const auto* request = std::get_if<wire::ConfirmLink>(&message.body);
    if (request == nullptr || message.error || request->reply) return std::nullopt;
    return request->qpn;
}

/// The side of the link whose GID or queue pair is not the announced one, or was not captured, if this is the link's
/// CONFIRM LINK request; what else was announced fits.
std::optional<Side> misnamed_side(const Link& link, const capture::Packet& packet) {
    const auto& [client, server] = link.end.values;
    // Of a packet that waits this is asked again and again: what costs little comes first.
    if (!may_begin(link, packet) || server.qpn != confirming_qpn(packet)) return std::nullopt;
    const bool from_server = Address::of(*server.gid) == packet.source;
    if (!client.gid) return from_server ? std::optional(Side::client) : std::nullopt;
    const bool to_client = Address::of(*client.gid) == packet.destination;
    const bool to_its_pair = client.qpn == packet.ib.bth.destination_qpn;
    if (from_server + to_client + to_its_pair != 2) return std::nullopt;
    return from_server ? Side::client : Side::server;
}

}  // namespace

bool LinkTable::lost_confirm(const TrackedGroup& tracked, const capture::Packet& packet) const {
    if (tracked.first_connection == 0) return false;
    const Setup& setup = sessions_.at(tracked.first_connection).connection->setup;
    return !setup.confirm && setup.accept && setup.hears_both() && setup.accept->interface == packet.interface;
}

std::optional<QueuePairRef> LinkTable::misnamed(const capture::Packet& packet) const {
    for (std::size_t id = by_id_.size(); id > 0 && id + most_in_the_making > by_id_.size(); --id) {
        const TrackedGroup& tracked = *by_id_[id - 1];
        const auto& links = tracked.group.links;
        if (!tracked.group.from_start) continue;
        for (std::uint32_t i = 0; i < links.size(); ++i) {
            const auto side = misnamed_side(links[i], packet);
            if (side && (links[i].end[*side].gid || lost_confirm(tracked, packet)))
                return QueuePairRef{static_cast<std::uint32_t>(id), i, *side};
        }
    }
    return std::nullopt;
}

namespace {

bool goes_over(const RefusedLink& link, const capture::Packet& packet) {
    const LinkEndpoint &server = link.offer.end, &client = link.refusal.end;
    return server.gid && client.gid && client.qpn == packet.ib.bth.destination_qpn &&
           Address::of(*client.gid) == packet.destination && Address::of(*server.gid) == packet.source;
}

}  // namespace

std::optional<std::uint32_t> LinkTable::refused(const capture::Packet& packet) const {
    for (std::size_t id = by_id_.size(); id > 0 && id + most_in_the_making > by_id_.size(); --id) {
        const auto& link = by_id_[id - 1]->offers.refused;
        if (link && goes_over(*link, packet) && confirming_qpn(packet) == link->offer.end.qpn)
            return static_cast<std::uint32_t>(id);
    }
    return std::nullopt;
}

namespace {

/// The end of one of the group's links at this port whose queue pair nothing has named, and on which it has announced
/// the RMB.
std::optional<QueuePairRef> announcer(
    const TrackedGroup& tracked, const Gid& gid, std::uint32_t rkey, std::uint64_t address) {
    const auto& links = tracked.group.links;
    for (std::uint32_t i = 0; i < links.size(); ++i)
        for (const Side side : {Side::client, Side::server}) {
            const auto* known = tracked.history.rtokens[side].find(i, rkey);
            const LinkEndpoint& end = links[i].end[side];
            const bool is_it = known != nullptr && known->address == address && !end.qpn && end.gid == gid;
            if (is_it && !tracked.group.rmbs[known->rmb].deleted()) return QueuePairRef{tracked.group.id, i, side};
        }
    return std::nullopt;
}

}  // namespace

void LinkTable::name_by_rmb(const Gid& gid, std::uint32_t qpn, std::uint32_t rkey, std::uint64_t address) {
    constexpr std::size_t most_looked_at = 256;  // the youngest
    if (find(Address::of(gid), qpn) != nullptr) return;
    std::optional<QueuePairRef> match;
    for (std::size_t id = by_id_.size(); id > 0 && id + most_looked_at > by_id_.size(); --id) {
        const TrackedGroup& tracked = *by_id_[id - 1];
        const auto end = tracked.group.from_start ? std::nullopt : announcer(tracked, gid, rkey, address);
        if (end && match) return;  // could be either
        if (end) match = end;
    }
    if (!match) return;
    at(match->group).group.links[match->link].end[match->side].qpn = qpn;
    bind(*match);
}

std::optional<QueuePairRef> LinkTable::subsequent_contact(
    std::uint32_t id, const Gid& gid, std::uint32_t qpn, Side side) {
    if (const QueuePairRef* known = find(Address::of(gid), qpn); known != nullptr && (id == 0 || known->group == id)) {
        orient(at(known->group), known->side, side);
        return *find(Address::of(gid), qpn);
    }
    if (id == 0) {
        const auto created = create_group();
        if (!created) return std::nullopt;
        id = *created;
        at(id).began_before();
    }
    TrackedGroup& of = at(id);
    auto& links = of.group.links;
    const auto open_end = std::ranges::find_if(links, [&](const Link& link) { return !link.end[side].qpn; });
    const auto index = open_end != links.end() ? std::optional(static_cast<std::uint32_t>(open_end - links.begin()))
                                               : create_link(of);
    if (!index) return std::nullopt;
    Link& link = links[*index];
    link.end[side].gid = gid;
    link.end[side].qpn = qpn;
    happen(link, LinkEvent::met_in_use);
    const QueuePairRef end{id, *index, side};
    bind(end);
    return end;
}

bool LinkTable::orient(TrackedGroup& of, Side found, Side wanted) {
    LinkGroup& group = of.group;
    if (group.roles_known) return false;
    group.roles_known = true;
    if (found == wanted) return false;
    group.turned = true;
    of.swap_sides();
    for (std::uint32_t i = 0; i < group.links.size(); ++i)
        for (const Side side : {Side::client, Side::server}) bind({group.id, i, side});
    for (const std::uint32_t connection : group.connections) sessions_.swap_sides(sessions_.at(connection));
    return true;
}

void LinkTable::set_base(LinkGroup& group, std::uint8_t base) {
    if (!group.cursor_base) group.cursor_base = base;
    for (const std::uint32_t connection : group.connections)
        sessions_.set_base(sessions_.at(connection), *group.cursor_base);
}

}  // namespace fabricscope::engine::smcr
