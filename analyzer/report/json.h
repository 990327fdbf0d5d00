// SPDX-License-Identifier: GPL-2.0-or-later
// Results as JSON, schema "fabricscope/1".
#pragma once

#include <iosfwd>

#include "analyzer/report/results.h"

namespace fabricscope::report {

/// Connections, link groups and findings take a line each and are written one by one, so that memory
/// does not grow with their number. `cursors` adds each direction's timeline.
void write_json(std::ostream& out, const Results& results, bool cursors);

}  // namespace fabricscope::report
