// SPDX-License-Identifier: GPL-2.0-or-later
// Results of all parts of a partition, joined as if one program had read the whole.
//
// Parts are results that `analyze --as-part --json` wrote: their frames and times are those of the whole. Sessions are
// numbered anew, by the frames with which they turned up; counts are added; lists are merged in the order that they
// would have. The results are read line by line, side by side, so that memory does not grow with their size, but for
// observations that concern the capture as a whole, and eight octets for each session.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/report/result_lines.h"

namespace fabricscope::report {

struct MergeOutcome {
    bool errors_found = false;  ///< rules of severity error were broken
    bool complete = true;       ///< all captures could be read to their end
};

/// As `analyze --json` would write them. Throws ResultError.
MergeOutcome merge_json(const std::vector<std::string>& results, std::ostream& out);

/// As a new database at `path`; as write_sqlite().
MergeOutcome merge_sqlite(const std::vector<std::string>& results, const std::string& path);

}  // namespace fabricscope::report
