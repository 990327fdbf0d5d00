// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/assemblies.h"

#include <algorithm>

namespace fabricscope::plugin {

void Assemblies::add(std::uint64_t message, std::uint32_t frame, std::uint64_t offset, ByteView octets) {
    if (octets.empty()) return;
    Assembly& assembly = assemblies_[message];
    const std::uint64_t end = offset + octets.size();
    const std::uint64_t growth = end - std::min<std::uint64_t>(end, assembly.octets.size());
    if (end > most_octets_of_one || octets_ + growth > most_octets) {
        octets_ -= assembly.octets.size();
        assembly = {};
        return;
    }
    octets_ += growth;
    if (growth != 0) assembly.octets.resize(end);
    std::ranges::copy(octets, assembly.octets.begin() + static_cast<std::ptrdiff_t>(offset));
    assembly.pieces.push_back({frame, offset, static_cast<std::uint32_t>(octets.size())});
}

bool Assemblies::complete(std::uint64_t message, std::uint32_t frame) {
    const auto found = assemblies_.find(message);
    if (found == assemblies_.end() || found->second.complete_in != 0) return false;
    found->second.complete_in = frame;
    return true;
}

const Assembly* Assemblies::find(std::uint64_t message) const {
    const auto found = assemblies_.find(message);
    return found == assemblies_.end() || found->second.pieces.empty() ? nullptr : &found->second;
}

}  // namespace fabricscope::plugin
