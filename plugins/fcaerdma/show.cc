// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcaerdma/show.h"

#include "plugins/common/fc_show.h"
#include "plugins/common/tree.h"
#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/summary.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

using fc_ae_rdma::Iu;

static_assert(std::is_trivially_destructible_v<TreeBuilder>);  // it lives across calls that may leave by longjmp

bool writes_columns = true;

RemarkIds remark_ids() { return {id_of("fcaerdma.copy_of"), id_of("fcaerdma.repeated"), id_of("fcaerdma.rule")}; }
LinkIds link_ids() { return {{id_of("fcaerdma.request_in"), id_of("fcaerdma.time")}, id_of("fcaerdma.response_in")}; }
AssemblyIds assembly_ids() {
    return {
        id_of("fcaerdma.reassembled_in"), id_of("fcaerdma.message_length"), id_of("fcaerdma.message_data"),
        id_of("fcaerdma.segment"), fields().segments_subtree};
}

TreeBuilder builder(const Display& display, tvbuff_t* part, proto_tree* tree) {
    return {{fields().registry, fields().octets, fields().experts.reserved_set}, display.pinfo, part, tree};
}

// ---- what the engine found out -------------------------------------------------------------------

void add_message(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FrameEntry& entry) {
    add_id(display.pinfo, tree, tvb, id_of("fcaerdma.exchange"), "xchg", entry.exchange);
    const Message* message = display.record->message(entry.message);
    if (message == nullptr) return;
    const Record::Parties& parties = display.record->parties(*message);
    add_id(display.pinfo, tree, tvb, id_of("fcaerdma.message"), "fc-ae-rdma", entry.message);
    add_text(tree, tvb, id_of("fcaerdma.operation"), operation_of(*message));
    add_text(tree, tvb, id_of("fcaerdma.state"), name_of(message->state));
    add_text(tree, tvb, id_of("fcaerdma.initiator"), parties.initiator.c_str());
    add_text(tree, tvb, id_of("fcaerdma.target"), parties.target.c_str());
    add_ends(
        tree, tvb, {id_of("fcaerdma.source"), id_of("fcaerdma.destination"), id_of("fcaerdma.endpoint")},
        ends_of(*display.record, entry));
    const char* region = wmem_strdup_printf(display.pinfo->pool, "%s LUN %u", parties.target.c_str(), message->lun);
    add_text(tree, tvb, id_of("fcaerdma.region"), region);
    const Line range = range_text(message->base_address, message->data_length);
    if (message->data_length != 0) add_text(tree, tvb, id_of("fcaerdma.message_range"), range.c_str());
}

void add_known(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FrameEntry& entry) {
    add_message(display, tree, tvb, entry);
    add_links(display.pinfo, tree, tvb, link_ids(), *display.record, entry);
    add_remarks(display.pinfo, tree, tvb, remark_ids(), fields().experts, *display.record, entry, display.first);
}

// ---- what the frame says -------------------------------------------------------------------------

/// Parses what the payload begins with, and shows it as far as it was captured.
template <layout::WireFormat T> T add_part(const Display& display, proto_tree* tree, const FcView& view) {
    T part;
    const layout::ParseError error = layout::parse_into(part, view.frame.payload);
    builder(display, view.payload(), tree).part(part, 0, {});
    add_error(display.pinfo, tree, fields().experts, error);
    return part;
}

void add_command(const Display& display, proto_tree* tree, const FcView& view) {
    tvbuff_t* header = tvb_new_subset_length_caplen(
        view.tvb, view.header_offset(), fc::frame_header_size, fc::frame_header_size);
    const auto parameter = fc_ae_rdma::parse_parameter(view.frame.header.parameter);
    builder(display, header, tree).part(parameter, layout::layout_of<fc_ae_rdma::CommandParameter>.extent.begin, {});
    add_part<fc_ae_rdma::Command>(display, tree, view);
}

void add_response(const Display& display, proto_tree* tree, const FcView& view) {
    const auto response = add_part<fc_ae_rdma::Response>(display, tree, view);
    if (response.status == static_cast<std::uint8_t>(fc_ae_rdma::StatusCode::good)) return;
    const char* name = layout::name_of(fc_ae_rdma::status_names, response.status);
    expert_add_info_format(
        display.pinfo, proto_tree_get_parent(tree), &fields().failed, "The message failed: %s",
        name != nullptr ? name : "reserved status");
}

void add_data(proto_tree* tree, const FcView& view, const FrameEntry& entry, const Message& message) {
    tvbuff_t* tvb = view.payload();
    if (view.frame.payload_length == 0) return;
    if (!entry.repeated) {
        const std::uint64_t first = message.base_address + entry.offset;
        add_number(tree, tvb, id_of("fcaerdma.address"), std::optional(first));
        add_text(tree, tvb, id_of("fcaerdma.range"), range_text(first, view.frame.payload_length).c_str());
    }
    if (tvb_captured_length(tvb) != 0) proto_tree_add_item(tree, id_of("fcaerdma.data"), tvb, 0, -1, ENC_NA);
}

void add_content(
    const Display& display, proto_tree* tree, const FcView& view, const FrameEntry& entry, const Message& message) {
    switch (static_cast<Iu>(view.frame.header.r_ctl)) {
        case Iu::command: return add_command(display, tree, view);
        case Iu::response: return add_response(display, tree, view);
        case Iu::data: return add_data(tree, view, entry, message);
        case Iu::xfer_rdy: return;  // Wireshark's own dissector shows it; FC-AE-RDMA has none
    }
}

proto_tree* add_protocol(const Display& display, const FcView& view, const Line& summary) {
    const int start = view.header_offset();
    const int end = view.offset + static_cast<int>(view.octets.size() - view.frame.fill.size());
    proto_item* item = proto_tree_add_protocol_format(
        display.tree, fields().protocol, view.tvb, start, end - start, "FC-AE-RDMA, %s", summary.c_str());
    return proto_item_add_subtree(item, fields().subtree);
}

}  // namespace

Ends ends_of(const Record& record, const FrameEntry& entry) {
    const Message* message = record.message(entry.message);
    if (message == nullptr) return {};
    const Record::Parties& parties = record.parties(*message);
    if (entry.from_target) return {parties.target.c_str(), parties.initiator.c_str()};
    return {parties.initiator.c_str(), parties.target.c_str()};
}

void set_writes_columns(bool writes) { writes_columns = writes; }

void show_iu(const Display& display, const FcView& view, const FrameEntry& entry) {
    const Message* message = display.record->message(entry.message);
    if (message == nullptr) return;
    const Line summary = summary_of(entry, view.frame, *message);
    if (writes_columns) write_columns(display.pinfo, kProtocolName, display.first, entry, summary);
    if (!display.details) return;
    proto_tree* tree = add_protocol(display, view, summary);
    add_text(tree, view.tvb, id_of("fcaerdma.iu"), name_of_iu(view.frame));
    add_known(display, tree, view.tvb, entry);
    add_content(display, tree, view, entry, *message);
    add_assembly(display.pinfo, tree, view.tvb, assembly_ids(), "FC-AE-RDMA message", *display.record, entry);
}

void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry) {
    if (!display.details) return;
    proto_tree* tree = proto_tree_add_subtree_format(
        display.tree, packet, 0, 0, fields().other_subtree, nullptr, "FC-AE-RDMA: what is known of this frame");
    add_known(display, tree, packet, entry);
}

}  // namespace fabricscope::plugin
