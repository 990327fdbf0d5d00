// SPDX-License-Identifier: GPL-2.0-or-later
// The limits that a user can set, of all protocols. What is beyond one is counted, and told as an observation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/protocols.h"

namespace fabricscope::engine {

/// "smcr.connections"
std::vector<std::string> limit_names();

/// Takes "NAME=COUNT". False if there is no limit of that name, or that is no count.
bool set_limit(Options& options, std::string_view text);

}  // namespace fabricscope::engine
