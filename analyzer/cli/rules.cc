// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rules.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"

namespace fabricscope::cli {
namespace {

struct RulesOptions {
    bool json = false;
    std::string id;  ///< empty = all
};

std::span<const engine::Rule> chosen_rules(const std::string& id) {
    const std::span<const engine::Rule> all = engine::rules();
    if (id.empty()) return all;
    const auto found = std::ranges::find(all, id, &engine::Rule::id);
    return found != all.end() ? std::span(&*found, 1) : std::span<const engine::Rule>();
}

int run(const RulesOptions& options) {
    const std::span<const engine::Rule> rules = chosen_rules(options.id);
    if (rules.empty() && !options.id.empty()) {
        complain("no rule " + options.id);
        return wrong_usage;
    }
    Output output("");
    if (options.json) report::write_rules_json(output.stream(), rules);
    else if (!options.id.empty()) report::write_rule(output.stream(), rules.front());
    else report::write_rules(output.stream(), rules, output_style());
    return output.finish() ? done : wrong_usage;
}

}  // namespace

void add_rules(CLI::App& program, int& status) {
    auto options = std::make_shared<RulesOptions>();
    CLI::App* command = program.add_subcommand("rules", "List what is checked");
    command->add_option("ID", options->id, "This rule only");
    command->add_flag("--json", options->json, "Write JSON");
    command->callback([options, &status] { status = run(*options); });
}

}  // namespace fabricscope::cli
