// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcvi/show.h"

#include <algorithm>

#include "analyzer/info/fcvi.h"

namespace fabricscope::plugin::fcvi {
namespace {

using info::fcvi::length_of;
using info::fcvi::rejection_of;
using info::fcvi::summary_of;

// They live across calls that may leave by longjmp.
static_assert(std::is_trivially_destructible_v<wire::DeviceHeader>);
static_assert(std::is_trivially_destructible_v<wire::ConnectPayload>);

// ---- what the engine found out -------------------------------------------------------------------

/// Why there is no connection, if there is none.
void add_outcome(const Display& display, proto_tree* tree, tvbuff_t* tvb, const Connection& connection) {
    if (connection.outcome != engine::fcvi::Outcome::unknown)
        add_text(tree, tvb, id_of("fcvi.outcome"), name_of(connection.outcome));
    if (!connection.reject) return;
    const std::uint64_t rejected_in = connection.reject->step.frame;
    const Line why = rejection_of(connection);
    add_text(tree, tvb, id_of("fcvi.rejection"), why.c_str());
    if (rejected_in != display.pinfo->num) return add_frame(tree, tvb, id_of("fcvi.rejected_in"), rejected_in);
    expert_add_info_format(display.pinfo, proto_tree_get_parent(tree), &rejected, "Rejected %s", why.c_str());
}

void add_address(
    const Display& display, proto_tree* tree, tvbuff_t* tvb, int id, const std::optional<wire::NetAddress>& address) {
    if (address) add_text(tree, tvb, id, packet_text(display.pinfo, to_string(*address)));
}

void add_connection(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameEntry& entry) {
    const Connection* connection = record.connection(entry.connection);
    if (connection == nullptr) return;
    add_id(tree, tvb, id_of("fcvi.connection"), "fcvi", connection->id);
    add_stream_number(tree, tvb, id_of("fcvi.stream"), connection->id);
    add_outcome(display, tree, tvb, *connection);
    add_address(display, tree, tvb, id_of("fcvi.client_address"), connection->end[Side::client].address);
    add_address(display, tree, tvb, id_of("fcvi.server_address"), connection->end[Side::server].address);
    add_text(tree, tvb, id_of("fcvi.from"), name_of(entry.from()));
    add_ends(display, tree, tvb, ends_of(record, entry));
}

/// The remote memory that the frame's data belong to.
void add_frame_range(
    proto_tree* tree, tvbuff_t* tvb, const Message& message, const FrameEntry& entry, std::uint32_t octets) {
    if (octets == 0 || entry.repeated) return;
    add_number(tree, tvb, id_of("fcvi.offset"), std::optional(entry.offset));
    if (!message.rmt_va) return;
    const std::uint64_t first = *message.rmt_va + entry.offset;
    add_number(tree, tvb, id_of("fcvi.address"), std::optional(first));
    add_number(tree, tvb, id_of("fcvi.last_address"), std::optional(first + octets - 1));
    add_text(tree, tvb, id_of("fcvi.range"), range_text(first, octets).c_str());
}

void add_message(
    proto_tree* tree, tvbuff_t* tvb, const Message& message, const FrameEntry& entry, std::uint32_t octets) {
    add_id(tree, tvb, id_of("fcvi.message"), "fcvi-message", entry.message);
    add_text(tree, tvb, id_of("fcvi.operation"), name_of(message.operation));
    add_text(tree, tvb, id_of("fcvi.state"), name_of(message.state));
    if (message.rmt_va) {
        const Line range = range_text(*message.rmt_va, length_of(message));
        if (*range.c_str() != '\0') add_text(tree, tvb, id_of("fcvi.message_range"), range.c_str());
    }
    add_frame_range(tree, tvb, message, entry, octets);
}

AssemblyIds assembly_ids() {
    return {
        id_of("fcvi.reassembled_in"), id_of("fcvi.message_length"), id_of("fcvi.message_data"), id_of("fcvi.segment"),
        segments_subtree};
}

/// The frame completes a Message of which it has all data: there is nothing to put together.
bool is_whole_message(const Record& record, const FrameEntry& entry) {
    const Assembly* assembly = record.assembly(entry.message);
    return entry.ends_message && assembly != nullptr && assembly->pieces.size() == 1 &&
           assembly->pieces.front().frame == entry.frame;
}

// ---- what the frame says -------------------------------------------------------------------------

void add_status(const Display& display, proto_tree* tree, tvbuff_t* tvb, const wire::DeviceHeader& header) {
    if (const wire::Status* status = header.status())
        add_text(tree, tvb, id_of("fcvi.reason_text"), wire::reason_name(header.version, status->reason));
    const auto* response = std::get_if<wire::MessageResponseHead>(&header.head);
    if (response != nullptr && response->resp_err) expert_add_info(display.pinfo, proto_tree_get_parent(tree), &failed);
}

/// Of a layout's field.
template <layout::WireFormat T> int id_in_layout(std::string_view filter) {
    const layout::LayoutInfo info = layout::info_of<T>();
    const auto field = std::ranges::find(info.fields, filter, &layout::FieldInfo::filter);
    return fields.registry.part(info).fields[field - info.fields.begin()];
}

/// Lets a filter name as a whole a parameter to which flags give a meaning.
void add_parameter(proto_tree* tree, tvbuff_t* tvb, const wire::DeviceHeader& header) {
    if (std::holds_alternative<wire::Parameter>(header.parameter) || !tvb_bytes_exist(tvb, 12, 4)) return;
    const int id = id_in_layout<wire::Parameter>("fcvi.parameter");
    proto_item_set_hidden(proto_tree_add_item(tree, id, tvb, 12, 4, ENC_BIG_ENDIAN));
}

void add_header(const Display& display, proto_tree* tree, const FcView& view, const wire::DeviceHeader& header) {
    tvbuff_t* tvb = view.device_header();
    walk(header, builder(display, tvb, tree));
    add_parameter(tree, tvb, header);
}

/// What it is, in words.
void add_meaning(const Display& display, proto_tree* tree, tvbuff_t* tvb, const wire::DeviceHeader& header) {
    add_text(tree, tvb, id_of("fcvi.version"), header.version == wire::Version::iso ? "iso" : "rev-1.0");
    if (const wire::IuInfo* iu = header.iu()) add_text(tree, tvb, id_of("fcvi.iu"), iu->name);
    add_status(display, tree, tvb, header);
}

/// Of a discriminator only the octets that count are shown; behind them is padding.
class PayloadBuilder {
public:
    explicit PayloadBuilder(TreeBuilder tree) : tree_(tree) {}

    template <layout::WireFormat T> void part(const T& part, std::size_t offset, const layout::PartInfo& info) {
        if constexpr (std::is_base_of_v<wire::NetAddress, T>)
            tree_.part(
                part, offset, info,
                layout::size_of<T> - wire::discriminator_field_length + part.used_discriminator().size());
        else tree_.part(part, offset, info);
    }
    void octets(ByteView octets, std::size_t offset, const layout::PartInfo& info) {
        tree_.octets(octets, offset, info);
    }

private:
    TreeBuilder tree_;
};

void add_payload(
    const Display& display, const Record& record, proto_tree* tree, const FcView& view, const FrameEntry& entry,
    const wire::ConnectPayload* payload) {
    tvbuff_t* tvb = view.payload();
    if (payload != nullptr) {
        const ByteView whole = record.long_payload(entry.frame);
        if (!whole.empty()) {
            const auto length = static_cast<unsigned>(whole.size());
            tvb = tvb_new_child_real_data(tvb, whole.data(), length, static_cast<int>(length));
            add_new_data_source(display.pinfo, tvb, "Connect payload");
        }
        walk(*payload, PayloadBuilder(builder(display, tvb, tree)));
        return add_error(display, tree, payload->error);
    }
    if (tvb_captured_length(tvb) != 0) proto_tree_add_item(tree, id_of("fcvi.data"), tvb, 0, -1, ENC_NA);
}

bool has_connect_payload(const wire::DeviceHeader& header) {
    const wire::IuInfo* iu = header.iu();
    return iu != nullptr && iu->payload == wire::Content::connect_info;
}

/// What a setup says of the endpoints, if this frame has it whole or completes it.
std::optional<wire::ConnectPayload> connect_payload_of(
    const Record& record, const FcView& view, const FrameEntry& entry, const wire::DeviceHeader& header) {
    if (!has_connect_payload(header)) return std::nullopt;
    const ByteView whole = record.long_payload(entry.frame);
    if (!whole.empty()) return wire::parse_connect(whole, whole.size(), header.version);
    const fc::FCtl& f_ctl = view.frame.header.f_ctl;
    if (!f_ctl.end_sequence || view.frame.header.seq_cnt != 0) return std::nullopt;
    return wire::parse_connect(view.frame.payload, view.frame.payload_length, header.version);
}

}  // namespace

Ends ends_of(const Record& record, const FrameEntry& entry) {
    if (entry.connection == 0) return {};
    const Record::Parties& parties = record.parties(entry.connection);
    return {parties[entry.from()].c_str(), parties[other(entry.from())].c_str()};
}

void show_iu(const Display& display, const Record& record, const FcView& view, const FrameEntry& entry) {
    if (!display.is_seen()) return;
    const wire::DeviceHeader header = wire::parse_device_header(
        view.frame.device_header(), view.frame.header.df_ctl.device_header_octets(), entry.version());
    const std::optional<wire::ConnectPayload> payload = connect_payload_of(record, view, entry, header);
    const auto message = record.message(entry.message);
    const Line summary = summary_of(
        {entry.readable, entry.repeated, entry.offset, view.frame, header, payload ? &*payload : nullptr,
         record.connection(entry.connection), message ? &*message : nullptr});
    write_fc_columns(display, entry, summary);
    if (!display.details) return;
    const int start = view.frame.device_header().empty() ? view.header_offset()
                                                         : view.offset_of(view.frame.device_header());
    proto_tree* tree = add_fc_protocol(display, view, start, summary);
    tvbuff_t* tvb = view.tvb;
    if (entry.readable) add_header(display, tree, view, header);
    add_error(display, tree, header.error);
    add_payload(display, record, tree, view, entry, payload ? &*payload : nullptr);
    if (entry.readable) add_meaning(display, tree, tvb, header);
    add_connection(display, record, tree, tvb, entry);
    add_id(tree, tvb, id_of("fcvi.exchange"), "xchg", entry.exchange);
    if (message) add_message(tree, tvb, *message, entry, view.frame.payload_length);
    add_links(display, tree, tvb, record, entry);
    add_fc_remarks(display, tree, tvb, entry);
    add_assembly(display.pinfo, tree, tvb, assembly_ids(), "FC-VI Message", record, entry);
    if (is_whole_message(record, entry))
        proto_tree_add_item(tree, id_of("fcvi.message_data"), view.payload(), 0, -1, ENC_NA);
}

void show_other(const Display& display, const Record& record, tvbuff_t* packet, const FrameEntry& entry) {
    if (!display.details) return;
    proto_tree* tree = add_fc_other(display, packet, other_subtree);
    add_connection(display, record, tree, packet, entry);
    add_id(tree, packet, id_of("fcvi.exchange"), "xchg", entry.exchange);
    add_id(tree, packet, id_of("fcvi.message"), "fcvi-message", entry.message);
    add_fc_remarks(display, tree, packet, entry);
}

}  // namespace fabricscope::plugin::fcvi
