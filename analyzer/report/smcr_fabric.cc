// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// As a connection of the group names it, else as the group itself does; empty if neither is known.
std::string host_in(const LinkGroup& group, const Model& model, Side side) {
    for (const std::uint32_t id : group.connections) {
        const Connection& connection = model.connections[id - 1];
        if (const auto& end = side == Side::client ? connection.client : connection.server)
            return to_string(end->address);
    }
    return group.hostname[side];
}

/// When a link came up and went, as LLC tells it. Numbers are given again: `before` links had this one's.
void add_llc_events(FabricLink& drawn, const LinkGroup& group, const Link& link, std::ptrdiff_t before) {
    std::ptrdiff_t confirmed = 0;
    for (const LlcExchange& exchange : group.exchanges) {
        if (exchange.refused) continue;
        const FrameStamp& last = exchange.reply ? *exchange.reply : exchange.request;
        const bool confirms = exchange.type == wire::LlcType::confirm_link && exchange.reply &&
                              exchange.link == link.number;
        if (confirms && confirmed++ == before) drawn.events.push_back({last.time, LinkEvent::Kind::up, last.frame});
        if (before != 0 && confirmed <= before) continue;
        if (confirmed > before + 1) return;
        const bool about_it = exchange.change.all || exchange.change.link == link.number;
        if (exchange.type == wire::LlcType::delete_link && about_it && last.frame != 0)
            drawn.events.push_back({last.time, LinkEvent::Kind::down, last.frame});
    }
}

/// No link of a group whose first contact was captured is older than the first message that it carried.
void add_beginning(FabricLink& drawn, const LinkGroup& group, const Link& link) {
    const auto is_up = [](const LinkEvent& event) { return event.kind == LinkEvent::Kind::up; };
    if (!group.from_start || std::ranges::any_of(drawn.events, is_up)) return;
    const auto first = std::ranges::find(group.exchanges, link.number, &LlcExchange::link);
    if (first != group.exchanges.end())
        drawn.events.push_back({first->request.time, LinkEvent::Kind::up, first->request.frame});
}

void add_failure(FabricLink& drawn, const Link& link) {
    const Time last = std::max(link.heard[Side::client], link.heard[Side::server]).value_or(0);
    if (link.state != LinkState::failed || last == 0) return;
    drawn.events.push_back({last, LinkEvent::Kind::failure, 0});
    drawn.events.push_back({last, LinkEvent::Kind::down, 0});
}

}  // namespace

void smcr_fabric(const engine::Models& models, Fabric& fabric) {
    const Model& model = *models.smcr;
    for (const LinkGroup& group : model.link_groups) {
        if (!came_to_be(group)) continue;
        for (const Link& link : group.links) {
            if (!link.is_seen() || !link.end[Side::client].gid || !link.end[Side::server].gid) continue;
            FabricLink drawn{.name = "link", .session = link_group_name(group.id), .group = link_group_name(group.id)};
            if (link.number) drawn.name += " " + std::to_string(*link.number);
            for (const Side side : {Side::client, Side::server})
                drawn.ends[static_cast<std::size_t>(side)] = {
                    fabric.port(Address::of(*link.end[side].gid), host_in(group, model, side)), link.end[side].qpn};
            drawn.first_frame = link.first_frame;
            drawn.packets = link.packets;
            const auto before = std::count_if(
                group.links.data(), &link, [&](const Link& other) { return other.number == link.number; });
            add_llc_events(drawn, group, link, before);
            if (before == 0) add_beginning(drawn, group, link);
            add_failure(drawn, link);
            fabric.add(std::move(drawn));
        }
    }
}

}  // namespace fabricscope::report
