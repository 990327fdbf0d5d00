// SPDX-License-Identifier: GPL-2.0-or-later
// What may be known of a frame in any protocol: what answers it, and what it breaks.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/finding.h"
#include "analyzer/engine/flat_map.h"

namespace fabricscope::plugin {

class FrameNotes {
public:
    /// A rule that a frame breaks.
    struct Broken {
        const engine::Rule* rule;
        std::string text;
    };

    /// The first answer counts.
    void note_response(std::uint64_t request, std::uint64_t response);
    /// It shows at the frame that broke the rule in the end, which may be an earlier one than the engine is at; then
    /// the finding shows when that frame is dissected again.
    void note_finding(const engine::Finding& finding);

    /// The frame that answers this one; 0 = not known (yet).
    std::uint64_t response(std::uint64_t request) const;
    std::span<const Broken> broken_rules(std::uint64_t frame) const;

private:
    /// By request. Where no frame comes again, only the latest are kept: those before in `older_responses_`.
    engine::FlatMap<std::uint32_t, std::uint32_t> responses_, older_responses_;
    std::unordered_map<std::uint64_t, std::vector<Broken>> broken_;
};

}  // namespace fabricscope::plugin
