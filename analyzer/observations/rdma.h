// SPDX-License-Identifier: GPL-2.0-or-later
// What became of queue pair streams, in words.
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source rdma_source;

}  // namespace fabricscope::observations
