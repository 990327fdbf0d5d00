// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/scenario_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzer/engine/engine.h"
#include "analyzer/engine/finding.h"
#include "replay/synth/families.h"

namespace fabricscope::cli {
namespace {

std::optional<std::string> text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path)) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Scenarios of two protocols had another prefix before 2026-11-22; scripts that have it go on.
std::string present_name(const std::string& scenario) {
    if (scenario.starts_with("rdmacm_")) return "rdma_cm_" + scenario.substr(7);
    if (scenario.starts_with("fcaerdma_")) return "fc_ae_rdma_" + scenario.substr(9);
    return scenario;
}

std::optional<std::string> text_of(const std::string& scenario) {
    const auto builtin = std::ranges::find(
        synth::builtin_scenarios(), present_name(scenario), &synth::BuiltinScenario::name);
    if (builtin != synth::builtin_scenarios().end()) return std::string(builtin->text);
    return text_of_file(scenario);
}

bool is_rule(std::string_view id) {
    return std::ranges::any_of(engine::rules(), [&](const engine::Rule* rule) { return rule->id == id; });
}

/// What a file names lies beside it.
synth::LoadText beside(const std::string& name) {
    return [folder = std::filesystem::path(name).parent_path()](const std::string& file) {
        return text_of_file((folder / file).string());
    };
}

}  // namespace

bool is_scenario(const std::string& name) { return text_of(name).has_value(); }

synth::Scenario read_scenario(const std::string& name, const std::vector<std::string>& added) {
    std::optional<std::string> text = text_of(name);
    if (!text) throw synth::ScenarioError("cannot be read");
    for (const std::string& line : added) *text += "\n" + line;
    return synth::parse_scenario(*text, is_rule, beside(name));
}

synth::Scenario read_statements(const std::string& file) {
    const std::optional<std::string> text = text_of_file(file);
    if (!text) throw synth::ScenarioError("cannot be read");
    return synth::parse_statements(*text, is_rule, beside(file));
}

bool has_name_of_scenario(const std::string& file) { return std::filesystem::path(file).extension() == ".scenario"; }

}  // namespace fabricscope::cli
