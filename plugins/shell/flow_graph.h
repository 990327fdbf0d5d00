// SPDX-License-Identifier: GPL-2.0-or-later
// Arrows of a flow graph (Statistics > Flow Graph, tshark -z flow,...).
#pragma once

#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

struct Arrow {
    const address* from = nullptr;  ///< nullptr: the frame's own source and destination
    const address* to = nullptr;
    const char* label = "";
    const char* comment = "";
    std::uint16_t conversation = 0;  ///< arrows of different ones are told apart
    std::uint16_t width = 1;
};

/// `graph` is the tap's data.
void add_arrow(void* graph, packet_info* pinfo, const Arrow& arrow);

/// `tshark -z flow,NAME,...`; the entry LABEL in Wireshark's list of flows.
void register_flow_graph(int protocol, const char* name, const char* label, const char* tap, tap_packet_cb handler);

}  // namespace fabricscope::plugin
