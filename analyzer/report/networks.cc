// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/networks.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

namespace fabricscope::report {
namespace {

/// Sets that grow together.
class Networks {
public:
    explicit Networks(std::size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0U); }

    std::size_t of(std::size_t member) {
        while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
        return member;
    }
    void join(std::size_t a, std::size_t b) { parent_[of(a)] = of(b); }

private:
    std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<std::string> strangers(
    const Fabric& fabric, const capture::Origins& origins, const std::vector<std::string>& files) {
    std::set<std::uint64_t> frames;
    for (const FabricLink& link : fabric.links) frames.insert(link.first_frame);
    const auto places = origins.of(frames);
    Networks networks(files.size() + fabric.hosts.size());  // files come first
    const auto host_at = [&](const LinkEnd& end) { return files.size() + fabric.ports[end.port].host; };
    std::set<std::size_t> with_links;
    for (const FabricLink& link : fabric.links) {
        networks.join(host_at(link.ends[0]), host_at(link.ends[1]));
        const auto place = places.find(link.first_frame);
        if (place == places.end()) continue;
        networks.join(place->second.source, host_at(link.ends[0]));
        with_links.insert(place->second.source);
    }
    std::vector<std::string> sentences;
    for (const std::size_t file : with_links)
        if (networks.of(file) != networks.of(*with_links.begin()))
            sentences.push_back(fmt::format(
                "{} has no host in common with {}: if they have nothing to do with each other, --each reports each by "
                "itself",
                files[file], files[*with_links.begin()]));
    return sentences;
}

}  // namespace fabricscope::report
