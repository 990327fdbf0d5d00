// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's FC-VI content as tree and columns.
#pragma once

#include "plugins/common/fc_hooks.h"
#include "plugins/fcvi/record.h"

namespace fabricscope::plugin {

using Display = FcDisplay<Record>;

/// A frame of an IU.
void show_iu(const Display& display, const FcView& view, const FrameEntry& entry);

/// A frame that concerns one of FC-VI's Exchanges, or only breaks a rule; Wireshark has shown its content.
void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry);

}  // namespace fabricscope::plugin
