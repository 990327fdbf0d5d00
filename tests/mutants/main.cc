// SPDX-License-Identifier: GPL-2.0-or-later
// mutants: healthy captures with one field changed (tables in the language of tests/traffic/rule_cases.h, one for each
// protocol). A mutant that breaks a clause is named by the clause's rule, and by nothing but what its line tells;
// kept_ ones break none that the capture decides, and are not reported. `--try CAPTURE` makes all mutants of a capture,
// as such tables, with what is found.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/engine/engine.h"
#include "tests/traffic/rule_cases.h"

namespace fabricscope::mutants {
namespace {

using Ids = std::vector<std::string>;

struct Found {
    Ids rules;         ///< in order
    std::string text;  ///< a line for each finding
};

Found found_in(const traffic::Recording& recording) {
    engine::Engine engine(engine::following_all(static_cast<std::uint32_t>(recording.interfaces.size())));
    traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine.on_frame(frame); });
    engine.finish();
    Found found;
    for (const engine::Finding* finding : engine.findings()) {
        found.rules.emplace_back(finding->rule->id);
        found.text += fmt::format(
            "\n    {} in {}: {}", found.rules.back(), fmt::join(finding->frames, ", "), finding->text);
    }
    std::ranges::sort(found.rules);
    return found;
}

// ---- the tables ----------------------------------------------------------------------------------

struct Count {
    std::size_t mutants = 0, alone = 0, several = 0, undetermined = 0;
    std::set<std::string> rules;
};

bool is_same(const traffic::Recording& a, const traffic::Recording& b) {
    const auto octets = [](const traffic::RecordedFrame& frame) { return std::tie(frame.octets, frame.time); };
    return std::ranges::equal(a.frames, b.frames, {}, octets, octets);
}

/// Whether what is found is what the table says.
bool is_as_told(const traffic::RuleCases& table, const traffic::RuleCase& of) try {
    const traffic::Recording mutant = table.recording_of(of);
    traffic::RuleCase healthy = of;
    healthy.edits.clear();
    if (is_same(mutant, table.recording_of(healthy))) {
        fmt::print("{}:{}: {} changes nothing\n", table.path().string(), of.line, of.name);
        return false;
    }
    const Found found = found_in(mutant);
    if (found.rules == of.findings) return true;
    fmt::print(
        "{}:{}: {}: {}\n  expected: {}\n  found: {}{}\n", table.path().string(), of.line, of.name, of.happens,
        fmt::join(of.findings, " "), fmt::join(found.rules, " "), found.text);
    return false;
} catch (const traffic::EditError& error) {
    fmt::print("{}\n", error.what());
    return false;
}

void count(Count& in, const traffic::RuleCase& of) {
    ++in.mutants;
    const std::set<std::string> rules(of.findings.begin(), of.findings.end());
    ++(rules.empty() ? in.undetermined : rules.size() == 1 ? in.alone : in.several);
    in.rules.insert(rules.begin(), rules.end());
}

std::string row_of(std::string_view name, const Count& of) {
    return fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", name, of.mutants, of.alone, of.several, of.undetermined, of.rules.size());
}

/// As docs/findings.md has it.
std::string summary_of(const std::map<std::string, Count>& counts) {
    std::string summary =
        "| Table | Mutants | Named by one rule | By several | Not decidable | Rules |\n|---|---|---|---|---|---|\n";
    Count all;
    for (const auto& [table, one] : counts) {
        summary += row_of(table, one);
        all.mutants += one.mutants, all.alone += one.alone, all.several += one.several;
        all.undetermined += one.undetermined, all.rules.insert(one.rules.begin(), one.rules.end());
    }
    return summary + row_of("all", all);
}

bool is_in(const std::string& text, const std::string& path) {
    std::ifstream file(path);
    const std::string document(std::istreambuf_iterator<char>(file), {});
    if (document.find(text) != std::string::npos) return true;
    fmt::print("{} has not the table above\n", path);
    return false;
}

bool run(const std::vector<std::string>& paths, const std::string& document) {
    bool good = true;
    std::map<std::string, Count> counts;
    for (const std::string& path : paths) {
        const traffic::RuleCases table(path);
        for (const traffic::RuleCase& of : table.cases()) {
            good = is_as_told(table, of) && good;
            count(counts[table.path().stem().string()], of);
        }
    }
    const std::string summary = summary_of(counts);
    fmt::print("{}", summary);
    return (document.empty() || is_in(summary, document)) && good;
}

// ---- all mutants of a capture ----------------------------------------------------------------------

/// A line of the table for the field, changed in its lowest bit or by `change`.
void try_one(
    const traffic::Recording& healthy, const std::string& scenario, const std::string& which, const std::string& field,
    const std::string& change) try {
    traffic::Recording recording = healthy;
    const std::string line = fmt::format("{} set {}={}", which, field, change);
    traffic::edit(recording, line);
    const Found found = found_in(recording);
    const std::set<std::string> rules(found.rules.begin(), found.rules.end());
    fmt::print("{} {}\n    {}\n", rules.empty() ? "kept" : fmt::format("{}", fmt::join(rules, "+")), scenario, line);
    if (found.rules.size() > 1) fmt::print("    also {}\n", fmt::join(found.rules, " "));
    fmt::print("{}", found.text.empty() ? "" : "    #" + found.text + "\n");
} catch (const std::runtime_error& error) {
    fmt::print("# {} {}: {}\n", which, field, error.what());
}

/// The first `each` messages of each name.
void try_all(const std::string& path, const std::vector<std::string>& prefixes, std::size_t each) {
    traffic::Recording healthy = traffic::read(path);
    const std::filesystem::path file(path);
    const std::string scenario = (file.parent_path().filename() / file.stem()).string();
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < healthy.frames.size(); ++i) {
        const traffic::FrameToEdit frame = traffic::frame_to_edit(healthy, i);
        std::string name = traffic::message_name_of(frame.octets, frame.link);
        std::ranges::replace(name, ' ', '_');
        if (name.empty() || ++seen[name] > each) continue;
        const std::string which = seen[name] == 1 ? name : fmt::format("{}/{}", name, seen[name]);
        std::set<std::string> names;
        for (const replay::FieldAt& field : traffic::fields_of(frame)) {
            const auto begins = [&](const std::string& prefix) { return field.name().starts_with(prefix); };
            if (field.info == nullptr || std::ranges::none_of(prefixes, begins)) continue;
            std::string called(field.filter());
            if (field.index >= 0) called += fmt::format("[{}]", field.index);
            if (!names.insert(called).second) continue;
            const std::uint64_t value = replay::number_of(replay::value_of(frame.octets, field));
            try_one(healthy, scenario, which, called, std::to_string(value ^ 1));
            if (value > 1) try_one(healthy, scenario, which, called, "0");
        }
    }
}

}  // namespace
}  // namespace fabricscope::mutants

int main(int argc, char** argv) {
    CLI::App app("Changes one field of healthy captures at a time, and looks who notices");
    std::vector<std::string> tables, prefixes;
    std::string document, capture;
    std::size_t each = 1;
    app.add_option("TABLES", tables, "what is changed, and what is to be found");
    app.add_option("--document", document, "a file that holds the summary");
    app.add_option("--try", capture, "make all mutants of this capture, and print what is found");
    app.add_option("--fields", prefixes, "with --try: fields whose names begin with one of these")->delimiter(',');
    app.add_option("--each", each, "with --try: of so many messages of a name");
    CLI11_PARSE(app, argc, argv);
    try {
        if (capture.empty()) return fabricscope::mutants::run(tables, document) ? 0 : 1;
        fabricscope::mutants::try_all(capture, prefixes, each);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "mutants: {}\n", error.what());
        return 2;
    }
}
