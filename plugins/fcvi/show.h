// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's FC-VI content as tree and columns.
#pragma once

#include "plugins/fc/show.h"
#include "plugins/fcvi/plugin.h"

namespace fabricscope::plugin::fcvi {

/// A frame of an IU.
void show_iu(const Display& display, const Record& record, const FcView& view, const FrameEntry& entry);

/// A frame that concerns one of FC-VI's Exchanges, or only breaks a rule; Wireshark has shown its content.
void show_other(const Display& display, const Record& record, tvbuff_t* packet, const FrameEntry& entry);

}  // namespace fabricscope::plugin::fcvi
