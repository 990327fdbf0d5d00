// SPDX-License-Identifier: GPL-2.0-or-later
// Reads sessions of Fibre Channel's upper layers from frames: FC-VI connections, FC-AE-RDMA messages, and all messages
// of these protocols between two N_Ports.
#pragma once

#include "replay/engine/fc/recording.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

std::unique_ptr<Reader> make_reader();

}  // namespace fabricscope::replay::fibre_channel
