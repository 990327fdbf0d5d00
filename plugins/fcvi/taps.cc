// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z show of FC-VI: response times, counts, flow graph, Follow, Export Objects.
#include "analyzer/info/fcvi.h"
#include "plugins/fcvi/plugin.h"
#include "plugins/shell/export_objects.h"

namespace fabricscope::plugin::fcvi {
namespace {

using info::fcvi::name_of_iu;
using info::fcvi::summary_of;

using Tap = FcTapFrame<FrameEntry>;

const Record& record() { return *plugin().record(); }

wire::DeviceHeader header_of(const Tap& tap) {
    return wire::parse_device_header(
        tap.frame.device_header(), tap.frame.header.df_ctl.device_header_octets(), tap.entry.version());
}

}  // namespace

// ---- how long answers took (-z fcvi,srt) ---------------------------------------------------------

/// By the response; the versions have other opcodes.
const std::array<ResponseTimeTable, 2> response_times{{
    {"FC-VI (ISO)", "ISO", "Response", "fcvi.opcode", wire::iso_opcode_names},
    {"FC-VI (rev 1.0)", "Rev 1.0", "Response", "fcvi.opcode", wire::rev_1_0_opcode_names},
}};

/// To the first frame of the response.
tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const auto request_time = first_answered(record(), pinfo, tap.entry);
    if (!request_time) return TAP_PACKET_DONT_REDRAW;
    add_response_time(tables, tap.entry.iso ? 0 : 1, header_of(tap).opcode(), *request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts (-z fcvi,tree) -----------------------------------------------------------------------

namespace {

int frame_node, message_node, reason_node, connection_node, rule_node;

void tick_iu(stats_tree* tree, const Tap& tap) {
    const wire::DeviceHeader header = header_of(tap);
    Line name = tap.entry.readable ? name_of_iu(header) : Line("unreadable");
    if (tap.entry.repeated) name << ", repeated";
    stats_tree_tick_pivot(tree, frame_node, name.c_str());
    if (const wire::Status* status = header.status(); status != nullptr && tap.entry.readable)
        stats_tree_tick_pivot(tree, reason_node, wire::reason_name(header.version, status->reason));
    const auto message = record().message(tap.entry.message);
    if (message && message->first.frame == tap.entry.frame && !tap.entry.repeated)
        stats_tree_tick_pivot(tree, message_node, name_of(message->operation));
}

}  // namespace

void make_counts(stats_tree* tree) {
    frame_node = stats_tree_create_pivot(tree, "FC-VI frames", 0);
    message_node = stats_tree_create_pivot(tree, "Messages begun", 0);
    reason_node = stats_tree_create_pivot(tree, "Reasons", 0);
    connection_node = stats_tree_create_pivot(tree, "Frames of connections", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    if (tap.entry.iu) tick_iu(tree, tap);
    if (tap.entry.connection != 0) {
        Line label("fcvi-");
        label << tap.entry.connection << " from " << name_of(tap.entry.from());
        stats_tree_tick_pivot(tree, connection_node, label.c_str());
    }
    tick_findings(tree, rule_node, tap);
    return TAP_PACKET_REDRAW;
}

// ---- flow graph: IUs as a ladder between the ports (-z flow,fcvi,...), each with the frame that ends it ----

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    if (!tap.entry.iu || !tap.frame.header.f_ctl.end_sequence) return TAP_PACKET_DONT_REDRAW;
    const wire::DeviceHeader header = header_of(tap);
    const Line label = name_of_iu(header);
    const auto message = record().message(tap.entry.message);
    const Line comment = summary_of(
        {tap.entry.readable, tap.entry.repeated, tap.entry.offset, tap.frame, header, nullptr,
         record().connection(tap.entry.connection), message ? &*message : nullptr});
    const bool has_data = tap.frame.payload_length != 0;
    add_port_arrow(graph, pinfo, tap.frame.header, tap.entry.connection, label.c_str(), comment, has_data);
    return TAP_PACKET_DONT_REDRAW;
}

// ---- Follow Stream: the VI Messages of a connection (-z follow,fcvi,...) -------------------------

std::uint32_t connection_of(std::uint32_t frame) { return plugin().entry_of(frame).connection; }

char* filter_for_connection(unsigned number, unsigned) {
    return g_strdup_printf("fcvi.connection == \"fcvi-%u\"", number);
}

namespace {

/// Of the ports; connections have no other addresses.
char* filter_for_addresses(address* source, address* destination, int, int) {
    char* from = address_to_str(nullptr, source);
    char* to = address_to_str(nullptr, destination);
    char* filter = g_strdup_printf(R"(fcvi.endpoint == "%s" && fcvi.endpoint == "%s")", from, to);
    wmem_free(nullptr, from);
    wmem_free(nullptr, to);
    return filter;
}

char* port_text(wmem_allocator_t* allocator, unsigned) { return wmem_strdup(allocator, ""); }

void note_parties(follow_info_t* follow, const Tap& tap) {
    if (follow->client_ip.type != AT_NONE || !tap.entry.iu || tap.entry.connection == 0) return;
    const PortAddress source(tap.frame.header.s_id), destination(tap.frame.header.d_id);
    const bool by_client = tap.entry.from() == Side::client;
    const address client = (by_client ? source : destination).get();
    const address server = (by_client ? destination : source).get();
    copy_address(&follow->client_ip, &client);
    copy_address(&follow->server_ip, &server);
}

tap_packet_status follow_packet(void* listener, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    note_parties(static_cast<follow_info_t*>(listener), tap);
    const Assembly* assembly = finished_message(record(), tap);
    if (assembly == nullptr) return TAP_PACKET_DONT_REDRAW;
    const Message message = *record().message(tap.entry.message);
    const Side from = message.reads() ? other(message.from) : message.from;
    add_followed(listener, pinfo, assembly->octets(pinfo->pool), from == Side::server);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

const Follower follower{
    .tap = "fcvi",
    .connection_of = connection_of,
    .filter_for = filter_for_connection,
    .filter_for_packet = filter_for_packet<connection_of, filter_for_connection>,
    .filter_for_addresses = filter_for_addresses,
    .port_text = port_text,
    .packet = follow_packet,
    .menu = "Follo&w Messages",
    .tooltip = "Show the data of the Messages of the selected frame's connection",
    .title = "VI Messages of fcvi-"};

// ---- Export Objects: the data of each Message as a file (--export-objects fcvi,DIR) --------------

namespace {

ExportObjects objects;

const char* operation_text(const Message& message) {
    switch (message.operation) {
        case engine::fcvi::Operation::send: break;
        case engine::fcvi::Operation::write: return "write";
        case engine::fcvi::Operation::read: return "read";
    }
    return "send";
}

}  // namespace

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const Assembly* assembly = finished_message(record(), tap);
    if (assembly == nullptr) return TAP_PACKET_DONT_REDRAW;
    const Message message = *record().message(tap.entry.message);
    Line file("fcvi-");
    file << message.connection << "-message-" << message.id << "-" << operation_text(message) << ".bin";
    objects.append(
        {list, message.id}, pinfo->num, {.host = tap.ends.source, .file = file.c_str()}, assembly->octets(pinfo->pool));
    return TAP_PACKET_REDRAW;
}

void forget_exports() { objects.forget(); }

}  // namespace fabricscope::plugin::fcvi
