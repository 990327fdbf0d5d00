// SPDX-License-Identifier: GPL-2.0-or-later
// A recorded side as a host of the emulated stack.
#pragma once

#include "replay/engine/player.h"
#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

/// A host that is and has what that side was and had, with applications that do what its applications did. Throws
/// NotPlayable.
EmulatedStation make_emulated(const Recorded& recorded, Side side, const std::string& profile);

}  // namespace fabricscope::replay::smcr
