// SPDX-License-Identifier: GPL-2.0-or-later
// edit_capture: captures that are altered, for tests. A capture file or a scenario, edited by lines of text (edit.h),
// or all cases of the tables *.rules.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/traffic/rule_cases.h"

namespace traffic = fabricscope::traffic;
using nlohmann::ordered_json;

namespace {

void edit(const std::string& from, const std::string& to, const std::vector<std::string>& edits) {
    traffic::Recording recording = std::filesystem::exists(from) ? traffic::read(from) : traffic::play(from);
    for (const std::string& line : edits) traffic::edit(recording, line);
    traffic::write(recording, to);
}

bool make_rule_case(
    const traffic::RuleCases& table, const traffic::RuleCase& of, const std::filesystem::path& folder) try {
    traffic::write(table.recording_of(of), folder / (of.name + ".pcapng"));
    return true;
} catch (const std::exception& error) {
    std::fprintf(stderr, "edit_capture: %s\n", error.what());
    return false;
}

/// Writes NAME.pcapng for each case, and prints what the cases are.
bool make_rule_cases(const std::filesystem::path& folder) {
    bool good = true;
    ordered_json list = ordered_json::array();
    std::filesystem::create_directories(folder);
    for (const traffic::RuleCases& table : traffic::all_rule_cases())
        for (const traffic::RuleCase& of : table.cases()) {
            good = make_rule_case(table, of, folder) && good;
            list.push_back(
                {{"table", table.path().stem().string()},
                 {"name", of.name},
                 {"happens", of.happens},
                 {"findings", of.findings},
                 {"options", of.options}});
        }
    std::puts(list.dump(1).c_str());
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App program("Alter a capture, or make those that break rules");
    std::string from, to, rules;
    std::vector<std::string> edits;
    program.add_option("--rules", rules, "write all cases of the tables into this folder, and list them as JSON");
    program.add_option("FROM", from, "a capture file, or a scenario of samples/scenarios");
    program.add_option("TO", to, "pcapng file to write");
    program.add_option("EDIT", edits, "what is altered: tests/traffic/edit.h");
    CLI11_PARSE(program, argc, argv);
    try {
        if (!rules.empty()) return make_rule_cases(rules) ? 0 : 1;
        edit(from, to, edits);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "edit_capture: %s\n", error.what());
        return 1;
    }
}
