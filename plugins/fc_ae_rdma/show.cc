// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc_ae_rdma/show.h"

#include "analyzer/info/fc_ae_rdma.h"

namespace fabricscope::plugin::fc_ae_rdma {
namespace {

using info::fc_ae_rdma::name_of_iu;
using info::fc_ae_rdma::summary_of;

using wire::Iu;

AssemblyIds assembly_ids() {
    return {
        id_of("fcaerdma.reassembled_in"), id_of("fcaerdma.message_length"), id_of("fcaerdma.message_data"),
        id_of("fcaerdma.segment"), segments_subtree};
}

// ---- what the engine found out -------------------------------------------------------------------

Ends ends_of(const Record::Parties& parties, const FrameEntry& entry) {
    if (entry.from_target) return {parties.target.c_str(), parties.initiator.c_str()};
    return {parties.initiator.c_str(), parties.target.c_str()};
}

void add_message(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameEntry& entry,
    const std::optional<Message>& message) {
    add_id(tree, tvb, id_of("fcaerdma.exchange"), "xchg", entry.exchange);
    if (!message) return;
    const Record::Parties& parties = record.parties(*message);
    add_id(tree, tvb, id_of("fcaerdma.message"), "fc-ae-rdma", entry.message);
    add_stream_number(tree, tvb, id_of("fcaerdma.stream"), entry.message);
    if (message->is_read) add_text(tree, tvb, id_of("fcaerdma.operation"), message->operation());
    add_text(tree, tvb, id_of("fcaerdma.state"), name_of(message->state));
    add_text(tree, tvb, id_of("fcaerdma.initiator"), parties.initiator.c_str());
    add_text(tree, tvb, id_of("fcaerdma.target"), parties.target.c_str());
    add_ends(display, tree, tvb, ends_of(parties, entry));
    if (message->lun) {
        const char* region = wmem_strdup_printf(
            display.pinfo->pool, "%s LUN %u", parties.target.c_str(), *message->lun);
        add_text(tree, tvb, id_of("fcaerdma.region"), region);
    }
    const Line range = range_text(message->base_address, message->data_length.value_or(0));
    if (message->data_length.value_or(0) != 0) add_text(tree, tvb, id_of("fcaerdma.message_range"), range.c_str());
}

void add_known(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameEntry& entry,
    const std::optional<Message>& message) {
    add_message(display, record, tree, tvb, entry, message);
    add_links(display, tree, tvb, record, entry);
    add_fc_remarks(display, tree, tvb, entry);
}

// ---- what the frame says -------------------------------------------------------------------------

/// Parses what the payload begins with, and shows it as far as it was captured.
template <layout::WireFormat T> T add_part(const Display& display, proto_tree* tree, const FcView& view) {
    T part;
    layout::ParseError error = layout::parse_into(part, view.frame.payload);
    const bool cut = view.frame.payload.size() < view.frame.payload_length;
    if (error && !cut) error.fault = layout::Fault::wrong_length;
    builder(display, view.payload(), tree).part(part, 0, {});
    add_error(display, tree, error);
    return part;
}

void add_command(const Display& display, proto_tree* tree, const FcView& view) {
    tvbuff_t* header = tvb_new_subset_length_caplen(
        view.tvb, view.header_offset(), fc::frame_header_size, fc::frame_header_size);
    const auto parameter = wire::parse_parameter(view.frame.header.parameter);
    builder(display, header, tree).part(parameter, layout::layout_of<wire::CommandParameter>.extent.begin, {});
    add_part<wire::Command>(display, tree, view);
    proto_item_set_generated(
        proto_tree_add_boolean(tree, id_of("fcaerdma.no_notification"), header, 0, 0, !parameter.notifies()));
}

void add_response(const Display& display, proto_tree* tree, const FcView& view) {
    const auto response = add_part<wire::Response>(display, tree, view);
    if (view.frame.payload.size() < wire::status_end) return;
    if (response.status == static_cast<std::uint8_t>(wire::StatusCode::good)) return;
    const char* name = layout::name_of(wire::status_names, response.status);
    expert_add_info_format(
        display.pinfo, proto_tree_get_parent(tree), &failed, "The message failed: %s",
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

/// FCP's page of PRLI, with what FC-AE-RDMA has in it.
void add_page(const Display& display, proto_tree* tree, tvbuff_t* packet, const LoginPage& page) {
    constexpr auto length = static_cast<int>(wire::service_page_size);
    tvbuff_t* tvb = page.offset != 0
                        ? tvb_new_subset_length_caplen(packet, static_cast<int>(page.offset), length, length)
                        : tvb_new_child_real_data(packet, page.octets.octets.data(), wire::service_page_size, length);
    if (page.offset == 0) add_new_data_source(display.pinfo, tvb, "Service parameter page");
    wire::ServicePage part;
    layout::parse_into(part, page.octets.octets);
    builder(display, tvb, tree).part(part, 0, {});
}

}  // namespace

Ends ends_of(const Record& record, const FrameEntry& entry) {
    const auto message = record.message(entry.message);
    return message ? ends_of(record.parties(*message), entry) : Ends{};
}

void show_iu(
    const Display& display, const Record& record, const FcView& view, const FrameEntry& entry, bool with_columns) {
    if (!display.is_seen()) return;
    const auto message = record.message(entry.message);
    if (!message) return;
    const Line summary = summary_of(view.frame, *message, entry.repeated);
    if (with_columns) write_fc_columns(display, entry, summary);
    if (!display.details) return;
    proto_tree* tree = add_fc_protocol(display, view, view.header_offset(), summary);
    add_content(display, tree, view, entry, *message);
    add_text(tree, view.tvb, id_of("fcaerdma.iu"), name_of_iu(view.frame));
    add_known(display, record, tree, view.tvb, entry, message);
    add_assembly(display.pinfo, tree, view.tvb, assembly_ids(), "FC-AE-RDMA message", record, entry);
}

void show_other(const Display& display, const Record& record, tvbuff_t* packet, const FrameEntry& entry) {
    const LoginPage* page = record.page_of(entry);
    if (!display.details || (page != nullptr && !record.is_of_rdma(*page))) return;
    proto_tree* tree = add_fc_other(display, packet, other_subtree);
    if (page != nullptr) add_page(display, tree, packet, *page);
    add_known(display, record, tree, packet, entry, record.message(entry.message));
}

}  // namespace fabricscope::plugin::fc_ae_rdma
