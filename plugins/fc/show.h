// SPDX-License-Identifier: GPL-2.0-or-later
// What trees and columns of protocols that are built on Fibre Channel have in common.
#pragma once

#include "plugins/fc/frame.h"
#include "plugins/fc/record.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin {

/// Protocol and Info.
void write_fc_columns(const Display& display, const FcEntry& entry, const Line& summary);

/// From `start` in the view's tvb to the end of the payload.
proto_tree* add_fc_protocol(const Display& display, const FcView& view, int start, const Line& summary);
/// Of a frame that is not the protocol's own.
proto_tree* add_fc_other(const Display& display, tvbuff_t* packet, int subtree);

void add_fc_remarks(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FcEntry& entry);
/// What the frame answers, and what answers it.
void add_links(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FcRecord& record, const FcEntry& entry);

struct AssemblyIds {
    int reassembled_in, length, data, segment, subtree;
};
/// The message, in the frame that completes it, otherwise the number of that frame. A message of a single frame has
/// been shown. `title` is that of the octets.
void add_assembly(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* packet, AssemblyIds ids, const char* title, const FcRecord& record,
    const FcEntry& entry);

}  // namespace fabricscope::plugin
