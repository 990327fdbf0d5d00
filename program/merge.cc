// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/merge.h"

#include <memory>
#include <stdexcept>

#include "program/analysis.h"
#include "program/commands.h"
#include "program/exports.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

struct MergeOptions {
    std::vector<std::string> results;
    std::string json_file = "-";
    std::string sqlite_file;
    Sandbox sandbox;
};

/// False after a complaint.
bool write_json(const MergeOptions& options, report::MergeOutcome& outcome) {
    Output output(options.json_file);
    outcome = report::merge_json(options.results, output.stream());
    return output.finish();
}

/// The same.
bool write_database(const MergeOptions& options, report::MergeOutcome& outcome) {
    NewFile database(options.sqlite_file);
    if (!database) return false;
    try {
        outcome = report::merge_sqlite(options.results, database.temporary());
    } catch (const report::ResultError&) {
        throw;
    } catch (const std::runtime_error& error) {
        complain("cannot write " + options.sqlite_file + ": " + error.what());
        return false;
    }
    return database.put_in_place();
}

int run(const MergeOptions& options, bool wants_json) {
    if (const std::string reason = why_not_twice(options.results, "merge"); !reason.empty()) return refuse(reason);
    if (!options.sqlite_file.empty())
        if (const std::string reason = why_not_sqlite(options.sqlite_file); !reason.empty()) return refuse(reason);
    options.sandbox.close({.inputs = options.results, .outputs = {options.json_file, options.sqlite_file}});
    report::MergeOutcome outcome;
    try {
        if (!options.sqlite_file.empty() && !write_database(options, outcome)) return wrong_usage;
        if (wants_json && !write_json(options, outcome)) return wrong_usage;
    } catch (const report::ResultError& error) {
        complain(error.what());
        return not_read;
    }
    if (!outcome.complete) return not_read;
    return outcome.errors_found ? errors_found : done;
}

}  // namespace

void add_merge(CommandLine& program) {
    auto options = std::make_shared<MergeOptions>();
    const Command command = program.add_command("merge", "Join results of parts as if one program had read the whole");
    command.option("RESULT", options->results, "JSON of each part of a partition, as analyze writes it of a part")
        .required()
        .reads()
        .placeholder("RESULT...");
    const Option json = command.option("-o,--output", options->json_file, "The JSON file; standard output by default");
    json.writes().placeholder("OUT");
    command
        .option("--sqlite", options->sqlite_file, "Write the tables to an SQLite database; JSON as well with -o only")
        .writes()
        .placeholder("FILE");
    options->sandbox.add_option(command);
    command.on_run([options, json] { return run(*options, options->sqlite_file.empty() || json.given()); });
}

}  // namespace fabricscope::cli
