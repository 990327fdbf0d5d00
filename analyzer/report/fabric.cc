// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fabric.h"

#include <algorithm>

#include "analyzer/report/protocol.h"

namespace fabricscope::report {

LinkCondition condition_of(const FabricLink& link, std::optional<engine::Time> time) {
    LinkCondition condition;
    const auto is_up = [](const LinkEvent& event) { return event.kind == LinkEvent::Kind::up; };
    // Before it comes up there is none.
    condition.is_up = link.packets != 0 && std::ranges::none_of(link.events, is_up);
    for (const LinkEvent& event : link.events) {
        if (time && event.time > *time) break;
        switch (event.kind) {
            case LinkEvent::Kind::up: condition.is_up = true; break;
            case LinkEvent::Kind::down: condition.is_up = false; break;
            case LinkEvent::Kind::retransmission: condition.retransmitted += event.count; break;
            case LinkEvent::Kind::failure: ++condition.failures; break;
        }
    }
    return condition;
}

std::size_t Fabric::port(const engine::Address& address, const std::string& host) {
    const auto [port, is_new] = ports_by_address_.try_emplace(address, ports.size());
    if (!is_new) return port->second;
    const std::string name = host.empty() ? to_string(address) : host;
    const auto [place, is_new_host] = hosts_by_name_.try_emplace(name, hosts.size());
    if (is_new_host) hosts.push_back(name);
    ports.push_back({place->second, address});
    return port->second;
}

FabricLink& Fabric::add(FabricLink link) {
    FabricLink& added = links.emplace_back(std::move(link));
    links_by_ends_[std::minmax(added.ends[0], added.ends[1])] = &added;
    return added;
}

FabricLink* Fabric::between(const LinkEnd& one, const LinkEnd& other) {
    const auto link = links_by_ends_.find(std::minmax(one, other));
    return link != links_by_ends_.end() ? link->second : nullptr;
}

Fabric fabric_of(const engine::Models& models) {
    Fabric fabric;
    for (const ProtocolReport* report : protocol_reports())
        if (report->fabric != nullptr && report->is_there(models)) report->fabric(models, fabric);
    for (FabricLink& link : fabric.links) std::ranges::stable_sort(link.events, {}, &LinkEvent::time);
    return fabric;
}

}  // namespace fabricscope::report
