// SPDX-License-Identifier: GPL-2.0-or-later
// What came of a load, as text and as JSON.
#pragma once

#include <iosfwd>

#include "analyzer/report/json_value.h"
#include "analyzer/report/style.h"
#include "replay/load/load_run.h"

namespace fabricscope::replay {

void write_text(
    std::ostream& out, const LoadPlan& plan, const LoadWay& way, const LoadRun& run, const report::Style& style);
report::Json json_of(const LoadPlan& plan, const LoadWay& way, const LoadRun& run);

}  // namespace fabricscope::replay
