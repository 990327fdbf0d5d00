// SPDX-License-Identifier: GPL-2.0-or-later
// Retransmissions and the like, whose queue pair it may be.
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source packets_source;

/// Where to look if a receiver has no buffer for a message.
const char* where_buffers_lack();

}  // namespace fabricscope::observations
