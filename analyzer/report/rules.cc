// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rules.h"

#include <ostream>

#include "analyzer/report/document.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"

namespace fabricscope::report {

void write_rules(std::ostream& out, std::span<const engine::Rule* const> rules, const Style& style) {
    constexpr std::size_t clause_width = 26, sentence_width = 64;
    Table table(
        {{"Id"},
         {"Severity"},
         {"Clause", Table::Align::left, clause_width},
         {"What must hold", Table::Align::left, sentence_width}});
    for (const engine::Rule* rule : rules)
        table.add({{rule->id}, {name_of(rule->severity)}, {rule->clause}, {rule->sentence}});
    table.print(out, style, 0);
}

void write_rule(std::ostream& out, const engine::Rule& rule) {
    out << rule.id << ": " << rule.sentence << "\n  Severity: " << name_of(rule.severity)
        << "\n  Clause: " << rule.clause << "\n  Decided from: " << rule.evidence.text << '\n';
    if (rule.only_in) out << "  Only with: --profile " << name_of(*rule.only_in) << '\n';
    if (rule.deviation != nullptr) out << "  Linux: " << rule.deviation << '\n';
}

void write_rules_json(std::ostream& out, std::span<const engine::Rule* const> rules) {
    std::string line = "[";
    for (const engine::Rule* rule : rules) {
        if (line.size() > 1) line += ',';
        append_object(line, rule_columns, rule, {});
    }
    out << indented(line + "]") << '\n';
}

}  // namespace fabricscope::report
