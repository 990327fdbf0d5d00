// SPDX-License-Identifier: GPL-2.0-or-later
// The commands: each one adds itself and its options to the command line.
#pragma once

#include "program/command_line.h"

namespace fabricscope::cli {

void add_analyze(CommandLine& program);
void add_capture(CommandLine& program);
void add_stream(CommandLine& program);
void add_timeline(CommandLine& program);
void add_fields(CommandLine& program);
void add_rules(CommandLine& program);
void add_explain(CommandLine& program);
void add_tables(CommandLine& program);
void add_replay(CommandLine& program);
void add_verify(CommandLine& program);
void add_script(CommandLine& program);
void add_load(CommandLine& program);
void add_mutate(CommandLine& program);
void add_synth(CommandLine& program);
void add_view(CommandLine& program);
void add_report(CommandLine& program);
void add_partition(CommandLine& program);
void add_merge(CommandLine& program);

}  // namespace fabricscope::cli
