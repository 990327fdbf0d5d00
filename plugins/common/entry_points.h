// SPDX-License-Identifier: GPL-2.0-or-later
// Being there before and after every frame is dissected.
//
// The engine must have seen a frame before Wireshark dissects it, and it must see every frame once, in
// the capture's order. So the dissectors that Wireshark calls for the link types we know ("wtap_encap")
// are replaced by one that calls the old one. No dissector above is called for all frames, and a
// postdissector comes too late for the frame's own tree.
#pragma once

#include <span>

#include "capture/frame.h"
#include "plugins/common/wireshark_compat.h"

namespace fabricscope::plugin {

/// A frame on its way through the dissectors.
struct Visit {
    tvbuff_t* tvb;
    packet_info* pinfo;
    proto_tree* tree;
    capture::Frame frame;
    bool has_interface_id;  ///< otherwise the capture has one interface only
    bool first;             ///< in the capture's order, once for each frame; otherwise a frame seen before
};

struct FrameHooks {
    void (*before)(const Visit&);
    /// Also if the dissector in between threw.
    void (*after)(const Visit&);
};

/// Link types that may carry InfiniBand or TCP, and those that may carry Fibre Channel.
std::span<const int> infiniband_links();
std::span<const int> fibre_channel_links();

/// To be called once, when all dissectors have been registered. `links` are wiretap's WTAP_ENCAP_...; frames of others
/// cost nothing.
void wrap_entry_points(const FrameHooks& hooks, std::span<const int> links);
/// The next first visit is of another capture, or of the same one again.
void restart_first_visits();

}  // namespace fabricscope::plugin
