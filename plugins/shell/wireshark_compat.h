// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's headers, and everything in which Wireshark 4.0, 4.4 and 4.6 differ for us.
//
// Wireshark's exceptions are longjmp: they run no destructors. Across calls of tvb_*, proto_*, col_*
// and call_* only trivially destructible locals may live, and no C++ exception may leave a dissector.
#pragma once

#include "capture/wireshark_version.h"

#if FABRICSCOPE_WIRESHARK_VERSION >= 402
#include <wireshark.h>
#endif

#include <epan/conversation.h>
#include <epan/conversation_filter.h>
#include <epan/conversation_table.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/export_object.h>
#include <epan/follow.h>
#include <epan/funnel.h>
#include <epan/packet.h>
#include <epan/plugin_if.h>
#include <epan/prefs-int.h>
#include <epan/prefs.h>
#include <epan/srt_table.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <epan/tvbuff-int.h>
#include <wiretap/wtap.h>

#include <cstdint>

#if FABRICSCOPE_WIRESHARK_VERSION >= 402
#include <epan/tfs.h>
#endif

namespace fabricscope::plugin {

/// What preferences and heuristic dissectors call a truth value.
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
using wireshark_bool = bool;
#else
using wireshark_bool = gboolean;
#endif

/// Wireshark 4.0 fills its Follow menu with what it knows itself; later ones with what is registered.
inline constexpr bool follow_menu_is_fixed = FABRICSCOPE_WIRESHARK_VERSION < 402;

inline void register_follower(
    int protocol, const char* tap, follow_conv_filter_func packet_filter, follow_index_filter_func index_filter,
    follow_address_filter_func address_filter, follow_port_to_display_func port_name, tap_packet_cb handler) {
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
    register_follow_stream(
        protocol, tap, packet_filter, index_filter, address_filter, port_name, handler, nullptr, nullptr);
#else
    register_follow_stream(protocol, tap, packet_filter, index_filter, address_filter, port_name, handler);
#endif
}

/// `filter_of` returns a filter for the frame's conversation, to be freed, or nullptr if it has none.
template <char* (*filter_of)(std::uint32_t frame)>
void register_packet_filter(const char* protocol_filter, const char* label) {
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
    register_conversation_filter(
        protocol_filter, label,
        [](packet_info* pinfo, void*) -> wireshark_bool {
            char* filter = filter_of(pinfo->num);
            g_free(filter);
            return filter != nullptr;
        },
        [](packet_info* pinfo, void*) { return filter_of(pinfo->num); }, nullptr);
#else
    register_conversation_filter(
        protocol_filter, label,
        [](packet_info* pinfo) -> wireshark_bool {
            char* filter = filter_of(pinfo->num);
            g_free(filter);
            return filter != nullptr;
        },
        [](packet_info* pinfo) { return filter_of(pinfo->num); });
#endif
}

/// Whoever exports this packet alone needs that frame with it. Wireshark does not know those that are still to come.
inline void mark_depended_upon(packet_info* pinfo, std::uint32_t frame) {
    if (frame >= pinfo->num) return;
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
    mark_frame_as_depended_upon(pinfo->fd, frame);
#else
    mark_frame_as_depended_upon(pinfo, frame);
#endif
}

}  // namespace fabricscope::plugin
