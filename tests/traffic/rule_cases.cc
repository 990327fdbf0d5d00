// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/rule_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fabricscope::traffic {
namespace {

std::string rest_of(std::istringstream& in) {
    std::string rest;
    std::getline(in >> std::ws, rest);
    return rest;
}

RuleCase parsed_head(const std::string& line) {
    RuleCase parsed;
    std::istringstream in(line);
    in >> parsed.name >> parsed.scenario;
    parsed.happens = rest_of(in);
    if (!parsed.name.starts_with("kept_")) parsed.findings.push_back(parsed.name.substr(0, parsed.name.find('_')));
    return parsed;
}

/// An indented line below a case.
void add(RuleCase& to, const std::string& line) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "options") to.options = rest_of(in);
    else if (word != "also") to.edits.push_back(line);
    else
        while (in >> word) to.findings.push_back(word);
    std::ranges::sort(to.findings);
}

}  // namespace

RuleCases::RuleCases(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path.string() + " cannot be read");
    std::string* scenario = nullptr;  // that the indented lines belong to
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with(' ') && scenario != nullptr) *scenario += line + '\n';
        else if (line.starts_with(' ') && !cases_.empty()) add(cases_.back(), line.substr(line.find_first_not_of(' ')));
        else if (line.starts_with("scenario ")) scenario = &(scenarios_[line.substr(line.find(' ') + 1)] = "");
        else cases_.push_back(parsed_head(line)), scenario = nullptr;
    }
}

Recording RuleCases::recording_of(const RuleCase& of) const {
    try {
        const auto [played, is_new] = recordings_.try_emplace(of.scenario);
        if (is_new) {
            const auto text = scenarios_.find(of.scenario);
            played->second = text != scenarios_.end() ? play_text(text->second) : play(of.scenario);
        }
        Recording recording = played->second;
        for (const std::string& line : of.edits) edit(recording, line);
        return recording;
    } catch (const std::runtime_error& error) {
        throw EditError(fmt::format("{}: {}", of.name, error.what()));
    }
}

std::vector<RuleCases> all_rule_cases() {
    std::vector<RuleCases> all;
    for (const char* name : {"fcvi", "fc_ae_rdma"})
        all.emplace_back(std::filesystem::path(FABRICSCOPE_RULE_CASES) / (std::string(name) + ".rules"));
    return all;
}

}  // namespace fabricscope::traffic
