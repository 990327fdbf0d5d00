// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "program/analysis.h"
#include "program/commands.h"
#include "program/output.h"
#include "program/sandbox.h"
#include "program/status.h"
#include "replay/script/script_writer.h"

namespace fabricscope::cli {
namespace {

struct ScriptOptions {
    InputOptions input;
    Sandbox sandbox;
    std::string session;
    std::string output;
};

/// The session's frames, which are read once more: only now it is known which these are.
std::vector<replay::KeptFrame> frames_of(const std::vector<std::string>& files, const replay::SessionFrames& session) {
    std::vector<replay::KeptFrame> kept;
    engine::Options nothing;
    nothing.smcr = false;
    report::read(files, nothing, {}, [&](const capture::DecodedFrame& at) {
        const capture::Frame& frame = at.frame;
        if (const auto found = session.frames.find(frame.number); found != session.frames.end())
            kept.push_back({frame, {frame.data.begin(), frame.data.end()}, found->second});
        return true;
    });
    return kept;
}

int run(const ScriptOptions& options) {
    if (const std::string reason = why_not_twice(options.input.files, "script"); !reason.empty()) return refuse(reason);
    replay::FrameCollector collector;
    engine::Options engine_options;
    engine::Observers observers;
    collector.prepare(engine_options, observers);
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    options.sandbox.close({.inputs = options.input.files, .outputs = {options.output}});
    const Analysis analysis = analyse(options.input.files, engine_options, observers);
    if (!analysis.engine) return not_read;
    const replay::SessionFrames session = collector.of(*analysis.engine, options.session);
    if (session.frames.empty())
        return refuse(fmt::format(
            "no session {}; fabricscope analyze names those there are, as smcr-1, cm-2, fcvi-1", options.session));
    const std::string title = fmt::format(
        "{} of {}", options.session, std::filesystem::path(options.input.files.front()).filename().string());
    Output output(options.output);
    try {
        replay::write_script(output.stream(), title, frames_of(options.input.files, session), session);
    } catch (const replay::NotWritable& error) {
        return refuse(fmt::format("{} cannot be written as a script: {}", options.session, error.what()));
    }
    if (!output.finish()) return wrong_usage;
    return analysis.problems.empty() ? done : not_read;
}

}  // namespace

void add_script(CommandLine& program) {
    auto options = std::make_shared<ScriptOptions>();
    const Command command = program.add_command(
        "script", "Write a captured session as a scenario that can be edited, for synth and replay");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    command.option("--session", options->session, "What to write, as analyze names it: smcr-1, cm-2, fcvi-1")
        .required()
        .placeholder("ID");
    command.option("-o,--output", options->output, "Write it to this file instead of to standard output")
        .writes()
        .placeholder("OUT");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
