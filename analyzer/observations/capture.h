// SPDX-License-Identifier: GPL-2.0-or-later
// What the capture itself lacks.
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source capture_source;

/// What the parts of a capture say of it and of no session, as it would be said of the whole, whose figures `capture`
/// has. In order, as observe() has them.
std::vector<Observation> joined(std::span<const Observation> of_parts, engine::CaptureSummary capture);

}  // namespace fabricscope::observations
