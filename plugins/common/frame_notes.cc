// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/frame_notes.h"

#include <algorithm>

namespace fabricscope::plugin {

void FrameNotes::note_time(std::uint64_t frame, capture::Time time) {
    if (time < latest_) late_.push_back(frame);
    latest_ = std::max(latest_, time);
}

/// Only the frame that broke the rule in the end.
std::uint64_t FrameNotes::note_finding(const engine::Finding& finding) {
    if (finding.frames.empty()) return 0;
    broken_[finding.frames.back()].push_back({finding.rule, finding.text});
    return finding.frames.back();
}

std::uint64_t FrameNotes::original(std::uint64_t frame) const {
    if (originals_.empty()) return frame;
    const std::uint64_t original = lookup(originals_, frame);
    return original != 0 ? original : frame;
}

bool FrameNotes::is_late(std::uint64_t frame) const { return std::ranges::binary_search(late_, frame); }

std::span<const FrameNotes::Broken> FrameNotes::broken_rules(std::uint64_t frame) const {
    const auto found = broken_.find(frame);
    return found != broken_.end() ? std::span<const Broken>(found->second) : std::span<const Broken>();
}

std::uint64_t FrameNotes::lookup(const FrameMap& map, std::uint64_t frame) {
    const auto found = map.find(frame);
    return found != map.end() ? found->second : 0;
}

}  // namespace fabricscope::plugin
