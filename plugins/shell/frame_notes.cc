// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/frame_notes.h"

#include <utility>

#include "plugins/shell/frame_list.h"

namespace fabricscope::plugin {

void FrameNotes::note_finding(const engine::Finding& finding) {
    if (!finding.frames.empty()) broken_[finding.frames.back()].push_back({finding.rule, finding.text});
}

void FrameNotes::note_response(std::uint64_t request, std::uint64_t response) {
    const auto frame = static_cast<std::uint32_t>(request);
    if (older_responses_.find(frame) != nullptr) return;
    if (static_cast<std::ptrdiff_t>(responses_.size()) >= recent_frames())
        older_responses_ = std::exchange(responses_, {});
    std::uint32_t& first = responses_[frame];
    if (first == 0) first = static_cast<std::uint32_t>(response);
}

std::uint64_t FrameNotes::response(std::uint64_t request) const {
    const auto frame = static_cast<std::uint32_t>(request);
    const std::uint32_t* found = responses_.find(frame);
    if (found == nullptr) found = older_responses_.find(frame);
    return found != nullptr ? *found : 0;
}

std::span<const FrameNotes::Broken> FrameNotes::broken_rules(std::uint64_t frame) const {
    if (broken_.empty()) return {};
    const auto found = broken_.find(frame);
    return found != broken_.end() ? std::span<const Broken>(found->second) : std::span<const Broken>();
}

}  // namespace fabricscope::plugin
