// SPDX-License-Identifier: GPL-2.0-or-later
// What follows from curves of data that advance: how much was under way, and how fast it went.
#pragma once

#include <span>
#include <vector>

#include "analyzer/report/cursor_curves.h"
#include "analyzer/viewer/model/navigator.h"

namespace fabricscope::viewer {

using report::CurvePanel;
using report::StepValue;

/// What was sent and not yet dealt with: the difference of the panel's last two curves. Nothing if there are not two.
std::vector<StepValue> in_flight_of(const CurvePanel& panel);

struct Rate {
    Time begin = 0;
    double octets_per_second = 0;
};
/// Of a curve, in so many equal parts of a stretch of time.
std::vector<Rate> rates_of(std::span<const StepValue> steps, const Stretch& stretch, std::size_t parts);

}  // namespace fabricscope::viewer
