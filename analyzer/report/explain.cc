// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/engine/protocols.h"
#include "analyzer/observations/observation.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/table.h"

namespace fabricscope::report {
namespace {

using observations::Kind;

void write_part(std::ostream& out, std::string_view title, std::string_view text, const Style& style) {
    out << '\n' << style.paint(Ink::bold, title) << '\n';
    for (const std::string& line : wrapped(text, text_width)) out << "  " << line << '\n';
}

void write_kind(std::ostream& out, const Kind& kind, const Style& style) {
    out << style.paint(Ink::bold, kind.id) << " (" << name_of(kind.severity) << "): " << kind.title << '\n';
    write_part(out, "What it means", kind.meaning, style);
    write_part(out, "Where to look", kind.look, style);
    write_part(out, "Example", kind.example, style);
}

/// The protocol whose rule it is: its filter finds the frames in Wireshark.
const engine::Protocol& protocol_of(const engine::Rule& rule) {
    return *std::ranges::find_if(engine::protocols, [&](const engine::Protocol& protocol) {
        return std::ranges::find(protocol.rules, &rule) != protocol.rules.end();
    });
}

void write_broken(std::ostream& out, const engine::Rule& rule) {
    write_rule(out, rule);
    out << fmt::format(
        "  Example: {} {}, in a capture that breaks it; in Wireshark {}.rule == \"{}\"\n", rule.id,
        name_of(rule.severity), protocol_of(rule).filter, rule.id);
}

}  // namespace

void write_kinds(std::ostream& out, const Style& style) {
    Table table({{"Id"}, {"Severity"}, {"What"}});
    for (const Kind* kind : observations::catalogue())
        table.add({{kind->id}, {name_of(kind->severity)}, {kind->title}});
    table.print(out, style, 0);
}

void write_kinds_markdown(std::ostream& out) {
    out << "# Observations\n\n"
           "What `fabricscope analyze` observes besides rules that were broken: what failed, waited or was repeated, "
           "and what the capture itself lacks. `fabricscope explain ID` prints the same. A severity is the worst that "
           "an observation of the kind has; what follows from a cause is counted with it and is no observation of its "
           "own. This file is printed by `fabricscope explain --markdown`.\n";
    for (const Kind* kind : observations::catalogue())
        out << fmt::format(
            "\n## {}\n\n**{}** ({})\n\n{}\n\nWhere to look: {}\n\nExample: *{}*\n", kind->id, kind->title,
            name_of(kind->severity), kind->meaning, kind->look, kind->example);
}

bool write_explanation(std::ostream& out, std::string_view id, const Style& style) {
    if (const Kind* kind = observations::find_kind(id)) {
        write_kind(out, *kind, style);
        return true;
    }
    const auto rule = std::ranges::find(
        engine::rules(), id, [](const engine::Rule* r) { return std::string_view(r->id); });
    if (rule == engine::rules().end()) return false;
    write_broken(out, **rule);
    return true;
}

}  // namespace fabricscope::report
