// SPDX-License-Identifier: GPL-2.0-or-later
// An N_Port of the emulated stack that does what the application on one side of a recorded session did.
#pragma once

#include "replay/engine/fc/recording.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

/// What a port says of itself in logins: what the recorded one said, or what the stack says by itself.
enum class Parameters : std::uint8_t { recorded, documents };

/// Throws NotPlayable where the stack cannot do as recorded.
AttachedEndpoint emulate(const Recording& recording, Side side, Parameters parameters);

}  // namespace fabricscope::replay::fibre_channel
