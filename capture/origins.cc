// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/origins.h"

namespace fabricscope::capture {
namespace {

constexpr std::uint16_t not_added = 0xFFFF;

}  // namespace

void Origins::add(const Frame& frame) {
    if (sources_.size() < frame.number) sources_.resize(frame.number, not_added);
    sources_[frame.number - 1] = static_cast<std::uint16_t>(frame.origin.source);
}

std::map<std::uint64_t, Origin> Origins::of(const std::set<std::uint64_t>& frames) const {
    std::map<std::uint64_t, Origin> found;
    std::map<std::uint16_t, std::uint64_t> seen;  // frames of each source so far
    std::uint64_t number = 1;
    for (const std::uint64_t frame : frames) {
        if (frame == 0 || frame > sources_.size()) continue;
        for (; number <= frame; ++number) ++seen[sources_[number - 1]];
        const std::uint16_t source = sources_[frame - 1];
        if (source != not_added) found[frame] = {source, seen[source]};
    }
    return found;
}

}  // namespace fabricscope::capture
