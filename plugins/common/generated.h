// SPDX-License-Identifier: GPL-2.0-or-later
// Fields that the engine worked out: no octets hold them, and Wireshark puts them in brackets.
#pragma once

#include <optional>
#include <type_traits>

#include "capture/frame.h"
#include "plugins/common/wireshark_compat.h"

namespace fabricscope::plugin {

/// Where `table` has the field `filter`; the compiler looks it up.
template <const auto& table> struct GeneratedName {
    std::size_t index = 0;

    consteval GeneratedName(const char* filter) {
        while (std::string_view(table.at(index).filter) != filter) ++index;
    }
};

void add_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text);
void add_true(proto_tree* tree, tvbuff_t* tvb, int id);
/// Nothing for frame 0.
void add_frame(proto_tree* tree, tvbuff_t* tvb, int id, std::uint64_t frame);
void add_time_span(proto_tree* tree, tvbuff_t* tvb, int id, capture::Time span);
/// Lets a filter name what the tree shows otherwise.
void add_hidden_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text);
void add_presence(proto_tree* tree, tvbuff_t* tvb, int id);

template <class T> void add_number(proto_tree* tree, tvbuff_t* tvb, int id, const std::optional<T>& number) {
    if (!number) return;
    proto_item* item = nullptr;
    if constexpr (std::is_signed_v<T>) item = proto_tree_add_int64(tree, id, tvb, 0, 0, *number);
    else item = proto_tree_add_uint64(tree, id, tvb, 0, 0, *number);
    proto_item_set_generated(item);
}

struct RequestIds {
    int request_in;
    int time;
};
/// The frame answers another one; nothing for request 0.
void add_request(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, RequestIds ids, std::uint64_t request, capture::Time elapsed);

/// A frame's sender and receiver as texts; nullptr if there are none.
struct Ends {
    const char* source = nullptr;
    const char* destination = nullptr;
};
struct EndIds {
    int source;
    int destination;
    int either;
};
void add_ends(proto_tree* tree, tvbuff_t* tvb, EndIds ids, const Ends& ends);

}  // namespace fabricscope::plugin
