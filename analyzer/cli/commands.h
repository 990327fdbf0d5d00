// SPDX-License-Identifier: GPL-2.0-or-later
// The subcommands: each one adds itself to the program and leaves its exit status behind.
#pragma once

#include <CLI/CLI.hpp>

namespace fabricscope::cli {

void add_analyze(CLI::App& program, int& status);
void add_capture(CLI::App& program, int& status);
void add_stream(CLI::App& program, int& status);
void add_timeline(CLI::App& program, int& status);
void add_fields(CLI::App& program, int& status);
void add_rules(CLI::App& program, int& status);
void add_tables(CLI::App& program, int& status);

}  // namespace fabricscope::cli
