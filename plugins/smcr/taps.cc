// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z show of SMC-R: response times, counts, flow graph, Follow, Export Objects.
#include "analyzer/info/smcr.h"
#include "plugins/shell/addresses.h"
#include "plugins/shell/export_objects.h"
#include "plugins/shell/flow_graph.h"
#include "plugins/smcr/plugin.h"
#include "protocols/smcr/cdc.h"

namespace fabricscope::plugin::smcr {

using What = FrameFacts::What;

// ---- how long answers took (-z smcr,srt) ---------------------------------------------------------

namespace {

using info::smcr::summary_of;
using info::smcr::summary_of_write;

enum : unsigned { clc_table, llc_table };

unsigned clc_type(const Record::Clc& clc) {
    wire::ClcHeader header;
    layout::parse_into(header, clc.octets);
    return static_cast<unsigned>(header.type);
}

void add_clc_response_time(void* tables, packet_info* pinfo, const Record::Clc& clc) {
    for (const Record::Clc& request : record().clc(clc.seen.request_frame))
        if (request.seen.connection == clc.seen.connection)
            return add_response_time(tables, clc_table, clc_type(request), clc.seen.request_time, pinfo);
}

}  // namespace

const std::array<ResponseTimeTable, 2> response_times{{
    {"SMC-R CLC", "CLC", "Request", "smcr.clc.type", wire::clc_type_names},
    {"SMC-R LLC", "LLC", "Request", "smcr.llc.type", wire::llc_type_names},
}};

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    for (const Record::Clc& clc : record().clc(facts.frame))
        if (clc.seen.request_frame != 0) add_clc_response_time(tables, pinfo, clc);
    if (facts.what == What::llc && facts.request_frame != 0 && !tap.message.empty())
        add_response_time(tables, llc_table, tap.message[0], facts.request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts (-z smcr,tree) -----------------------------------------------------------------------

namespace {

constexpr const char* root_node_name = "SMC-R frames";
constexpr const char* cdc_node_name = "CDC messages by what they tell";
constexpr const char* writes_node_name = "RDMA WRITE packets by bytes of data";
constexpr const char* directions_node_name = "Bytes of RDMA WRITE data by direction";
int root, clc_node, llc_node, cdc_node, write_node, rule_node, connection_node;

void tick(stats_tree* tree, const char* name) { tick_stat_node(tree, name, root, false); }

/// Flags are told beside what moves.
void tick_cdc(stats_tree* tree, const FrameFacts& facts, const wire::Cdc& cdc) {
    const struct {
        bool holds;
        const char* name;
    } kinds[] = {
        {facts.producer_delta.value_or(0) != 0, "producer cursor moves"},
        {facts.consumer_delta.value_or(0) != 0, "consumer cursor moves"},
        {cdc.flags.writer_blocked, "writer blocked (B)"},
        {cdc.flags.urgent_pending, "urgent data pending (P)"},
        {cdc.flags.urgent_present, "urgent data present (U)"},
        {cdc.flags.consumer_update_requested, "consumer update requested (R)"},
        {cdc.flags.failover_validation, "failover validation (F)"},
        {cdc.state.sending_done, "sending done (D)"},
        {cdc.state.connection_closed, "connection closed (C)"},
        {cdc.state.abnormal_close, "abnormal close (A)"},
        {facts.window_full(), "window full after it"},
    };
    for (const auto& kind : kinds)
        if (kind.holds) tick_stat_node(tree, kind.name, cdc_node, false);
    tick_stat_node(tree, cdc_node_name, root, true);
}

void tick_llc(stats_tree* tree, ByteView octets, std::uint32_t length) {
    const wire::LlcMessage message = wire::parse_llc(octets, length);
    const char* name = layout::name_of(wire::llc_type_names, message.raw_type());
    Line line(name != nullptr ? name : "unknown");
    line << (message.is_reply() ? " reply" : " request");
    stats_tree_tick_pivot(tree, llc_node, line.c_str());
}

void tick_write(stats_tree* tree, const FrameFacts& facts) {
    tick_stat_node(tree, writes_node_name, root, true);
    stats_tree_tick_range(tree, writes_node_name, root, static_cast<int>(facts.length));
    if (facts.connection == 0 || !facts.from || facts.retransmission) return;
    Line line("smcr-");
    line << facts.connection;
    if (facts.roles_known) line << " from " << name_of(*facts.from);
    const int length = static_cast<int>(facts.length);
    increase_stat_node(tree, directions_node_name, 0, true, length);
    increase_stat_node(tree, line.c_str(), connection_node, false, length);
}

}  // namespace

void make_counts(stats_tree* tree) {
    root = stats_tree_create_node(tree, root_node_name, 0, STAT_DT_INT, true);
    clc_node = stats_tree_create_pivot(tree, "CLC messages", root);
    llc_node = stats_tree_create_pivot(tree, "LLC messages", root);
    cdc_node = stats_tree_create_pivot(tree, cdc_node_name, root);
    write_node = stats_tree_create_range_node(
        tree, writes_node_name, root, "0-64", "65-256", "257-1024", "1025-4096", "4097-", nullptr);
    connection_node = stats_tree_create_node(tree, directions_node_name, 0, STAT_DT_INT, true);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

tap_packet_status count_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    tick_stat_node(tree, root_node_name, 0, true);
    for (const Record::Clc& clc : record().clc(facts.frame)) {
        const char* name = layout::name_of(wire::clc_type_names, clc_type(clc));
        stats_tree_tick_pivot(tree, clc_node, name != nullptr ? name : "unknown");
    }
    tick_findings(tree, rule_node, tap);
    if (facts.retransmission) tick(tree, "Retransmissions");
    if (facts.what == What::write) tick_write(tree, facts);
    if (facts.what == What::llc) tick_llc(tree, tap.message, facts.message_length);
    if (facts.what == What::other) tick(tree, "Acknowledgements and other packets on links");
    if (facts.what == What::tcp && record().clc(facts.frame).empty()) tick(tree, "TCP segments without CLC");
    if (facts.what != What::cdc) return TAP_PACKET_REDRAW;
    wire::Cdc cdc;
    layout::parse_into(cdc, tap.message);
    tick_cdc(tree, facts, cdc);
    return TAP_PACKET_REDRAW;
}

// ---- flow graph: a link group's ladder (-z flow,smcr,...). Both hosts stand for all their RoCE addresses, so that a
// second link is no third party ----------------------------------------------------------------------

namespace {

struct Hosts {
    address from = ADDRESS_INIT_NONE;
    address to = ADDRESS_INIT_NONE;
};

/// False: take the frame's own addresses.
bool find_hosts(const Tap& tap, Hosts& hosts) {
    const FrameFacts& facts = tap.facts;
    const Record::Parties& parties = facts.connection != 0 ? record().parties(facts.connection)
                                                           : record().parties_of_group(facts.link_group);
    if (!facts.from || parties.text[Side::client].empty()) return false;
    hosts.from = address_of(parties.address[*facts.from].address);
    hosts.to = address_of(parties.address[other(*facts.from)].address);
    return true;
}

void add_rung(void* graph, packet_info* pinfo, const Tap& tap, const char* label, const Line& comment) {
    Hosts hosts;
    const bool known = find_hosts(tap, hosts);
    Arrow arrow;
    if (known) arrow.from = &hosts.from, arrow.to = &hosts.to;
    arrow.label = label;
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(tap.facts.link_group);
    arrow.width = tap.facts.what == What::write ? 2 : 1;
    add_arrow(graph, pinfo, arrow);
}

const char* name_or(const char* name, const char* otherwise) { return name != nullptr ? name : otherwise; }

}  // namespace

tap_packet_status flow_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = tapped<Tap>(data);
    const FrameFacts& facts = tap.facts;
    for (const Record::Clc& clc : record().clc(facts.frame)) {
        const wire::ClcMessage message = wire::parse_clc(clc.octets);
        const auto type = static_cast<std::uint64_t>(message.header.type);
        add_rung(graph, pinfo, tap, name_or(layout::name_of(wire::clc_type_names, type), "CLC"), summary_of(message));
    }
    if (facts.what == What::llc) {
        const wire::LlcMessage message = wire::parse_llc(tap.message, facts.message_length);
        const char* name = layout::name_of(wire::llc_type_names, message.raw_type());
        add_rung(graph, pinfo, tap, name_or(name, "LLC"), summary_of(message, facts));
    } else if (facts.what == What::cdc) {
        wire::Cdc cdc;
        layout::parse_into(cdc, tap.message);
        add_rung(graph, pinfo, tap, "CDC", summary_of(cdc, facts));
    } else if (facts.what == What::write) {
        add_rung(graph, pinfo, tap, "RDMA WRITE", summary_of_write(facts));
    }
    return TAP_PACKET_DONT_REDRAW;
}

// ---- Follow Stream: what the applications of a connection sent each other (-z follow,smcr,...) ---

char* filter_for_connection(unsigned number, unsigned) {
    return g_strdup_printf("smcr.connection == \"smcr-%u\"", number);
}

namespace {

/// Addresses and ports of the TCP connection.
char* filter_for_addresses(address* source, address* destination, int source_port, int destination_port) {
    const auto text = [](const address* of, int port) {
        char* host = address_to_str(nullptr, of);
        char* made = g_strdup_printf(of->type == AT_IPv6 ? "[%s]:%d" : "%s:%d", host, port);
        wmem_free(nullptr, host);
        return made;
    };
    char* from = text(source, source_port);
    char* to = text(destination, destination_port);
    char* filter = g_strdup_printf(R"(smcr.endpoint == "%s" && smcr.endpoint == "%s")", from, to);
    g_free(from);
    g_free(to);
    return filter;
}

char* port_text(wmem_allocator_t* allocator, unsigned port) { return wmem_strdup_printf(allocator, "%u", port); }

void note_parties(follow_info_t* follow, const packet_info* pinfo, const Record::Parties& parties, Side from) {
    if (follow->client_ip.type != AT_NONE) return;
    if (parties.text[Side::client].empty()) {
        copy_address(&follow->client_ip, from == Side::client ? &pinfo->net_src : &pinfo->net_dst);
        copy_address(&follow->server_ip, from == Side::client ? &pinfo->net_dst : &pinfo->net_src);
        return;
    }
    const address client = address_of(parties.address[Side::client].address);
    const address server = address_of(parties.address[Side::server].address);
    copy_address(&follow->client_ip, &client);
    copy_address(&follow->server_ip, &server);
    follow->client_port = parties.address[Side::client].port;
    follow->server_port = parties.address[Side::server].port;
}

tap_packet_status follow_packet(void* listener, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const StreamTap*>(data);
    note_parties(static_cast<follow_info_t*>(listener), pinfo, record().parties(tap.connection), tap.from);
    for (const StreamReader::Piece& piece : *tap.pieces)
        add_followed(listener, pinfo, piece.octets, piece.from == Side::server);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

const Follower follower{
    .tap = "smcr_follow",
    .connection_of = connection_of,
    .filter_for = filter_for_connection,
    .filter_for_packet = filter_for_packet<connection_of, filter_for_connection>,
    .filter_for_addresses = filter_for_addresses,
    .port_text = port_text,
    .packet = follow_packet,
    .menu = "Follo&w Stream",
    .tooltip = "Show what the applications of the selected frame's connection sent",
    .title = "SMC-R stream of smcr-"};

// ---- Export Objects: each direction of each connection as a file (--export-objects smcr,DIR) -----

namespace {

ExportObjects objects;

}  // namespace

tap_packet_status export_packet(void* list, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const StreamTap*>(data);
    const Record::Parties& parties = record().parties(tap.connection);
    for (const StreamReader::Piece& piece : *tap.pieces) {
        const std::uint64_t key = std::uint64_t{tap.connection} << 1 | (piece.from == Side::server ? 1 : 0);
        Line file("smcr-");
        file << tap.connection << "-from-" << name_of(piece.from) << ".bin";
        const char* host = parties.text[piece.from].c_str();
        objects.append({list, key}, pinfo->num, {.host = host, .file = file.c_str()}, piece.octets);
    }
    return TAP_PACKET_REDRAW;
}

void begin_export() { objects.forget(); }

}  // namespace fabricscope::plugin::smcr
