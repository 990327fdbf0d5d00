// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/fc_show.h"

namespace fabricscope::plugin {

void add_id(packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, int id, const char* prefix, std::uint32_t number) {
    if (number != 0) add_text(tree, tvb, id, wmem_strdup_printf(pinfo->pool, "%s-%u", prefix, number));
}

void write_columns(packet_info* pinfo, const char* protocol, bool first, const FcEntry& entry, const Line& summary) {
    Line info;
    if (entry.frame != pinfo->num) info << "[Copy of frame " << entry.frame << "] ";
    else if (entry.repeated) info << "[Repeated] ";
    info << summary.c_str();
    col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol);
    if (first) {
        col_clear_fence(pinfo->cinfo, COL_INFO);  // Wireshark's SCSI dissector puts one up
        return col_add_str(pinfo->cinfo, COL_INFO, info.c_str());
    }
    col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", info.c_str());
}

void add_remarks(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, RemarkIds ids, Experts& experts, const FcRecord& record,
    const FcEntry& entry, bool first) {
    const FrameNotes& notes = record.notes();
    proto_item* head = proto_tree_get_parent(tree);
    if (entry.frame != pinfo->num) add_frame(tree, tvb, ids.copy_of, entry.frame);
    if (entry.repeated) {
        add_true(tree, tvb, ids.repeated);
        expert_add_info(pinfo, head, &experts.retransmission);
    }
    if (!first) return;
    if (notes.is_late(pinfo->num)) expert_add_info(pinfo, head, &experts.late);
    add_findings(pinfo, tree, tvb, ids.rule, experts, notes.broken_rules(entry.frame));
}

void add_links(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, LinkIds ids, const FcRecord& record, const FcEntry& entry) {
    const FcRecord::Answer answer = record.answer(entry);
    add_request(pinfo, tree, tvb, ids.request, answer.request_frame, answer.elapsed);
    if (!entry.repeated) add_frame(tree, tvb, ids.response_in, record.notes().response(entry.frame));
}

void add_assembly(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* packet, AssemblyIds ids, const char* title, const FcRecord& record,
    const FcEntry& entry) {
    const Assembly* assembly = record.assembly(entry.message);
    if (assembly == nullptr) return;
    if (!entry.ends_message) return add_frame(tree, packet, ids.reassembled_in, assembly->complete_in);
    const auto length = static_cast<unsigned>(assembly->length);
    add_number(tree, packet, ids.length, std::optional<std::uint64_t>(length));
    if (assembly->pieces.size() == 1) return;
    tvbuff_t* tvb = tvb_new_child_real_data(
        packet, assembly->octets(pinfo->pool).data(), length, static_cast<int>(length));
    add_new_data_source(pinfo, tvb, title);
    proto_item* item = proto_tree_add_item(tree, ids.data, tvb, 0, -1, ENC_NA);
    proto_tree* segments = proto_item_add_subtree(item, ids.subtree);
    for (const Assembly::Piece& piece : assembly->pieces) {
        proto_item* segment = proto_tree_add_uint_format(
            segments, ids.segment, tvb, static_cast<int>(piece.offset), static_cast<int>(piece.length), piece.frame,
            "Frame %u: octets %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, piece.frame, piece.offset,
            piece.offset + piece.length - 1);
        proto_item_set_generated(segment);
        mark_depended_upon(pinfo, piece.frame);
    }
}

Line range_text(std::uint64_t first, std::uint64_t octets) {
    Line line;
    if (octets == 0) return line;
    line << "0x", line.hex(first);
    line << "-0x", line.hex(first + octets - 1);
    return line;
}

}  // namespace fabricscope::plugin
