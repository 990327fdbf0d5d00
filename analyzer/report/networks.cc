// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/networks.h"

#include <fmt/format.h>

#include <set>

#include "analyzer/engine/disjoint_sets.h"

namespace fabricscope::report {

std::vector<std::string> strangers(
    const Fabric& fabric, const capture::Origins& origins, const std::vector<std::string>& files) {
    std::set<std::uint64_t> frames;
    for (const FabricLink& link : fabric.links) frames.insert(link.first_frame);
    const auto places = origins.of(frames);
    engine::DisjointSets networks(files.size() + fabric.hosts.size());  // files come first
    const auto host_at = [&](const LinkEnd& end) { return files.size() + fabric.ports[end.port].host; };
    std::set<std::size_t> with_links;
    for (const FabricLink& link : fabric.links) {
        networks.unite(host_at(link.ends[0]), host_at(link.ends[1]));
        const auto place = places.find(link.first_frame);
        if (place == places.end()) continue;
        networks.unite(place->second.source, host_at(link.ends[0]));
        with_links.insert(place->second.source);
    }
    std::vector<std::string> sentences;
    for (const std::size_t file : with_links)
        if (networks.root_of(file) != networks.root_of(*with_links.begin()))
            sentences.push_back(fmt::format(
                "{} has no host in common with {}: if they have nothing to do with each other, --each reports each by "
                "itself",
                files[file], files[*with_links.begin()]));
    return sentences;
}

}  // namespace fabricscope::report
