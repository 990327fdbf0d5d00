// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "analyzer/cli/analysis.h"
#include "analyzer/cli/commands.h"
#include "analyzer/cli/exports.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"
#include "analyzer/report/clocks.h"
#include "analyzer/report/json.h"
#include "analyzer/report/summary.h"

namespace fabricscope::cli {
namespace {

struct AnalyzeOptions {
    InputOptions input;
    bool json = false;
    std::string json_file;
    std::string csv_folder;
    std::string sqlite_file;
    std::string annotated_file;
    bool cursors = false;
    bool all = false;
    std::vector<std::string> protocols{"smcr", "rdma-cm", "fc", "fcvi", "fc-ae-rdma"};
    std::vector<std::string> levels;  ///< empty = all
    std::vector<std::string> rules;   ///< empty = all
    std::string profile = name_of(engine::Profile::linux_);

    bool for_programs() const { return json || !csv_folder.empty() || !sqlite_file.empty(); }
};

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::ranges::find(list, word) != list.end();
}

/// `--json` takes the word behind it, which in `--json a.pcap b.pcap` is a capture. A file that exists
/// and does not begin as JSON does is therefore read, never overwritten.
void tell_captures_from_output(AnalyzeOptions& options) {
    if (!std::filesystem::is_regular_file(options.json_file)) return;
    std::ifstream file(options.json_file, std::ios::binary);
    if (file.peek() == '{' || file.eof()) return;
    options.input.files.insert(options.input.files.begin(), options.json_file);
    options.json_file.clear();
}

/// For CLI11: what is wrong with a rule's id, empty if nothing is.
std::string check_rule(const std::string& id) {
    const auto has_id = [&](const engine::Rule& rule) { return rule.id == id; };
    return std::ranges::any_of(engine::rules(), has_id) ? "" : "no rule " + id;
}

bool is_chosen(const engine::Rule& rule, const AnalyzeOptions& options) {
    if (rule.only_in && options.profile != name_of(*rule.only_in)) return false;
    return (options.levels.empty() || contains(options.levels, name_of(rule.severity))) &&
           (options.rules.empty() || contains(options.rules, rule.id));
}

std::vector<const engine::Finding*> chosen_findings(const engine::Engine& engine, const AnalyzeOptions& options) {
    std::vector<const engine::Finding*> findings = engine.findings();
    std::erase_if(findings, [&](const engine::Finding* finding) { return !is_chosen(*finding->rule, options); });
    return findings;
}

std::vector<engine::RuleResult> chosen_rules(const engine::Engine& engine, const AnalyzeOptions& options) {
    std::vector<engine::RuleResult> results = engine.rule_results();
    std::erase_if(results, [&](const engine::RuleResult& result) { return !is_chosen(*result.rule, options); });
    return results;
}

/// Where the frames lie that findings and times are about, if there are several files.
std::map<std::uint64_t, report::Place> places_of(
    const std::vector<const engine::Finding*>& findings, const Analysis& analysis) {
    if (analysis.opened.size() < 2) return {};
    std::set<std::uint64_t> frames = report::frames_with_an_order(analysis.engine->smcr());
    for (const engine::Finding* finding : findings) frames.insert(finding->frames.begin(), finding->frames.end());
    std::map<std::uint64_t, report::Place> places;
    for (const auto& [frame, origin] : analysis.origins.of(frames))
        places[frame] = {analysis.opened[origin.source], origin.number};
    return places;
}

engine::Profile profile_of(const AnalyzeOptions& options) {
    for (const engine::Profile profile : {engine::Profile::standard, engine::Profile::avionics})
        if (options.profile == name_of(profile)) return profile;
    return engine::Profile::linux_;
}

engine::Options engine_options_of(const AnalyzeOptions& options) {
    engine::Options result{
        .smcr = contains(options.protocols, "smcr"),
        .rdma_cm = contains(options.protocols, "rdma-cm"),
        .fc = contains(options.protocols, "fc")};
    const engine::Profile profile = profile_of(options);
    result.smcr_options.timelines = options.for_programs() && options.cursors;
    result.smcr_options.cursor_base = options.input.forced_cursor_base();
    // Annex A of FC-AE-RDMA says nothing of Linux.
    result.smcr_options.profile = result.rdma_cm_options.profile = profile == engine::Profile::avionics
                                                                       ? engine::Profile::linux_
                                                                       : profile;
    result.fc_protocols.fcvi = contains(options.protocols, "fcvi");
    result.fc_protocols.fc_ae_rdma = contains(options.protocols, "fc-ae-rdma");
    result.fc_protocols.fc_ae_rdma_options.profile = profile;
    return result;
}

bool write_summary(const report::Results& results, const AnalyzeOptions& options) {
    Output output("");
    report::SummaryOptions summary{.style = output_style()};
    if (options.all) summary.rows = summary.names = report::no_limit;
    write_summary(output.stream(), results, summary);
    return output.finish();
}

bool write_json(const report::Results& results, const AnalyzeOptions& options) {
    Output output(options.json_file);
    write_json(output.stream(), results, options.cursors);
    return output.finish();
}

/// All that was asked for, as far as possible.
bool write(const report::Results& results, const Analysis& analysis, const AnalyzeOptions& options) {
    bool written = true;
    if (!options.annotated_file.empty()) written &= export_annotated(options.annotated_file, results, analysis.opened);
    if (!options.csv_folder.empty()) written &= export_csv(options.csv_folder, results, options.cursors);
    if (!options.sqlite_file.empty()) written &= export_sqlite(options.sqlite_file, results, options.cursors);
    if (options.json) written &= write_json(results, options);
    if (!options.for_programs()) written &= write_summary(results, options);
    return written;
}

/// What makes the outputs impossible, before hours are spent on the inputs; empty if nothing does.
std::string why_not(const AnalyzeOptions& options) {
    std::string reason;
    if (!options.csv_folder.empty()) reason = why_not_csv(options.csv_folder, options.input.files);
    if (reason.empty() && !options.sqlite_file.empty())
        reason = why_not_sqlite(options.sqlite_file, options.input.files);
    if (reason.empty() && !options.annotated_file.empty())
        reason = why_not_annotate(options.annotated_file, options.input.files);
    return reason;
}

int run(AnalyzeOptions& options) {
    tell_captures_from_output(options);
    if (const std::string reason = why_not(options); !reason.empty()) {
        complain(reason);
        return wrong_usage;
    }
    const engine::Options engine_options = engine_options_of(options);
    const Analysis analysis = analyse(options.input.files, engine_options);
    if (!analysis.engine) return not_read;
    const engine::Engine& engine = *analysis.engine;
    const std::vector<const engine::Finding*> findings = chosen_findings(engine, options);
    const auto places = places_of(findings, analysis);
    const report::Results results{
        .files = options.input.files,
        .problems = analysis.problems,
        .capture = engine.capture(),
        .smcr = engine_options.smcr ? &engine.smcr() : nullptr,
        .rdma_cm = engine_options.rdma_cm ? &engine.rdma_cm() : nullptr,
        .fc = engine_options.fc ? &engine.fc() : nullptr,
        .fcvi = engine_options.fc_protocols.fcvi ? &engine.fcvi() : nullptr,
        .fc_ae_rdma = engine_options.fc_protocols.fc_ae_rdma ? &engine.fc_ae_rdma() : nullptr,
        .findings = findings,
        .rules = chosen_rules(engine, options),
        .places = places,
        .warnings = report::clock_warnings(engine.smcr(), places),
        .profile = profile_of(options)};
    if (!write(results, analysis, options)) return wrong_usage;
    if (!analysis.problems.empty()) return not_read;
    const auto is_error = [](const engine::Finding* f) { return f->rule->severity == engine::Severity::error; };
    return std::ranges::any_of(results.findings, is_error) ? errors_found : done;
}

}  // namespace

void add_analyze(CLI::App& program, int& status) {
    auto options = std::make_shared<AnalyzeOptions>();
    CLI::App* command = program.add_subcommand("analyze", "Summarise sessions and findings of captures");
    add_input_options(*command, options->input);
    const CLI::Option* json = command
                                  ->add_option(
                                      "--json", options->json_file, "Write JSON, to a file or to standard output")
                                  ->expected(0, 1)
                                  ->option_text("[OUT]");
    command->add_option("--csv", options->csv_folder, "Write each table to a CSV file in that folder")
        ->option_text("DIR");
    command->add_option("--sqlite", options->sqlite_file, "Write the tables to an SQLite database")
        ->option_text("FILE");
    command
        ->add_option(
            "--annotate", options->annotated_file, "Write the captures again, with each finding as a packet comment")
        ->option_text("OUT");
    command->add_flag(
        "--cursors", options->cursors, "With --json, --csv, --sqlite: every step of each direction's cursors");
    command->add_flag("--all", options->all, "Summary: rows and names without limit");
    command->add_option("--protocol", options->protocols, "Report only these protocols")
        ->delimiter(',')
        ->check(CLI::IsMember(options->protocols))
        ->option_text(fmt::format("{}", fmt::join(options->protocols, ",")));
    command->add_option("--rules-level", options->levels, "Only findings of these levels")
        ->delimiter(',')
        ->check(CLI::IsMember({"error", "warning", "note"}))
        ->option_text("error,warning,note");
    command->add_option("--rule", options->rules, "Only findings of this rule; may be repeated")
        ->delimiter(',')
        ->check(check_rule)
        ->option_text("ID");
    const std::vector<std::string> profiles{
        name_of(engine::Profile::standard), name_of(engine::Profile::linux_), name_of(engine::Profile::avionics)};
    command->add_option("--profile", options->profile, "What traffic is held against; linux excuses Linux's habits")
        ->check(CLI::IsMember(profiles))
        ->option_text(fmt::format("{}", fmt::join(profiles, "|")));
    command->callback([options, json, &status] {
        options->json = json->count() != 0;
        status = run(*options);
    });
}

}  // namespace fabricscope::cli
