// SPDX-License-Identifier: GPL-2.0-or-later
// Fields that the engine worked out: no octets hold them, and Wireshark puts them in brackets.
#pragma once

#include <optional>
#include <type_traits>

#include "capture/frame.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

void add_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text);
proto_item* add_true(proto_tree* tree, tvbuff_t* tvb, int id);
/// Nothing for frame 0.
void add_frame(proto_tree* tree, tvbuff_t* tvb, int id, std::uint64_t frame);
void add_time_span(proto_tree* tree, tvbuff_t* tvb, int id, capture::Time span);
/// Lets a filter name what the tree shows otherwise.
void add_hidden_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text);
/// Lets a filter, a column or a graph have a session as a number; nothing for 0.
void add_stream_number(proto_tree* tree, tvbuff_t* tvb, int id, std::uint32_t number);
void add_presence(proto_tree* tree, tvbuff_t* tvb, int id);

/// Returns nullptr if there is no number.
template <class T> proto_item* add_number(proto_tree* tree, tvbuff_t* tvb, int id, const std::optional<T>& number) {
    if (!number) return nullptr;
    proto_item* item = nullptr;
    if constexpr (std::is_signed_v<T>) item = proto_tree_add_int64(tree, id, tvb, 0, 0, *number);
    else item = proto_tree_add_uint64(tree, id, tvb, 0, 0, *number);
    proto_item_set_generated(item);
    return item;
}

}  // namespace fabricscope::plugin
