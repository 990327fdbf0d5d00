// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <fstream>
#include <memory>

#include "program/commands.h"
#include "program/exports.h"
#include "program/interrupt.h"
#include "program/output.h"
#include "program/reporting.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

struct AnalyzeOptions {
    InputOptions input;
    ReportOptions report;
    std::string csv_folder;
    std::string sqlite_file;
    std::string annotated_file;
    std::string perfetto_file;
    bool cursors = false;

    bool for_programs() const { return report.json() || !csv_folder.empty() || !sqlite_file.empty(); }
    bool wants_timelines() const { return (for_programs() && cursors) || !perfetto_file.empty(); }
};

/// `--json` takes the word behind it, which in `--json a.pcap b.pcap` is a capture. A file that exists
/// and does not begin as JSON does is therefore read, never overwritten; so is the only word that can be FILE.
void tell_captures_from_output(AnalyzeOptions& options) {
    if (options.report.json_file.empty()) return;
    if (!options.input.files.empty()) {
        if (!std::filesystem::is_regular_file(options.report.json_file)) return;
        std::ifstream file(options.report.json_file, std::ios::binary);
        if (file.peek() == '{' || file.eof()) return;
    }
    options.input.files.insert(options.input.files.begin(), options.report.json_file);
    options.report.json_file.clear();
}

/// All that was asked for, as far as possible.
bool write(const report::Results& results, const Analysis& analysis, const AnalyzeOptions& options) {
    bool written = true;
    if (!options.annotated_file.empty()) written &= export_annotated(options.annotated_file, results, analysis.opened);
    if (!options.perfetto_file.empty()) written &= export_perfetto(options.perfetto_file, *analysis.engine, results);
    if (!options.csv_folder.empty()) written &= export_csv(options.csv_folder, results, options.cursors);
    if (!options.sqlite_file.empty()) written &= export_sqlite(options.sqlite_file, results, options.cursors);
    if (options.report.json()) written &= write_json(results, options.report, options.cursors);
    if (!options.for_programs()) written &= write_summary(results, options.report);
    return written;
}

/// What makes the outputs impossible, before hours are spent on the inputs; empty if nothing does.
std::string why_not(const AnalyzeOptions& options) {
    std::string reason;
    if (!options.csv_folder.empty()) reason = why_not_csv(options.csv_folder, options.input.files);
    if (reason.empty() && !options.sqlite_file.empty())
        reason = why_not_sqlite(options.sqlite_file, options.input.files);
    if (reason.empty() && !options.perfetto_file.empty())
        reason = why_not_perfetto(options.perfetto_file, options.input.files);
    if (reason.empty() && !options.annotated_file.empty())
        reason = why_not_annotate(options.annotated_file, options.input.files);
    return reason;
}

int run(AnalyzeOptions& options) {
    tell_captures_from_output(options);
    if (options.input.files.empty()) missing_argument("FILE");
    if (const std::string reason = why_not(options); !reason.empty()) {
        complain(reason);
        return wrong_usage;
    }
    engine::Options engine_options = engine_options_of(options.report);
    engine_options.smcr_options.timelines = options.wants_timelines();
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    listen_to_signals();
    const Analysis analysis = analyse(options.input.files, engine_options);
    if (!analysis.engine) return not_read;
    const report::Results results = results_of(analysis, options.input.files, options.report);
    return write(results, analysis, options) ? status_of(results, options.report) : wrong_usage;
}

}  // namespace

void add_analyze(CommandLine& program) {
    auto options = std::make_shared<AnalyzeOptions>();
    const Command command = program.add_command("analyze", "Summarise sessions and findings of captures");
    add_input_options(command, options->input);  // FILE may stand behind --json
    add_report_options(command, options->report);
    command.option("--csv", options->csv_folder, "Write each table to a CSV file in that folder").placeholder("DIR");
    command.option("--sqlite", options->sqlite_file, "Write the tables to an SQLite database").placeholder("FILE");
    command
        .option(
            "--annotate", options->annotated_file, "Write the captures again, with each finding as a packet comment")
        .placeholder("OUT");
    command.option("--perfetto", options->perfetto_file, "Write what went on as a trace that ui.perfetto.dev opens")
        .placeholder("OUT");
    command.flag("--cursors", options->cursors, "With --json, --csv, --sqlite: every step of each direction's cursors");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
