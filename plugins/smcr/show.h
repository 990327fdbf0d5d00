// SPDX-License-Identifier: GPL-2.0-or-later
// A frame's SMC-R content as tree and columns.
#pragma once

#include "plugins/shell/show.h"
#include "plugins/smcr/plugin.h"

namespace fabricscope::plugin::smcr {

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
struct SmcDisplay : Display {
    const Record& record;
    const char* protocol = fields.name;
};

/// The CLC messages at the start of a TCP payload; `payload` may be of another origin than the frame.
/// Returns how many of its octets belong to CLC, the part of an unfinished message included.
int show_clc(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts);

/// The payload of an InfiniBand packet on an SMC-R link: LLC, CDC, RDMA WRITE, part of a message.
void show_link_payload(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts);

/// What the engine knows of a frame whose octets say nothing by themselves: acknowledgements, TCP.
void show_facts(const SmcDisplay& display, tvbuff_t* frame, const FrameFacts& facts);

/// The TCP option; `option` begins with its kind.
void show_tcp_option(packet_info* pinfo, proto_tree* tree, tvbuff_t* option);

}  // namespace fabricscope::plugin::smcr
