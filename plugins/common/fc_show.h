// SPDX-License-Identifier: GPL-2.0-or-later
// What trees and columns of protocols that are built on Fibre Channel have in common.
#pragma once

#include "plugins/common/experts.h"
#include "plugins/common/fc_record.h"
#include "plugins/common/generated.h"
#include "plugins/common/line.h"

namespace fabricscope::plugin {

/// "fcvi-1"; nothing for number 0
void add_id(packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, int id, const char* prefix, std::uint32_t number);

/// Protocol and Info. The first frame of a packet replaces what the layers below wrote, further ones are added.
void write_columns(packet_info* pinfo, const char* protocol, bool first, const FcEntry& entry, const Line& summary);

struct RemarkIds {
    int copy_of, repeated, rule;
};
/// Copies, repetitions, findings. `first`: whether it is the packet's first frame, whose tree has what is known of the
/// packet.
void add_remarks(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, RemarkIds ids, Experts& experts, const FcRecord& record,
    const FcEntry& entry, bool first);

struct LinkIds {
    RequestIds request;
    int response_in;
};
void add_links(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, LinkIds ids, const FcRecord& record, const FcEntry& entry);

struct AssemblyIds {
    int reassembled_in, length, data, segment, subtree;
};
/// The message, in the frame that completes it, otherwise the number of that frame. A message of a single frame has
/// been shown. `title` is that of the octets.
void add_assembly(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* packet, AssemblyIds ids, const char* title, const FcRecord& record,
    const FcEntry& entry);

/// "0x1000-0x17ff"; empty for no octets
Line range_text(std::uint64_t first, std::uint64_t octets);

}  // namespace fabricscope::plugin
