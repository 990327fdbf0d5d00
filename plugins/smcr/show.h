// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's SMC-R content as tree and columns.
#pragma once

#include "capture/packet.h"
#include "plugins/common/wireshark_compat.h"
#include "plugins/smcr/record.h"

namespace fabricscope::plugin {

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
struct Display {
    packet_info* pinfo;
    proto_tree* tree;
    const Record* record;
    bool columns;  ///< whether Protocol and Info are ours to write
    bool details;  ///< whether anybody looks at the tree or at expert infos
    const char* protocol = "SMC-R";
};

/// The CLC messages at the start of a TCP payload; `payload` may be of another origin than the frame.
/// Returns how many of its octets belong to CLC, the part of an unfinished message included.
int show_clc(const Display& display, tvbuff_t* payload, const FrameFacts& facts);

/// The payload of an InfiniBand packet on an SMC-R link: LLC, CDC, RDMA WRITE, part of a message.
void show_link_payload(const Display& display, tvbuff_t* payload, const FrameFacts& facts);

/// What the engine knows of a frame whose octets say nothing by themselves: acknowledgements, TCP.
void show_facts(const Display& display, tvbuff_t* frame, const FrameFacts& facts);

/// The TCP option; `option` begins with its kind.
void show_tcp_option(packet_info* pinfo, proto_tree* tree, tvbuff_t* option);

}  // namespace fabricscope::plugin
