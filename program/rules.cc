// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rules.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "program/commands.h"
#include "program/ids.h"
#include "program/output.h"
#include "program/status.h"
#include "program/suggestion.h"

namespace fabricscope::cli {
namespace {

struct RulesOptions {
    bool json = false;
    std::string id;  ///< empty = all
};

std::span<const engine::Rule* const> chosen_rules(const std::string& id) {
    const std::span<const engine::Rule* const> all = engine::rules();
    if (id.empty()) return all;
    const auto found = std::ranges::find(all, id, &engine::Rule::id);
    return {found, found != all.end() ? std::size_t{1} : 0};
}

int run(const RulesOptions& options) {
    const std::span<const engine::Rule* const> rules = chosen_rules(options.id);
    if (rules.empty() && !options.id.empty()) {
        return refuse("no rule " + options.id + suggestion(options.id, texts_of(rule_ids())));
    }
    Output output("");
    if (options.json) report::write_rules_json(output.stream(), rules);
    else if (!options.id.empty()) report::write_rule(output.stream(), *rules.front());
    else report::write_rules(output.stream(), rules, output_style());
    return output.finish() ? done : wrong_usage;
}

}  // namespace

void add_rules(CommandLine& program) {
    auto options = std::make_shared<RulesOptions>();
    const Command command = program.add_command("rules", "List what is checked");
    command.option("ID", options->id, "This rule only").offers(rule_ids);
    command.flag("--json", options->json, "Write JSON");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
