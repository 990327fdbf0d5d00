// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes over time as a picture.
#pragma once

#include "analyzer/report/drawing.h"
#include "analyzer/report/overview.h"

namespace fabricscope::report {

/// All branches, one below the other, up to `most` lanes. `start` is the capture's first frame.
Drawing picture_of(const Overview& overview, engine::Time start, engine::Time end, std::size_t most);

}  // namespace fabricscope::report
