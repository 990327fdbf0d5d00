// SPDX-License-Identifier: GPL-2.0-or-later
// What the program's exit status says.
#pragma once

namespace fabricscope::cli {

enum Status : int {
    done = 0,
    errors_found = 1,  ///< done, and there are findings of level "error"
    wrong_usage = 2,   ///< or an output that could not be written
    not_read = 3,      ///< an input could not be read; what was readable has been reported
};

/// Of replay.
enum ReplayStatus : int {
    same = done,      ///< the other side behaved as recorded
    differs = 1,      ///< it did not, or it broke a rule of severity error
    unreachable = 4,  ///< a live peer did not answer at all
};

}  // namespace fabricscope::cli
