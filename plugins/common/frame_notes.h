// SPDX-License-Identifier: GPL-2.0-or-later
// What may be known of a frame in any protocol: what answers it, whose copy it is, what it breaks.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/finding.h"

namespace fabricscope::plugin {

class FrameNotes {
public:
    /// A rule that a frame breaks.
    struct Broken {
        const engine::Rule* rule;
        std::string text;
    };

    /// For each frame in the capture's order.
    void note_time(std::uint64_t frame, capture::Time time);
    /// The first answer counts.
    void note_response(std::uint64_t request, std::uint64_t response) { responses_.emplace(request, response); }
    void note_copy(std::uint64_t frame, std::uint64_t original) { originals_.emplace(frame, original); }
    /// Returns the frame where the finding shows, which may be an earlier one than the engine is at;
    /// 0 = nowhere.
    std::uint64_t note_finding(const engine::Finding& finding);

    /// The frame that answers this one; 0 = not known (yet).
    std::uint64_t response(std::uint64_t frame) const { return lookup(responses_, frame); }
    /// The frame that this one is a copy of, otherwise the frame itself.
    std::uint64_t original(std::uint64_t frame) const;
    /// Whether the frame is older than one that stands before it in the capture.
    bool is_late(std::uint64_t frame) const;
    std::span<const Broken> broken_rules(std::uint64_t frame) const;
    /// The time of the latest frame.
    capture::Time latest() const { return latest_; }

private:
    using FrameMap = std::unordered_map<std::uint64_t, std::uint64_t>;
    static std::uint64_t lookup(const FrameMap& map, std::uint64_t frame);

    FrameMap responses_;
    FrameMap originals_;
    std::unordered_map<std::uint64_t, std::vector<Broken>> broken_;
    std::vector<std::uint64_t> late_;  ///< in order
    capture::Time latest_ = 0;
};

}  // namespace fabricscope::plugin
