// SPDX-License-Identifier: GPL-2.0-or-later
// What became of SMC-R's connections, in words.
#pragma once

#include <string>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source smcr_source;

/// What became of a connection on which SMC-R did not come up, and why; empty if it did. Reads on from
/// "the connection".
std::string why_not(const engine::smcr::Connection& connection);

/// "CONFIRM LINK"
std::string llc_name(const engine::smcr::LlcExchange& exchange);

}  // namespace fabricscope::observations
