// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source smcr_source;

}  // namespace fabricscope::observations
