// SPDX-License-Identifier: GPL-2.0-or-later
// Results for people: what stands out, then the connections, link groups and findings.
#pragma once

#include <iosfwd>
#include <limits>

#include "analyzer/report/results.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

struct SummaryOptions {
    Style style;
    std::size_t rows = 25;  ///< of each table
    std::size_t names = 5;  ///< sessions named in a sentence
};

void write_summary(std::ostream& out, const Results& results, const SummaryOptions& options);

}  // namespace fabricscope::report
