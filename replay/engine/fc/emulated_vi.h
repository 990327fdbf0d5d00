// SPDX-License-Identifier: GPL-2.0-or-later
// Emulated hosts whose applications use FC-VI as those of a recording did.
#pragma once

#include <memory>

#include "replay/engine/fc/recording.h"
#include "replay/stack/fc/host.h"

namespace fabricscope::replay::fibre_channel {

/// Throws NotPlayable.
std::unique_ptr<stack::Endpoint> emulated_vi(
    const Recording& recording, Side side, stack::fibre_channel::HostConfig config);

}  // namespace fabricscope::replay::fibre_channel
