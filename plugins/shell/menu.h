// SPDX-License-Identifier: GPL-2.0-or-later
// Display filters that a plugin hands out: in Tools > PROTOCOL for the selected frame, and in the packet list's menu
// Conversation Filter.
#pragma once

#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

/// A filter for something that a frame belongs to.
struct FrameFilter {
    const char* menu;          ///< "Filter &Connection"
    const char* tooltip;       ///< "Show only the selected frame's connection"
    const char* conversation;  ///< "FC-VI connection"
    /// To be freed; nullptr if the frame has nothing to filter by.
    char* (*of_frame)(std::uint32_t frame);
    void (*register_for_packet)(const char* protocol, const char* conversation);
};

template <char* (*of_frame)(std::uint32_t frame)>
constexpr FrameFilter frame_filter(const char* menu, const char* tooltip, const char* conversation) {
    return {menu, tooltip, conversation, of_frame, register_packet_filter<of_frame>};
}

/// A filter that is always the same.
struct MenuFilter {
    const char* menu;
    const char* tooltip;
    const char* filter;
};

/// 0 = none
std::uint32_t selected_frame();

struct Description;
/// Tools > PROTOCOL, and conversation filters. The description lives as long as the process.
void register_menu(int protocol, const Description& description);

}  // namespace fabricscope::plugin
