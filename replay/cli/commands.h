// SPDX-License-Identifier: GPL-2.0-or-later
// The subcommands that make traffic: each one adds itself to the program and leaves its exit status behind.
#pragma once

#include <CLI/CLI.hpp>

namespace fabricscope::cli {

void add_replay(CLI::App& program, int& status);
void add_synth(CLI::App& program, int& status);

}  // namespace fabricscope::cli
