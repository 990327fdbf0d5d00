// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z show of FC-AE-RDMA: response times, counts, flow graph, Export Objects.
#include "analyzer/info/fc_ae_rdma.h"
#include "plugins/fc_ae_rdma/plugin.h"
#include "plugins/shell/export_objects.h"

namespace fabricscope::plugin::fc_ae_rdma {
namespace {

using info::fc_ae_rdma::name_of_iu;
using info::fc_ae_rdma::summary_of;

using Tap = FcTapFrame<FrameEntry>;

const Record& record() { return *plugin().record(); }

/// By the command's Read Data bit.
constexpr std::array operations{layout::ValueName{0, "write"}, layout::ValueName{1, "read"}};

}  // namespace

// ---- how long messages took (-z fcaerdma,srt) ----------------------------------------------------

const std::array<ResponseTimeTable, 1> response_times{
    {{"FC-AE-RDMA", "FC-AE-RDMA", "Operation", "fcaerdma.cntl.read_data", operations}}};

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const auto request_time = first_answered(record(), pinfo, tap.entry);
    const auto message = record().message(tap.entry.message);
    if (!request_time || !message || !message->is_read) return TAP_PACKET_DONT_REDRAW;
    add_response_time(tables, 0, *message->is_read ? 1 : 0, *request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts (-z fcaerdma,tree) -------------------------------------------------------------------

namespace {

int frame_node, message_node, status_node, region_node, rule_node;

void tick_message(stats_tree* tree, const Tap& tap, const Message& message) {
    if (message.command.frame == tap.entry.frame && message.is_read && message.lun) {
        stats_tree_tick_pivot(tree, message_node, message.operation());
        Line region(record().parties(message).target);
        region << " LUN " << *message.lun << ", " << message.operation();
        stats_tree_tick_pivot(tree, region_node, region.c_str());
    }
    if (!message.status || !message.response || message.response->frame != tap.entry.frame) return;
    const char* name = layout::name_of(wire::status_names, *message.status);
    stats_tree_tick_pivot(tree, status_node, name != nullptr ? name : "reserved status");
}

}  // namespace

void make_counts(stats_tree* tree) {
    frame_node = stats_tree_create_pivot(tree, "FC-AE-RDMA frames", 0);
    message_node = stats_tree_create_pivot(tree, "Messages begun", 0);
    status_node = stats_tree_create_pivot(tree, "Status codes", 0);
    region_node = stats_tree_create_pivot(tree, "Messages of memory regions", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const auto message = record().message(tap.entry.message);
    if (tap.entry.iu && message) {
        Line name(name_of_iu(tap.frame));
        if (tap.entry.repeated) name << ", repeated";
        else tick_message(tree, tap, *message);
        stats_tree_tick_pivot(tree, frame_node, name.c_str());
    }
    tick_findings(tree, rule_node, tap);
    return TAP_PACKET_REDRAW;
}

// ---- flow graph: messages as a ladder between the ports (-z flow,fcaerdma,...); data IUs with the frame that ends
// them -----------------------------------------------------------------------------------------------

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const auto message = record().message(tap.entry.message);
    if (!tap.entry.iu || !message || !tap.frame.header.f_ctl.end_sequence) return TAP_PACKET_DONT_REDRAW;
    const Line comment = summary_of(tap.frame, *message, tap.entry.repeated);
    const bool has_data = tap.frame.header.r_ctl == static_cast<std::uint8_t>(wire::Iu::data);
    add_port_arrow(graph, pinfo, tap.frame.header, tap.entry.message, name_of_iu(tap.frame), comment, has_data);
    return TAP_PACKET_DONT_REDRAW;
}

// ---- Export Objects: the data of each message, and each memory region as messages have read and written it
// (--export-objects fcaerdma,DIR) --------------------------------------------------------------------

namespace {

ExportObjects objects;

constexpr std::uint64_t region_mark = 1ULL << 63;  ///< in keys; ids of messages do not get there

void export_message(void* list, packet_info* pinfo, const Tap& tap, const Message& message) {
    const Assembly* assembly = finished_message(record(), tap);
    if (assembly == nullptr || !message.is_read) return;
    Line file("fc-ae-rdma-");
    file << message.id << "-" << message.operation() << ".bin";
    const char* target = record().parties(message).target.c_str();
    objects.append(
        {list, message.id}, pinfo->num, {.host = target, .file = file.c_str()}, assembly->octets(pinfo->pool));
}

/// What FCP_DL speaks of: what is beyond is thrown away (4.2.4.7).
void put_in_region(void* list, packet_info* pinfo, const Message& message, std::uint64_t offset, ByteView octets) {
    const std::uint64_t length = message.data_length.value_or(0);
    if (!message.lun || offset >= length) return;
    const std::uint64_t key = region_mark | std::uint64_t{message.target.fabric} << 32 |
                              std::uint64_t{message.target.id} << 8 | *message.lun;
    const std::string& target = record().parties(message).target;
    Line file("region ");
    file << target << " LUN " << *message.lun << ".bin";
    objects.put(
        {list, key}, pinfo->num, {.host = target.c_str(), .file = file.c_str()}, message.base_address + offset,
        octets.first(std::min<std::uint64_t>(octets.size(), length - offset)));
}

/// What was read tells of the region as well as what was written: the latest counts. What is written is there once the
/// Target says so.
void export_region(void* list, packet_info* pinfo, const Tap& tap, const Message& message) {
    if (tap.entry.repeated) return;
    const bool is_data = tap.frame.header.r_ctl == static_cast<std::uint8_t>(wire::Iu::data);
    if (message.reads() && is_data) return put_in_region(list, pinfo, message, tap.entry.offset, tap.frame.payload);
    const bool answers = message.response && message.response->frame == tap.entry.frame;
    if (!message.writes() || !answers || message.state != engine::fc_ae_rdma::MessageState::complete) return;
    const Assembly* assembly = record().assembly(tap.entry.message);
    if (assembly == nullptr) return;
    const ByteView all = assembly->octets(pinfo->pool);
    for (const Assembly::Piece& piece : assembly->pieces)
        put_in_region(list, pinfo, message, piece.offset, all.subspan(piece.offset, piece.length));
}

}  // namespace

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const auto message = record().message(tap.entry.message);
    if (!tap.entry.iu || !message) return TAP_PACKET_DONT_REDRAW;
    export_region(list, pinfo, tap, *message);
    export_message(list, pinfo, tap, *message);
    return TAP_PACKET_REDRAW;
}

void forget_exports() { objects.forget(); }

}  // namespace fabricscope::plugin::fc_ae_rdma
