// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "program/commands.h"
#include "program/counter_files.h"
#include "program/exports.h"
#include "program/interrupt.h"
#include "program/jobs.h"
#include "program/reporting.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

struct AnalyzeOptions {
    InputOptions input;
    Sandbox sandbox;
    ReportOptions report;
    std::string csv_folder;
    std::string sqlite_file;
    std::string annotated_file;
    std::string perfetto_file;
    std::vector<std::string> counters_of;
    std::vector<report::HostCounters> adapters;  ///< of `counters_of`
    bool counters = false;
    bool cursors = false;
    bool each = false;
    bool as_part = false;
    std::uint64_t jobs = processors();

    bool has_tables() const { return !csv_folder.empty() || !sqlite_file.empty(); }
    bool for_programs() const { return report.json() || has_tables(); }
    bool wants_timelines() const { return (for_programs() && cursors) || !perfetto_file.empty(); }
};

/// All that was asked for, as far as possible.
bool write(
    const report::Results& results, const Analysis& analysis, const AnalyzeOptions& options,
    const report::FrameListeners& listeners, ReportWriter& writer) {
    bool written = true;
    if (!options.annotated_file.empty()) written &= export_annotated(options.annotated_file, results, analysis.opened);
    if (!options.perfetto_file.empty())
        written &= export_perfetto(options.perfetto_file, *analysis.engine, results, listeners);
    if (!options.csv_folder.empty()) written &= export_csv(options.csv_folder, results, options.cursors);
    if (!options.sqlite_file.empty()) written &= export_sqlite(options.sqlite_file, results, options.cursors);
    if (options.report.json() || !options.has_tables()) writer.write(results, options.cursors);
    return written;
}

/// What makes the outputs impossible, before hours are spent on the inputs; empty if nothing does.
std::string why_not(const AnalyzeOptions& options) {
    std::string reason = why_not_judged(options.report);
    if (reason.empty() && !options.csv_folder.empty()) reason = why_not_csv(options.csv_folder);
    if (reason.empty() && !options.sqlite_file.empty()) reason = why_not_sqlite(options.sqlite_file);
    if (reason.empty() && !options.perfetto_file.empty()) reason = why_not_perfetto(options.perfetto_file);
    if (reason.empty() && !options.annotated_file.empty())
        reason = why_not_annotate(options.annotated_file, options.input.files);
    return reason;
}

/// What is read and written. A part has a manifest beside it.
Access access_of(const AnalyzeOptions& options) {
    Access access{
        .inputs = options.input.files,
        .outputs = {
            options.csv_folder, options.sqlite_file, options.annotated_file, options.perfetto_file,
            options.report.json_file}};
    if (options.as_part)
        access.inputs.push_back(
            std::filesystem::path(options.input.files.front()).replace_filename(report::manifest_name));
    return access;
}

/// What is wrong with --counters-of, empty if nothing is.
std::string read_adapters(AnalyzeOptions& options) {
    std::string reason;
    for (const std::string& value : options.counters_of)
        if (reason.empty()) reason = read_counters(value, options.adapters);
    return reason;
}

void add_counters(report::Results& results, const AnalyzeOptions& options) {
    const engine::rdma::Model* model = results.models.rdma;
    if (model == nullptr || (!options.counters && options.adapters.empty())) return;
    results.has_counters = true;
    results.counters = report::counters_of(*model, options.adapters);
    for (const report::HostCounters& adapter : options.adapters) {
        const auto is_of_it = [&](const report::AdapterCounter& counter) {
            return counter.read && capture::to_string(counter.host) == adapter.host;
        };
        if (std::ranges::none_of(results.counters, is_of_it))
            complain(fmt::format(
                "--counters-of: no queue pair of {} was seen, or its file has no counter that a capture shows",
                adapter.host));
    }
}

report::Results all_results(
    const Analysis& analysis, const std::vector<std::string>& files, const AnalyzeOptions& options) {
    report::Results results = results_of(analysis, files, options.report);
    add_counters(results, options);
    return results;
}

/// What shapes results: those of parts that are to become one have it in common.
std::vector<report::Setting> settings_of(const AnalyzeOptions& options) {
    std::vector<report::Setting> settings = settings_of(options.report);
    settings.push_back({"--cursor-base", options.input.cursor_base});
    if (options.cursors) settings.push_back({"--cursors", ""});
    if (options.counters) settings.push_back({"--counters", ""});
    if (!options.counters_of.empty()) settings.push_back({"--counters-of", joined(options.counters_of)});
    return settings;
}

/// Returns the exit status that the files ask for.
int report_on(
    const std::vector<std::string>& files, const AnalyzeOptions& options, const engine::Options& engine_options,
    ReportWriter& writer) {
    const report::FrameListeners listeners([](const report::SessionKind&, std::uint64_t, std::uint32_t) {});
    const bool listens = !options.perfetto_file.empty();
    const Analysis analysis = analyse(files, engine_options, listens ? listeners.observers() : engine::Observers{});
    if (!analysis.engine) return not_read;
    const report::Results results = all_results(analysis, files, options);
    return write(results, analysis, options, listeners, writer) ? status_of(results, options.report) : wrong_usage;
}

/// As report_on(), of a file that partition wrote.
int report_on_part(const AnalyzeOptions& options, const engine::Options& engine_options, ReportWriter& writer) {
    if (options.input.files.size() != 1)
        return refuse(
            "--as-part takes one file: " + std::string(report::manifest_name) + " beside it tells of the others");
    const std::optional<report::PartFile> part = part_at(options.input.files.front());
    if (!part) return wrong_usage;
    const Analysis analysis = analyse(*part, engine_options);
    if (!analysis.engine) return not_read;
    report::Results results = all_results(analysis, part->whole.files(), options);
    results.parts.front().settings = settings_of(options);
    writer.write(results, options.cursors);  // JSON or the summary: there is nothing else to have of a part
    return status_of(results, options.report);
}

/// As report_on(), for each file by itself.
int report_on_each(const AnalyzeOptions& options, const engine::Options& engine_options, ReportWriter& writer) {
    const auto report = [&](std::size_t index, std::ostream& out) {
        const std::vector<std::string> file{options.input.files[index]};
        const Analysis analysis = analyse(file, engine_options);
        if (!analysis.engine) return int{not_read};
        const report::Results results = all_results(analysis, file, options);
        write_report(out, results, options.report, options.cursors);
        return status_of(results, options.report);
    };
    const auto take = [&](std::size_t, std::istream& written) { writer.write(written); };
    return run_jobs({options.input.files.size(), report, take}, options.jobs);
}

int run(AnalyzeOptions& options) {
    if (const std::string reason = why_not(options); !reason.empty()) return refuse(reason);
    if (const std::string reason = read_adapters(options); !reason.empty()) return refuse(reason);
    options.sandbox.close(access_of(options));
    engine::Options engine_options = engine_options_of(options.report);
    engine_options.smcr_options.timelines = options.wants_timelines();
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    listen_to_signals();
    using Number = ReportWriter::Number;
    ReportWriter writer(options.report, options.each ? Number::several : Number::one);
    const int status = options.each      ? report_on_each(options, engine_options, writer)
                       : options.as_part ? report_on_part(options, engine_options, writer)
                                         : report_on(options.input.files, options, engine_options, writer);
    return writer.finish() ? status : wrong_usage;
}

}  // namespace

void add_analyze(CommandLine& program) {
    auto options = std::make_shared<AnalyzeOptions>();
    const Command command = program.add_command("analyze", "Summarise sessions and findings of captures");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    add_report_options(command, options->report);
    const Option each = command.flag("--each", options->each, "The files have nothing in common: a report for each");
    command.option("--jobs", options->jobs, "With --each: so many files at the same time; by default one a processor")
        .positive()
        .needs(each)
        .placeholder("N");
    const Option as_part = command.flag(
        "--as-part", options->as_part,
        "The file is one that partition wrote: report what merge can join with the others");
    as_part.excludes(each);
    const auto output = [&](const char* name, std::string& value, const char* description) {
        const Option option = command.option(name, value, description);
        option.excludes(each);
        option.excludes(as_part);
        return option;
    };
    output("--csv", options->csv_folder, "Write each table to a CSV file in that folder").placeholder("DIR");
    output("--sqlite", options->sqlite_file, "Write the tables to an SQLite database").writes().placeholder("FILE");
    output("--annotate", options->annotated_file, "Write the captures again, with each finding as a packet comment")
        .writes()
        .placeholder("OUT");
    output("--perfetto", options->perfetto_file, "Write what went on as a trace that ui.perfetto.dev opens")
        .writes()
        .placeholder("OUT");
    command.flag("--counters", options->counters, "What the adapters of both ends should have counted");
    command
        .option(
            "--counters-of", options->counters_of, "The same, beside what a host's adapter did count; may be repeated")
        .placeholder("HOST=FILE|HOST=BEFORE,AFTER");
    command.flag("--cursors", options->cursors, "With --json, --csv, --sqlite: every step of each direction's cursors");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
