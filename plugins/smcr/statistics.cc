// SPDX-License-Identifier: GPL-2.0-or-later
// Service response times of CLC and LLC (-z smcr,srt) and counts of everything (-z smcr,tree).
#include "plugins/common/line.h"
#include "plugins/common/response_times.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/taps.h"
#include "protocols/smcr/cdc.h"

namespace fabricscope::plugin {
namespace {

using What = FrameFacts::What;

// ---- response times ------------------------------------------------------------------------------

enum : unsigned { kClcTable, kLlcTable, kTables };

void make_response_time_tables(register_srt_t*, GArray* tables) {
    add_response_time_table(tables, {"SMC-R CLC", "CLC", "Request", "smcr.clc.type", smcr::kClcTypeNames});
    add_response_time_table(tables, {"SMC-R LLC", "LLC", "Request", "smcr.llc.type", smcr::kLlcTypeNames});
}

unsigned clc_type(const Record::Clc& clc) {
    smcr::ClcHeader header;
    layout::parse_into(header, clc.octets);
    return static_cast<unsigned>(header.type);
}

void add_clc_response_time(void* tables, packet_info* pinfo, const TapData& tap, const Record::Clc& clc) {
    for (const Record::Clc& request : tap.record->clc(clc.seen.request_frame))
        if (request.seen.connection == clc.seen.connection)
            return add_response_time(tables, kClcTable, clc_type(request), clc.seen.request_time, pinfo);
}

tap_packet_status response_time_packet(
    void* tables, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto* tap = static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap->facts;
    for (const Record::Clc& clc : tap->record->clc(facts.frame))
        if (clc.seen.request_frame != 0) add_clc_response_time(tables, pinfo, *tap, clc);
    if (facts.what == What::llc && facts.request_frame != 0 && !tap->message.empty())
        add_response_time(tables, kLlcTable, tap->message[0], facts.request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

// ---- counts --------------------------------------------------------------------------------------

constexpr const char* kRoot = "SMC-R frames";
constexpr const char* kCdc = "CDC messages by what they tell";
constexpr const char* kWrites = "RDMA WRITE packets by octets of data";
constexpr const char* kDirections = "Octets of RDMA WRITE data by direction";
int root, clc_node, llc_node, cdc_node, write_node, rule_node, connection_node;

void make_nodes(stats_tree* tree) {
    root = stats_tree_create_node(tree, kRoot, 0, STAT_DT_INT, true);
    clc_node = stats_tree_create_pivot(tree, "CLC messages", root);
    llc_node = stats_tree_create_pivot(tree, "LLC messages", root);
    cdc_node = stats_tree_create_pivot(tree, kCdc, root);
    write_node = stats_tree_create_range_node(
        tree, kWrites, root, "0-64", "65-256", "257-1024", "1025-4096", "4097-", nullptr);
    connection_node = stats_tree_create_node(tree, kDirections, 0, STAT_DT_INT, true);
    rule_node = stats_tree_create_pivot(tree, "Findings", 0);
}

void tick(stats_tree* tree, const char* name) { tick_stat_node(tree, name, root, false); }

/// Flags are told beside what moves.
void tick_cdc(stats_tree* tree, const FrameFacts& facts, const smcr::Cdc& cdc) {
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
    tick_stat_node(tree, kCdc, root, true);
}

void tick_llc(stats_tree* tree, ByteView octets, std::uint32_t length) {
    const smcr::LlcMessage message = smcr::parse_llc(octets, length);
    const char* name = layout::name_of(smcr::kLlcTypeNames, message.raw_type());
    Line line(name != nullptr ? name : "unknown");
    line << (message.is_reply() ? " reply" : " request");
    stats_tree_tick_pivot(tree, llc_node, line.c_str());
}

void tick_write(stats_tree* tree, const FrameFacts& facts) {
    tick_stat_node(tree, kWrites, root, true);
    stats_tree_tick_range(tree, kWrites, root, static_cast<int>(facts.length));
    if (facts.connection == 0 || !facts.from || facts.retransmission) return;
    Line line("smcr-");
    line << facts.connection;
    if (facts.roles_known) line << " from " << name_of(*facts.from);
    const int length = static_cast<int>(facts.length);
    increase_stat_node(tree, kDirections, 0, true, length);
    increase_stat_node(tree, line.c_str(), connection_node, false, length);
}

tap_packet_status tree_packet(stats_tree* tree, packet_info*, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto* tap = static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap->facts;
    tick_stat_node(tree, kRoot, 0, true);
    for (const Record::Clc& clc : tap->record->clc(facts.frame)) {
        const char* name = layout::name_of(smcr::kClcTypeNames, clc_type(clc));
        stats_tree_tick_pivot(tree, clc_node, name != nullptr ? name : "unknown");
    }
    for (const FrameNotes::Broken& broken : tap->record->notes().broken_rules(facts.frame))
        stats_tree_tick_pivot(tree, rule_node, broken.rule->id);
    if (facts.retransmission) tick(tree, "Retransmissions");
    if (facts.what == What::write) tick_write(tree, facts);
    if (facts.what == What::llc) tick_llc(tree, tap->message, facts.message_length);
    if (facts.what == What::other) tick(tree, "Acknowledgements and other packets on links");
    if (facts.what == What::tcp && tap->record->clc(facts.frame).empty()) tick(tree, "TCP segments without CLC");
    if (facts.what != What::cdc) return TAP_PACKET_REDRAW;
    smcr::Cdc cdc;
    layout::parse_into(cdc, tap->message);
    tick_cdc(tree, facts, cdc);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_statistics() {
    register_tap(kFrameTap);
    register_srt_table(fields().protocol, kFrameTap, kTables, response_time_packet, make_response_time_tables, nullptr);
    stats_tree_register_plugin(kFrameTap, "smcr", "SMC-R", 0, tree_packet, make_nodes, nullptr);
}

}  // namespace fabricscope::plugin
