// SPDX-License-Identifier: GPL-2.0-or-later
// The catalogue of observations, and what there is to say of one, or of a rule.
#pragma once

#include <iosfwd>
#include <string_view>

#include "analyzer/report/style.h"

namespace fabricscope::report {

/// All kinds of observations: id, severity, title.
void write_kinds(std::ostream& out, const Style& style);
/// docs/observations.md
void write_kinds_markdown(std::ostream& out);

/// What an observation or a broken rule means, where to look, an example. False if there is none of that id.
bool write_explanation(std::ostream& out, std::string_view id, const Style& style);

}  // namespace fabricscope::report
