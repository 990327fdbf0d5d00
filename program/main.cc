// SPDX-License-Identifier: GPL-2.0-or-later
#include <clocale>
#include <exception>

#include "program/commands.h"
#include "program/output.h"
#include "program/status.h"

namespace {

using namespace fabricscope::cli;

int run(int argc, char** argv) {
    CommandLine program("Says what happened on an RDMA fabric, from captures.", "fabricscope", application);
    add_analyze(program);
    add_capture(program);
    add_stream(program);
    add_timeline(program);
    add_fields(program);
    add_rules(program);
    add_explain(program);
    add_tables(program);
    add_replay(program);
    add_verify(program);
    add_synth(program);
    add_view(program);
    add_report(program);
    return program.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
    std::setlocale(LC_CTYPE, "");  // decides which characters the terminal can show
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return refuse(error.what());
    }
}
