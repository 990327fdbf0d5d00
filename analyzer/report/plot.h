// SPDX-License-Identifier: GPL-2.0-or-later
// Cursors over time as a picture.
#pragma once

#include <span>
#include <string>

#include "analyzer/report/drawing.h"
#include "analyzer/report/timeline.h"

namespace fabricscope::report {

/// The connections one below the other, over one time axis: for each direction what was produced and consumed, the
/// window, what was in flight, and below it when the window was full, when the sender was blocked, urgent data
/// and the flags D, C and A. From five connections on only what was in flight. `source` names the capture.
Drawing plot_of(std::span<const Timeline> timelines, const std::string& source);

}  // namespace fabricscope::report
