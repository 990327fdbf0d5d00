// SPDX-License-Identifier: GPL-2.0-or-later
// What became of queue pair streams, in words.
#pragma once

#include "analyzer/engine/rdma/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

/// Whether the side that sent this asked for anything, and did not only answer.
bool asks(const engine::rdma::Direction& direction);

extern const Source rdma_source;

}  // namespace fabricscope::observations
