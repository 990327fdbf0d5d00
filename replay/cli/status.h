// SPDX-License-Identifier: GPL-2.0-or-later
// What the exit status of replay says, besides analyzer/cli/status.h.
#pragma once

#include "analyzer/cli/status.h"

namespace fabricscope::cli {

enum ReplayStatus : int {
    same = done,      ///< the other side behaved as recorded
    differs = 1,      ///< it did not, or it broke a rule of severity error
    unreachable = 4,  ///< a live peer did not answer at all
};

}  // namespace fabricscope::cli
