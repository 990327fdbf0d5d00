// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z are fed with.
#pragma once

#include "plugins/shell/show.h"

namespace fabricscope::plugin {

/// What listeners of a protocol's tap are given of a frame; protocols derive from it what they add. Copies of frames
/// are left out.
struct TapFrame {
    const Fields* fields;        ///< whose frame it is
    Ends ends;                   ///< none for a frame of no conversation
    std::uint32_t conversation;  ///< tells those of the same two parties apart
    std::span<const FrameNotes::Broken> broken;
};

/// Of the tap `data` that a listener was called with.
template <class T> const T& tapped(const void* data) {
    return *static_cast<const T*>(static_cast<const TapFrame*>(data));
}

/// Conversations and endpoints (-z conv,... -z endpoints,...): the parties are texts, which are no addresses of
/// Wireshark's.
void register_conversations(const Fields& fields);

/// Ticks a stats tree's node for each rule that the frame breaks.
void tick_findings(stats_tree* tree, int node, const TapFrame& tap);

}  // namespace fabricscope::plugin
