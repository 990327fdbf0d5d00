// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z show of queue pairs: response times, counts, flow graph, Follow.
#include "analyzer/info/rdma.h"
#include "capture/rc_message_assembler.h"
#include "plugins/rdma/plugin.h"
#include "plugins/shell/addresses.h"
#include "plugins/shell/flow_graph.h"

namespace fabricscope::plugin::rdma {
namespace {

using info::rdma::mark_of;
using info::rdma::words_for;

constexpr layout::ValueName operation_names[] = {{0, "SEND"}, {1, "WRITE"}, {2, "READ"}, {3, "ATOMIC"}};

bool begins(const Tap& tap) {
    return tap.facts.request && !tap.facts.retransmission && capture::begins_message(tap.opcode->position);
}

}  // namespace

// ---- how long operations took (-z rdma,srt) ------------------------------------------------------

const std::array<ResponseTimeTable, 1> response_times{
    {{"RDMA operations", "Operations", "Operation", nullptr, operation_names}}};

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const FrameFacts& facts = tapped<Tap>(data).facts;
    if (!facts.completes || facts.request_frame == 0 || !facts.operation) return TAP_PACKET_DONT_REDRAW;
    add_response_time(tables, 0, static_cast<unsigned>(*facts.operation), facts.request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts (-z rdma,tree) -----------------------------------------------------------------------

namespace {
int packet_node, operation_node, odd_node, refusal_node, stream_node, rule_node;
}

void make_counts(stats_tree* tree) {
    packet_node = stats_tree_create_pivot(tree, "RDMA packets", 0);
    operation_node = stats_tree_create_pivot(tree, "Operations begun", 0);
    odd_node = stats_tree_create_pivot(tree, "What stands out", 0);
    refusal_node = stats_tree_create_pivot(tree, "Refusals", 0);
    stream_node = stats_tree_create_pivot(tree, "Packets of streams", 0);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    stats_tree_tick_pivot(tree, packet_node, facts.cnp ? "CNP" : facts.request ? "request" : "response");
    if (begins(tap) && facts.operation) stats_tree_tick_pivot(tree, operation_node, words_for(*facts.operation));
    if (const char* mark = mark_of(facts)) stats_tree_tick_pivot(tree, odd_node, mark);
    if (facts.ce) stats_tree_tick_pivot(tree, odd_node, "Congestion experienced");
    if (facts.nak) stats_tree_tick_pivot(tree, refusal_node, to_string(ib::AethSyndrome::of(*facts.nak)));
    Line label("rdma-");
    label << facts.stream << " from " << tap.ends.source;
    stats_tree_tick_pivot(tree, stream_node, label.c_str());
    tick_findings(tree, rule_node, tap);
    return TAP_PACKET_REDRAW;
}

// ---- flow graph: operations and what becomes of them (-z flow,rdma,...) --------------------------

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    const bool is_of_interest = begins(tap) || facts.completes || facts.nak || facts.retransmission || facts.cnp;
    if (!is_of_interest) return TAP_PACKET_DONT_REDRAW;
    const char* what = facts.operation ? words_for(*facts.operation) : "";
    Line label;
    if (const char* mark = mark_of(facts)) label << mark << " ";
    if (facts.cnp) label << "CNP";
    else if (facts.nak) label << to_string(ib::AethSyndrome::of(*facts.nak));
    else label << what << (facts.response ? " done" : "");
    Line comment("rdma-");
    comment << facts.stream << ", PSN " << facts.psn;
    if (facts.operation_bytes) comment << ", " << *facts.operation_bytes << " bytes";
    Arrow arrow;
    arrow.label = label.c_str();
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(facts.stream);
    add_arrow(graph, pinfo, arrow);
    return TAP_PACKET_DONT_REDRAW;
}

// ---- Follow Stream: what SENDs, WRITEs and READs carry (-z follow,rdma,...) ----------------------

char* filter_for_stream(unsigned stream, unsigned) { return g_strdup_printf("rdma.stream == %u", stream); }

namespace {

char* filter_for_addresses(address* source, address* destination, int, int) {
    char* from = address_to_str(nullptr, source);
    char* to = address_to_str(nullptr, destination);
    char* filter = g_strdup_printf("rdma && ip.addr == %s && ip.addr == %s", from, to);
    wmem_free(nullptr, from);
    wmem_free(nullptr, to);
    return filter;
}

char* port_text(wmem_allocator_t* allocator, unsigned) { return wmem_strdup(allocator, ""); }

/// Who asked for the connection, or whose packet came first.
Side client_of(const Stream& stream) {
    const Session* session = record().session(stream);
    return session != nullptr && session->swapped ? Side::b : Side::a;
}

/// In the order of the capture, each octet once.
tap_packet_status follow_packet(void* listener, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    auto* follow = static_cast<follow_info_t*>(listener);
    if (follow->client_ip.type == AT_NONE) {
        const Stream& stream = Record::stream(tap.facts);
        const address client = address_of(stream.end[client_of(stream)].address);
        const address server = address_of(stream.end[other(client_of(stream))].address);
        copy_address(&follow->client_ip, &client);
        copy_address(&follow->server_ip, &server);
    }
    if (tap.payload.empty() || (tap.facts.retransmission && tap.facts.lost == 0)) return TAP_PACKET_DONT_REDRAW;
    add_followed(listener, pinfo, tap.payload, tap.facts.from != client_of(Record::stream(tap.facts)));
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

const Follower follower{
    .tap = "rdma",
    .connection_of = stream_of,
    .filter_for = filter_for_stream,
    .filter_for_packet = filter_for_packet<stream_of, filter_for_stream>,
    .filter_for_addresses = filter_for_addresses,
    .port_text = port_text,
    .packet = follow_packet,
    .menu = "Follo&w Stream",
    .tooltip = "Show what the selected frame's queue pairs sent each other",
    .title = "RDMA stream rdma-"};

}  // namespace fabricscope::plugin::rdma
