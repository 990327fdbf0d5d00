// SPDX-License-Identifier: GPL-2.0-or-later
// A recorded side as a host of the emulated stack.
#pragma once

#include "replay/engine/player.h"
#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

/// A host configured as that side was, with applications that do what its applications did. Throws
/// NotPlayable.
AttachedEndpoint make_emulated(const Recorded& recorded, Side side, const std::string& profile);

}  // namespace fabricscope::replay::smcr
