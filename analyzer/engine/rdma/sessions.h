// SPDX-License-Identifier: GPL-2.0-or-later
// What connection managers told of the queue pairs of streams.
#pragma once

#include "analyzer/engine/rdma/tracker.h"

namespace fabricscope::engine::rdma {

/// Gives each stream the CM connection or link group that set it up, and what that tells of it.
void settle_sessions(Model& model, const Announcements& announcements);

}  // namespace fabricscope::engine::rdma
