// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/generated.h"

namespace fabricscope::plugin {

void add_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text) {
    proto_item_set_generated(proto_tree_add_string(tree, id, tvb, 0, 0, text));
}

void add_true(proto_tree* tree, tvbuff_t* tvb, int id) {
    proto_item_set_generated(proto_tree_add_boolean(tree, id, tvb, 0, 0, 1));
}

void add_frame(proto_tree* tree, tvbuff_t* tvb, int id, std::uint64_t frame) {
    if (frame == 0) return;
    proto_item_set_generated(proto_tree_add_uint(tree, id, tvb, 0, 0, static_cast<std::uint32_t>(frame)));
}

void add_time_span(proto_tree* tree, tvbuff_t* tvb, int id, capture::Time span) {
    nstime_t time;
    time.secs = span / capture::second;
    time.nsecs = static_cast<int>(span % capture::second);
    proto_item_set_generated(proto_tree_add_time(tree, id, tvb, 0, 0, &time));
}

void add_hidden_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text) {
    proto_item* item = proto_tree_add_string(tree, id, tvb, 0, 0, text);
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

void add_presence(proto_tree* tree, tvbuff_t* tvb, int id) {
    proto_item_set_hidden(proto_tree_add_item(tree, id, tvb, 0, -1, ENC_NA));
}

void add_request(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, RequestIds ids, std::uint64_t request, capture::Time elapsed) {
    if (request == 0) return;
    add_frame(tree, tvb, ids.request_in, request);
    add_time_span(tree, tvb, ids.time, elapsed);
    mark_depended_upon(pinfo, static_cast<std::uint32_t>(request));
}

void add_ends(proto_tree* tree, tvbuff_t* tvb, EndIds ids, const Ends& ends) {
    if (ends.source == nullptr) return;
    add_text(tree, tvb, ids.source, ends.source);
    add_text(tree, tvb, ids.destination, ends.destination);
    for (const char* end : {ends.source, ends.destination}) add_hidden_text(tree, tvb, ids.either, end);
}

}  // namespace fabricscope::plugin
