// SPDX-License-Identifier: GPL-2.0-or-later
// What columns and trees of all protocols have in common.
#pragma once

#include "analyzer/info/line.h"
#include "plugins/shell/fields.h"
#include "plugins/shell/frame_notes.h"
#include "plugins/shell/generated.h"
#include "plugins/shell/session.h"
#include "plugins/shell/tree.h"
#include "protocols/layout/error.h"

namespace fabricscope::plugin {

using info::Line;
using info::range_text;

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
struct Display {
    Fields& fields;
    const FrameNotes& notes;
    packet_info* pinfo;
    proto_tree* tree;
    bool details;       ///< whether anybody looks at the tree or at expert infos
    bool columns;       ///< whether anybody looks at Protocol and Info, and they are ours to write
    bool first = true;  ///< of what the packet carries of the protocol: its tree has what is known of the packet

    bool is_seen() const { return details || columns; }
};
/// Whether anybody looks at the protocol's part of the tree, or at expert infos.
bool is_looked_at(proto_tree* tree, int protocol);
Display display_in(Fields& fields, const FrameNotes& notes, packet_info* pinfo, proto_tree* tree);

// ---- columns and the protocol's own item ---------------------------------------------------------

/// Protocol and Info. The packet's first message replaces what the layers below wrote, as far as they put up no fence;
/// further ones are added.
void write_columns(const Display& display, const char* protocol, const Line& info, const char* separator);
/// The same with `info` behind a mark: the frame is a copy of the frame `original`, or `repetition` if that is no
/// nullptr.
void write_marked_columns(
    const Display& display, const char* protocol, std::uint64_t original, const char* repetition, const Line& info,
    const char* separator);
/// "FC-VI, SUMMARY"
proto_tree* add_protocol(
    const Display& display, const char* protocol, tvbuff_t* tvb, int start, int length, const char* summary);
TreeBuilder builder(const Display& display, tvbuff_t* message, proto_tree* tree);
/// Nothing if there is no error. `tree` is the message's.
void add_error(const Display& display, proto_tree* tree, const layout::ParseError& error);

// ---- what the engine found out -------------------------------------------------------------------

/// "fcvi-1"; nothing for number 0
void add_id(proto_tree* tree, tvbuff_t* tvb, int id, const char* prefix, std::uint32_t number);

/// A frame's sender and receiver as texts; nullptr if there are none.
struct Ends {
    const char* source = nullptr;
    const char* destination = nullptr;
};
void add_ends(const Display& display, proto_tree* tree, tvbuff_t* tvb, const Ends& ends);

/// The frame answers another one; nothing for request 0.
void add_request(const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t request, capture::Time elapsed);
/// The frame that answers `request`.
void add_response(const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t request);

/// Copies, repetitions, and for the packet's first tree what is known of the packet: findings, and that it is late.
/// That a frame is repeated is an expert info of the tree's head, or, if `at_field`, of the field that says so.
void add_remarks(
    const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t original, bool repeated,
    bool at_field = false);

}  // namespace fabricscope::plugin
