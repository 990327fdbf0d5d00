// SPDX-License-Identifier: GPL-2.0-or-later
// What a word may have been meant to be.
#pragma once

#include <string>
#include <vector>

namespace fabricscope::cli {

/// ", did you mean analyze?"; empty if nothing is like it.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

}  // namespace fabricscope::cli
