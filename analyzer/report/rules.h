// SPDX-License-Identifier: GPL-2.0-or-later
// The catalogue of rules.
#pragma once

#include <iosfwd>
#include <span>

#include "analyzer/engine/finding.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

void write_rules(std::ostream& out, std::span<const engine::Rule* const> rules, const Style& style);
/// All there is to say of one rule.
void write_rule(std::ostream& out, const engine::Rule& rule);
void write_rules_json(std::ostream& out, std::span<const engine::Rule* const> rules);

}  // namespace fabricscope::report
