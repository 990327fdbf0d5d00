// SPDX-License-Identifier: GPL-2.0-or-later
// Plays one side of a recorded session as an N_Port: the Information Units as they were, on Exchanges of its own.
#pragma once

#include "replay/engine/fc/recording.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

/// `recording` has to live as long as the player.
AttachedPlayer play(const Recording& recording, Side played, const PlayOptions& options);

}  // namespace fabricscope::replay::fibre_channel
