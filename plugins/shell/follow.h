// SPDX-License-Identifier: GPL-2.0-or-later
// Follow Stream: what the parties of a connection sent each other (tshark -z follow,...). Wireshark 4.0 has no place
// for followers of plugins in its own menu, so there Tools has an entry.
#pragma once

#include <cstdint>

#include "plugins/shell/wireshark_compat.h"
#include "protocols/layout/types.h"

namespace fabricscope::plugin {

/// Connections are known by numbers.
struct Follower {
    const char* tap;
    std::uint32_t (*connection_of)(std::uint32_t frame);  ///< 0 = none
    follow_index_filter_func filter_for;                  ///< a connection; to be freed
    follow_conv_filter_func filter_for_packet;
    follow_address_filter_func filter_for_addresses;
    follow_port_to_display_func port_text;
    tap_packet_cb packet;
    const char* menu;     ///< "Follo&w Stream"
    const char* tooltip;  ///< "Show what the applications of the selected frame's connection sent"
    const char* title;    ///< of the window, before the connection's number: "SMC-R stream of smcr-"
};

/// For a follower's member `filter_for_packet`.
template <std::uint32_t (*connection_of)(std::uint32_t frame), follow_index_filter_func filter_for>
char* filter_for_packet(epan_dissect_t*, packet_info* pinfo, unsigned* stream, unsigned* sub_stream) {
    *sub_stream = 0;
    *stream = connection_of(pinfo->num);
    return *stream != 0 ? filter_for(*stream, 0) : nullptr;
}

/// `listener` is the tap's.
void add_followed(void* listener, const packet_info* pinfo, ByteView octets, bool from_server);

/// Has Wireshark dissect the capture once more and shows the selected frame's connection in a window. `protocol` is the
/// follower's name: that of the protocol, as in its column.
void follow_in_window(const Follower& follower, const char* protocol);

}  // namespace fabricscope::plugin
