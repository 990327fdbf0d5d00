// SPDX-License-Identifier: GPL-2.0-or-later
// An N_Port of the emulated stack that does what the application on one side of a recorded session did.
#pragma once

#include "replay/engine/fc/recording.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

/// Throws NotPlayable where the stack cannot do as recorded.
AttachedEndpoint emulate(const Recording& recording, Side side);

}  // namespace fabricscope::replay::fibre_channel
