// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc/show.h"

namespace fabricscope::plugin {

void write_fc_columns(const Display& display, const FcEntry& entry, const Line& summary) {
    // Wireshark's SCSI dissector puts up a fence.
    if (display.first) col_clear_fence(display.pinfo->cinfo, COL_INFO);
    const char* repetition = info::mark_of_repeated(entry.repeated);
    write_marked_columns(display, display.fields.name, entry.frame, repetition, summary, " | ");
}

proto_tree* add_fc_protocol(const Display& display, const FcView& view, int start, const Line& summary) {
    const int end = view.offset + static_cast<int>(view.octets.size() - view.frame.fill.size());
    return add_protocol(display, display.fields.name, view.tvb, start, end - start, summary.c_str());
}

proto_tree* add_fc_other(const Display& display, tvbuff_t* packet, int subtree) {
    return proto_tree_add_subtree_format(
        display.tree, packet, 0, 0, subtree, nullptr, "%s: what is known of this frame", display.fields.name);
}

void add_fc_remarks(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FcEntry& entry) {
    add_remarks(display, tree, tvb, entry.frame, entry.repeated);
}

void add_links(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FcRecord& record, const FcEntry& entry) {
    const FcRecord::Answer answer = record.answer(entry);
    add_request(display, tree, tvb, answer.request_frame, answer.elapsed);
    if (!entry.repeated) add_response(display, tree, tvb, entry.frame);
}

void add_assembly(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* packet, AssemblyIds ids, const char* title, const FcRecord& record,
    const FcEntry& entry) {
    const Assembly* assembly = record.assembly(entry.message);
    if (assembly == nullptr) return;
    if (!entry.ends_message) return add_frame(tree, packet, ids.reassembled_in, assembly->complete_in);
    const auto length = static_cast<unsigned>(assembly->length);
    add_number(tree, packet, ids.length, std::optional<std::uint64_t>(length));
    if (assembly->pieces.size() <= 1) return;
    tvbuff_t* tvb = tvb_new_child_real_data(
        packet, assembly->octets(pinfo->pool).data(), length, static_cast<int>(length));
    add_new_data_source(pinfo, tvb, title);
    proto_item* item = proto_tree_add_item(tree, ids.data, tvb, 0, -1, ENC_NA);
    proto_tree* segments = proto_item_add_subtree(item, ids.subtree);
    for (const Assembly::Piece& piece : assembly->pieces) {
        proto_item* segment = proto_tree_add_uint_format(
            segments, ids.segment, tvb, static_cast<int>(piece.offset), static_cast<int>(piece.length), piece.frame,
            "Frame %u: bytes %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, piece.frame, piece.offset,
            piece.offset + piece.length - 1);
        proto_item_set_generated(segment);
        mark_depended_upon(pinfo, piece.frame);
    }
}

}  // namespace fabricscope::plugin
