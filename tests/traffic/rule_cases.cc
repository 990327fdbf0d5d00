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

RuleCase parsed_head(const std::string& line, unsigned number) {
    RuleCase parsed;
    parsed.line = number;
    std::istringstream in(line);
    in >> parsed.name >> parsed.scenario;
    parsed.happens = rest_of(in);
    if (!parsed.name.starts_with("kept_")) parsed.findings.push_back(parsed.name.substr(0, parsed.name.find('_')));
    return parsed;
}

/// An indented line below a case.
void add(RuleCase& to, const std::string& line, unsigned number) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "options") to.options = rest_of(in);
    else if (word != "also") to.edits.push_back({number, line});
    else
        while (in >> word) to.findings.push_back(word);
    std::ranges::sort(to.findings);
}

/// Of samples/, whatever its format.
Recording read_sample(const std::string& name) {
    const auto base = std::filesystem::path(FABRICSCOPE_SAMPLES).parent_path() / name;
    const bool is_pcap = std::filesystem::exists(base.string() + ".pcap");
    return read(base.string() + (is_pcap ? ".pcap" : ".pcapng"));
}

}  // namespace

RuleCases::RuleCases(const std::filesystem::path& path) : path_(path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path.string() + " cannot be read");
    std::string* scenario = nullptr;  // that the indented lines belong to
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos || line[0] == '#') continue;
        if (begin != 0 && scenario != nullptr) *scenario += line + '\n';
        else if (begin != 0 && !cases_.empty()) add(cases_.back(), line.substr(begin), number);
        else if (line.starts_with("scenario ")) scenario = &(scenarios_[line.substr(line.find(' ') + 1)] = "");
        else cases_.push_back(parsed_head(line, number)), scenario = nullptr;
    }
}

const Recording& RuleCases::played(const std::string& scenario) const {
    const auto known = recordings_.find(scenario);
    if (known != recordings_.end()) return known->second;
    const auto text = scenarios_.find(scenario);
    Recording recording = text != scenarios_.end()                  ? play_text(text->second)
                          : scenario.find('/') != std::string::npos ? read_sample(scenario)
                                                                    : play(scenario);
    return recordings_.emplace(scenario, std::move(recording)).first->second;
}

Recording RuleCases::recording_of(const RuleCase& of) const {
    unsigned line = of.line;
    try {
        Recording recording = played(of.scenario);
        for (const RuleCase::Edit& one : of.edits) line = one.line, edit(recording, one.text);
        return recording;
    } catch (const std::runtime_error& error) {
        throw EditError(fmt::format("{}:{}: {}: {}", path_.string(), line, of.name, error.what()));
    }
}

const std::vector<RuleCases>& all_rule_cases() {
    static const std::vector<RuleCases> all = [] {
        std::vector<RuleCases> tables;
        for (const char* name : {"smcr", "rdma_cm", "rdma", "fcvi", "fc_ae_rdma"})
            tables.emplace_back(std::filesystem::path(FABRICSCOPE_RULE_CASES) / (std::string(name) + ".rules"));
        return tables;
    }();
    return all;
}

}  // namespace fabricscope::traffic
