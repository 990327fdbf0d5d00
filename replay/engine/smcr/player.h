// SPDX-License-Identifier: GPL-2.0-or-later
// Plays one side of an SMC-R session: control messages from the recording, data by an application that does what the
// recorded one did, over a data path that respects the peer's window.
#pragma once

#include "replay/engine/player.h"
#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

/// `recorded` must live as long. Throws NotPlayable.
AttachedPlayer make_player(const Recorded& recorded, Side played, const PlayOptions& options);

}  // namespace fabricscope::replay::smcr
