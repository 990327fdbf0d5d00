// SPDX-License-Identifier: GPL-2.0-or-later
#include <clocale>
#include <cstdio>

#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"
#include "replay/cli/commands.h"

namespace {

using namespace fabricscope::cli;

void say_version_everywhere(CLI::App& program) {
    program.set_version_flag("--version", "fabricscope " FABRICSCOPE_VERSION, "Print the version and exit");
    for (CLI::App* command : program.get_subcommands({}))
        command->set_version_flag("--version", "fabricscope " FABRICSCOPE_VERSION, "Print the version and exit");
}

int run(int argc, char** argv) {
    CLI::App program{"Says what happened on an RDMA fabric, from captures.", "fabricscope"};
    int status = done;
    program.require_subcommand(1);
    add_analyze(program, status);
    add_capture(program, status);
    add_stream(program, status);
    add_timeline(program, status);
    add_fields(program, status);
    add_rules(program, status);
    add_tables(program, status);
    add_replay(program, status);
    add_synth(program, status);
    say_version_everywhere(program);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? done : wrong_usage;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    std::setlocale(LC_CTYPE, "");  // decides which characters the terminal can show
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        complain(error.what());
        return wrong_usage;
    }
}
