// SPDX-License-Identifier: GPL-2.0-or-later
// Lists that are cut where they would grow too long.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/style.h"

namespace fabricscope::report {

/// "smcr-1, smcr-4 and 3 more"
std::string names_text(const std::vector<std::string>& names, std::size_t most);

/// "... and 3 more connections (--all)", if not all were shown.
void write_rest(std::ostream& out, std::size_t all, std::size_t shown, std::string_view noun, const Style& style);

}  // namespace fabricscope::report
