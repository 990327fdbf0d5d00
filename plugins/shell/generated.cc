// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/generated.h"

namespace fabricscope::plugin {

void add_text(proto_tree* tree, tvbuff_t* tvb, int id, const char* text) {
    proto_item_set_generated(proto_tree_add_string(tree, id, tvb, 0, 0, text));
}

proto_item* add_true(proto_tree* tree, tvbuff_t* tvb, int id) {
    proto_item* item = proto_tree_add_boolean(tree, id, tvb, 0, 0, 1);
    proto_item_set_generated(item);
    return item;
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

void add_stream_number(proto_tree* tree, tvbuff_t* tvb, int id, std::uint32_t number) {
    if (number == 0) return;
    proto_item* item = proto_tree_add_uint64(tree, id, tvb, 0, 0, number);
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

void add_presence(proto_tree* tree, tvbuff_t* tvb, int id) {
    proto_item_set_hidden(proto_tree_add_item(tree, id, tvb, 0, -1, ENC_NA));
}

}  // namespace fabricscope::plugin
