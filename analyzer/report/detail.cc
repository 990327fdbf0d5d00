// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/detail.h"

#include <algorithm>

namespace fabricscope::report {
namespace {

constexpr std::uint64_t most_octets = std::uint64_t{256} << 20;  // of one session

}  // namespace

std::size_t Detail::memory(const std::string& title) {
    const auto place = std::ranges::find(memories, title);
    if (place != memories.end()) return static_cast<std::size_t>(place - memories.begin());
    memories.push_back(title);
    return memories.size() - 1;
}

void Detail::move(MovedOctets&& octets) {
    if (octets.octets.empty()) return;
    if (kept_ + octets.octets.size() > most_octets) {
        left_out += octets.octets.size();
        return;
    }
    kept_ += octets.octets.size();
    moved.push_back(std::move(octets));
}

std::vector<KnownOctet> octets_at(
    const Detail& detail, const std::string& memory, engine::Time time, std::uint64_t address, std::size_t count) {
    std::vector<KnownOctet> known(count);
    const auto place = std::ranges::find(detail.memories, memory);
    if (place == detail.memories.end()) return known;
    const auto index = static_cast<std::size_t>(place - detail.memories.begin());
    for (const MovedOctets& each : detail.moved) {
        if (each.time > time) break;
        if (each.memory != index) continue;
        const std::uint64_t begin = std::max(each.address, address);
        const std::uint64_t end = std::min(each.address + each.octets.size(), address + count);
        for (std::uint64_t at = begin; at < end; ++at)
            known[at - address] = {each.octets[at - each.address], each.frame};
    }
    return known;
}

Memory accesses_of(const Detail& detail, const std::string& memory) {
    Memory accesses{.title = memory, .size = {}, .accesses = {}};
    for (const MovedOctets& each : detail.moved)
        if (detail.memories[each.memory] == memory)
            accesses.accesses.push_back(
                {.begin = each.time,
                 .end = each.time,
                 .address = each.address,
                 .octets = each.octets.size(),
                 .frame = each.frame,
                 .writes = each.writes,
                 .by = {}});
    return accesses;
}

}  // namespace fabricscope::report
