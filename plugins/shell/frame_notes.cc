// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/frame_notes.h"

#include <utility>

#include "plugins/shell/frame_list.h"

namespace fabricscope::plugin {

void FrameNotes::note_finding(const engine::Finding& finding) {
    if (!finding.frames.empty()) broken_[finding.frames.back()].push_back({finding.rule, finding.text});
}

void FrameNotes::note_response(std::uint64_t request, std::uint64_t response) {
    if (older_responses_.contains(static_cast<std::uint32_t>(request))) return;
    if (std::ssize(responses_) >= recent_frames()) {
        older_responses_.swap(responses_);
        responses_.clear();
    }
    responses_.try_emplace(static_cast<std::uint32_t>(request), response);
}

std::uint64_t FrameNotes::response(std::uint64_t request) const {
    const auto frame = static_cast<std::uint32_t>(request);
    if (const auto found = responses_.find(frame); found != responses_.end()) return found->second;
    const auto older = older_responses_.find(frame);
    return older != older_responses_.end() ? older->second : 0;
}

std::span<const FrameNotes::Broken> FrameNotes::broken_rules(std::uint64_t frame) const {
    if (broken_.empty()) return {};
    const auto found = broken_.find(frame);
    return found != broken_.end() ? std::span<const Broken>(found->second) : std::span<const Broken>();
}

}  // namespace fabricscope::plugin
