// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/fabric_model.h"

#include <algorithm>
#include <map>

#include "analyzer/report/units.h"

namespace fabricscope::viewer {

std::vector<Bundle> bundles_of(const report::Fabric& fabric) {
    constexpr std::size_t most_lines = 6;
    std::map<std::array<std::size_t, 2>, std::vector<const report::FabricLink*>> by_ports;
    for (const report::FabricLink& link : fabric.links) {
        const auto [low, high] = std::minmax(link.ends[0].port, link.ends[1].port);
        by_ports[{low, high}].push_back(&link);
    }
    std::vector<Bundle> bundles;
    for (const auto& [ports, links] : by_ports) {
        if (links.size() > most_lines) {
            bundles.push_back({links, ports, 0, 1});
            continue;
        }
        for (std::size_t i = 0; i < links.size(); ++i) bundles.push_back({{links[i]}, ports, i, links.size()});
    }
    return bundles;
}

BundleState state_of(const Bundle& bundle, std::optional<engine::Time> time) {
    BundleState sum;
    for (const report::FabricLink* link : bundle.links) {
        const report::LinkCondition state = report::condition_of(*link, time);
        sum.up += state.is_up ? 1 : 0;
        sum.packets += link->packets;
        sum.retransmitted += state.retransmitted;
        sum.failures += state.failures;
        sum.cnps += link->cnps;
    }
    return sum;
}

std::string name_of(const Bundle& bundle) {
    if (bundle.links.size() > 1) return report::counted(bundle.links.size(), "link");
    const report::FabricLink& link = *bundle.links.front();
    return link.group.empty() ? link.name : link.group + " " + link.name;
}

}  // namespace fabricscope::viewer
