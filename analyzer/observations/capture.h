// SPDX-License-Identifier: GPL-2.0-or-later
// What the capture itself lacks.
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source capture_source;

}  // namespace fabricscope::observations
