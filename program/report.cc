// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include "program/commands.h"
#include "program/exports.h"
#include "program/output.h"
#include "program/reporting.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

struct HtmlReportOptions {
    InputOptions input;
    Sandbox sandbox;
    std::string file;
};

int run(const HtmlReportOptions& options) {
    if (const std::string reason = why_not_html(options.file); !reason.empty()) return refuse(reason);
    const ReportOptions all;
    engine::Options engine_options = engine_options_of(all);
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    engine_options.smcr_options.timelines = true;
    options.sandbox.close({.inputs = options.input.files, .outputs = {options.file}});
    const Analysis analysis = analyse(options.input.files, engine_options);
    if (!analysis.engine) return not_read;
    const report::Results results = results_of(analysis, options.input.files, all);
    return export_html(options.file, *analysis.engine, results) ? status_of(results, all) : wrong_usage;
}

}  // namespace

void add_report(CommandLine& program) {
    auto options = std::make_shared<HtmlReportOptions>();
    const Command command = program.add_command("report", "Write what happened as one HTML file");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    command.option("-o,--output", options->file, "The file (- is standard output)")
        .required()
        .writes()
        .placeholder("OUT");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
