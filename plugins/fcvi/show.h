// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's FC-VI content as tree and columns.
#pragma once

#include "plugins/common/fc_frame.h"
#include "plugins/fcvi/record.h"

namespace fabricscope::plugin {

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
struct Display {
    packet_info* pinfo;
    proto_tree* tree;
    const Record* record;
    bool details;  ///< whether anybody looks at the tree or at expert infos
    bool first;    ///< of the packet's FC-VI frames
};

/// A frame of an IU.
void show_iu(const Display& display, const FcView& view, const FrameEntry& entry);

/// A frame that concerns one of FC-VI's Exchanges, or only breaks a rule; Wireshark has shown its content.
void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry);

}  // namespace fabricscope::plugin
