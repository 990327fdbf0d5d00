// SPDX-License-Identifier: GPL-2.0-or-later
// What became of RDMA CM's connections, in words.
#pragma once

#include <string>

#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source rdma_cm_source;

/// "reason 28, consumer reject: RDMA IP CM service, IP version"
std::string reason_text(const engine::rdma_cm::RejectSeen& reject);

/// Why a connection did not come about, "rejected by the server with ..."; empty if it did.
std::string why_not(const engine::rdma_cm::Connection& connection);

}  // namespace fabricscope::observations
