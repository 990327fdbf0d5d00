// SPDX-License-Identifier: GPL-2.0-or-later
// What `analyze --json` says of an incomplete capture, held against what it says of the whole one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"

namespace fabricscope::variants {

/// The sessions of all protocols as `analyze --json` shows them; times count from `start`.
nlohmann::json sessions_of(const engine::Engine& engine, capture::Time start);

struct Difference {
    std::string where;  ///< "smcr.connections.close", without positions in lists
    std::string text;   ///< for people
};

/// What `part` says otherwise than `whole`. It may say nothing (null), count less, list less, and not have seen that
/// something happened; a session that `whole` does not have must have begun before the capture.
/// Without `same_times` frame numbers and times are not compared; unless `part` reaches `to_the_end`, states are not.
std::vector<Difference> differences(
    const nlohmann::json& whole, const nlohmann::json& part, bool same_times, bool to_the_end);

}  // namespace fabricscope::variants
