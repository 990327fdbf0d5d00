// SPDX-License-Identifier: GPL-2.0-or-later
// The ids of rules and observations, as words of the command line.
#pragma once

#include <string>
#include <vector>

#include "program/command_line.h"

namespace fabricscope::cli {

std::vector<Word> rule_ids();
/// Of rules and of kinds of observations.
std::vector<Word> all_ids();
std::vector<std::string> texts_of(const std::vector<Word>& words);

}  // namespace fabricscope::cli
