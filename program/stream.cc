// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "program/analysis.h"
#include "program/commands.h"
#include "program/octet_file.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

using engine::Side;

struct StreamOptions {
    InputOptions input;
    Sandbox sandbox;
    std::string connection;
    std::string from;
    std::string output;
    bool skip_urgent = false;

    Side side() const { return from == "client" ? Side::client : Side::server; }
};

bool goes_to_a_terminal(const std::string& output) {
    return is_standard_output(output) && ::isatty(STDOUT_FILENO) != 0;
}

int run(const StreamOptions& options) {
    if (goes_to_a_terminal(options.output))
        return refuse("application data may upset a terminal; name a file with -o, or use a pipe");
    const SessionName session = session_named(options.connection);
    if (session.kind->stream == nullptr)
        return refuse(options.connection + " has no stream" + session.kind->why_no_stream);
    const std::string what = options.connection + " from the " + options.from;
    OctetFile file(options.output, what);
    const std::vector<std::string>& files = options.input.files;
    const std::string why_once = why_not_twice(files, "stream");
    const auto stream = session.kind->stream(
        {session.id, options.side(), options.skip_urgent, !why_once.empty()}, file);
    engine::Options engine_options{.smcr = false};
    session.protocol->protocol.followed(engine_options) = true;
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    engine::Observers observers;
    stream->listen(observers);
    options.sandbox.close({.inputs = files, .outputs = {options.output}});
    Analysis analysis = analyse(files, engine_options, observers);
    if (!analysis.engine) return not_read;
    if (!find_session(*analysis.engine, session)) return analysis.problems.empty() ? wrong_usage : not_read;
    if (stream->learn(*analysis.engine)) {
        if (!why_once.empty()) {
            complain(fmt::format("{} turned out to be other bytes than were written: {}", what, why_once));
            return not_read;
        }
        analysis = analyse_again(files, engine_options, observers);
    }
    stream->finish();
    file.sum_up();
    if (!file.finish()) return wrong_usage;
    return analysis.problems.empty() && file.complete() ? done : not_read;
}

}  // namespace

void add_stream(CommandLine& program) {
    auto options = std::make_shared<StreamOptions>();
    const Command command = program.add_command("stream", "Rebuild the bytes that one side of a connection sent");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    command
        .option(
            "--connection", options->connection,
            "The connection, or of FC-AE-RDMA the message or memory region, as analyze names it")
        .required()
        .placeholder("ID");
    command.option("--from", options->from, "Whose bytes")
        .required()
        .one_of({"client", "server"})
        .placeholder("client|server");
    command.option("-o,--output", options->output, "Write to a file instead of standard output")
        .writes()
        .placeholder("OUT");
    command.flag("--skip-urgent", options->skip_urgent, "Leave urgent bytes out");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
