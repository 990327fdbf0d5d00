// SPDX-License-Identifier: GPL-2.0-or-later
// Other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fabricscope::extcap {

/// `fabricscope`: beside this program, in the build tree's folder of programs, else whatever the PATH has.
std::string fabricscope_program();

/// What it writes to standard output; nothing if it could not be started or failed.
std::optional<std::string> output_of(const std::vector<std::string>& words);
/// Its exit status; what it says goes to standard error.
int run(const std::vector<std::string>& words);
/// In place of this program. Returns if it cannot be started.
void become(const std::vector<std::string>& words);

/// A word as a remote shell reads it.
std::string quoted(const std::string& word);

}  // namespace fabricscope::extcap
