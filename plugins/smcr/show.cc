// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/show.h"

#include <algorithm>
#include <type_traits>

#include "analyzer/info/smcr.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::plugin::smcr {
namespace {

using info::smcr::summary_of;
using info::smcr::summary_of_part;
using info::smcr::summary_of_write;

using layout::Fault;

// They live across calls that may leave by longjmp.
static_assert(std::is_trivially_destructible_v<wire::ClcMessage>);
static_assert(std::is_trivially_destructible_v<wire::LlcMessage>);
static_assert(std::is_trivially_destructible_v<SmcDisplay>);

ByteView view_of(tvbuff_t* tvb) {
    const unsigned length = tvb_captured_length(tvb);
    return length == 0 ? ByteView{} : ByteView{tvb_get_ptr(tvb, 0, static_cast<int>(length)), length};
}

// ---- columns and the protocol's own item ---------------------------------------------------------

/// The first message of a frame replaces what the layers below wrote, further ones are added.
void write_info(SmcDisplay display, const FrameFacts& facts, const Line& info, bool first = true) {
    if (!display.columns) return;
    display.first = first;
    if (!first) return write_columns(display, display.protocol, info, ", ");
    const char* repetition = info::mark_of_retransmission(facts.retransmission);
    write_marked_columns(display, display.protocol, facts.frame, repetition, info, ", ");
}

proto_tree* add_message(const SmcDisplay& display, tvbuff_t* tvb, int length, const char* title) {
    return add_protocol(display, display.protocol, tvb, 0, length, title);
}

// ---- what the engine found out -------------------------------------------------------------------

void add_identity(const SmcDisplay& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& met) {
    const Record& record = display.record;
    const FrameFacts facts = Record::known_now(met);
    if (facts.connection != 0) add_text(tree, tvb, id_of("smcr.connection"), record.connection_name(facts.connection));
    add_stream_number(tree, tvb, id_of("smcr.stream"), facts.connection);
    if (facts.link_group != 0) add_text(tree, tvb, id_of("smcr.link_group"), record.link_group_name(facts.link_group));
    add_number(tree, tvb, id_of("smcr.link"), facts.link);
    if (facts.from && facts.roles_known) add_text(tree, tvb, id_of("smcr.from"), name_of(*facts.from));
    add_ends(display, tree, tvb, ends_of(display.pinfo, record, facts));
}

void add_smc_remarks(const SmcDisplay& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    add_remarks(display, tree, tvb, facts.frame, facts.retransmission, true);
}

void add_cursors(const SmcDisplay& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    for (const std::uint32_t write : display.record.facts().announced(facts.frame))
        add_frame(tree, tvb, id_of("smcr.announces"), write);
    add_number(tree, tvb, id_of("smcr.producer_delta"), facts.producer_delta);
    add_number(tree, tvb, id_of("smcr.consumer_delta"), facts.consumer_delta);
    add_number(tree, tvb, id_of("smcr.in_flight"), facts.in_flight);
    add_number(tree, tvb, id_of("smcr.window"), facts.window);
    if (facts.window_full()) add_true(tree, tvb, id_of("smcr.stall"));
    if (facts.stall_time) add_time_span(tree, tvb, id_of("smcr.stall_time"), *facts.stall_time);
}

void add_write(const SmcDisplay& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    add_presence(tree, tvb, id_of("smcr.write"));
    add_number(tree, tvb, id_of("smcr.rmbe.offset"), facts.rmbe_offset);
    add_number(tree, tvb, id_of("smcr.rmbe.position"), facts.position);
    add_number(tree, tvb, id_of("smcr.write.length"), std::optional(facts.length));
    add_frame(tree, tvb, id_of("smcr.announced_in"), display.record.facts().announcement(facts.frame));
}

void add_facts(const SmcDisplay& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    add_identity(display, tree, tvb, facts);
    add_request(display, tree, tvb, facts.request_frame, facts.time - facts.request_time);
    if (facts.what == FrameFacts::What::llc) add_response(display, tree, tvb, facts.frame);
    if (facts.what == FrameFacts::What::cdc) add_cursors(display, tree, tvb, facts);
    if (facts.what == FrameFacts::What::write) add_write(display, tree, tvb, facts);
    add_smc_remarks(display, tree, tvb, facts);
}

// ---- CLC -----------------------------------------------------------------------------------------

/// What the message's own header says, if that much of it was captured.
int claimed_length(const Record::Clc& clc) {
    wire::ClcHeader header;
    const bool whole = !layout::parse_into(header, clc.octets);
    return std::max(whole ? int{header.length} : 0, static_cast<int>(clc.octets.size()));
}

tvbuff_t* add_source(const SmcDisplay& display, tvbuff_t* parent, ByteView octets, int reported, const char* name) {
    const int captured = static_cast<int>(octets.size());
    const auto* copy = static_cast<const guint8*>(wmem_memdup(display.pinfo->pool, octets.data(), octets.size()));
    tvbuff_t* tvb = tvb_new_child_real_data(parent, copy, static_cast<unsigned>(captured), reported);
    add_new_data_source(display.pinfo, tvb, name);
    return tvb;
}

/// The message as it stands in the segment, if it began there; else the engine's reassembly of it.
tvbuff_t* clc_tvb(const SmcDisplay& display, tvbuff_t* payload, const Record::Clc& clc) {
    const int captured = static_cast<int>(clc.octets.size());
    const int length = claimed_length(clc);
    const auto offset = static_cast<int>(clc.seen.payload_offset);
    if (offset >= 0 && tvb_bytes_exist(payload, offset, captured) &&
        tvb_memeql(payload, offset, clc.octets.data(), clc.octets.size()) == 0)
        return tvb_new_subset_length_caplen(payload, offset, captured, length);
    return add_source(display, payload, clc.octets, length, "Reassembled CLC message");
}

void show_clc_message(
    SmcDisplay display, tvbuff_t* payload, const FrameFacts& facts, const Record::Clc& clc, bool first) {
    tvbuff_t* tvb = clc_tvb(display, payload, clc);
    const wire::ClcMessage message = wire::parse_clc(view_of(tvb));
    if (message.header.eye_catcher == wire::eye_catcher_smc_d) display.protocol = "SMC-D";
    const Line summary = summary_of(message);
    write_info(display, facts, summary, first);
    proto_tree* tree = add_message(display, tvb, -1, summary.c_str());
    add_presence(tree, tvb, id_of("smcr.clc"));
    walk(message, builder(display, tvb, tree));
    add_error(display, tree, message.error);
    add_identity(display, tree, tvb, facts);
    add_request(display, tree, tvb, clc.seen.request_frame, clc.seen.time - clc.seen.request_time);
    add_response(display, tree, tvb, clc.seen.frame);
    add_smc_remarks(display, tree, tvb, facts);
}

/// Octets of a message that later segments complete.
void show_clc_part(
    const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts, int offset, int length, bool first) {
    tvbuff_t* tvb = tvb_new_subset_length(payload, offset, length);
    const Line summary = info::smcr::summary_of_clc_part(
        static_cast<std::uint32_t>(length), display.record.completion(facts.frame));
    write_info(display, facts, Line("[") << summary.view() << "]", first);
    proto_tree* tree = add_message(display, tvb, -1, summary.c_str());
    proto_tree_add_item(tree, fields.octets, tvb, 0, length, ENC_NA);
    add_identity(display, tree, tvb, facts);
    add_smc_remarks(display, tree, tvb, facts);
}

/// Where the octets of the frame's complete messages end in its payload.
int clc_end(std::span<const Record::Clc> messages, int limit) {
    if (messages.empty()) return 0;
    const Record::Clc& last = messages.back();
    const std::int64_t end = last.seen.payload_offset + claimed_length(last);
    return static_cast<int>(std::clamp<std::int64_t>(end, 0, limit));
}

// ---- LLC, CDC, WRITE -----------------------------------------------------------------------------

void show_llc(const SmcDisplay& display, tvbuff_t* tvb, const FrameFacts& facts) {
    const wire::LlcMessage message = wire::parse_llc(view_of(tvb), tvb_reported_length(tvb));
    const Line summary = summary_of(message, facts);
    write_info(display, facts, summary);
    proto_tree* tree = add_message(display, tvb, -1, summary.c_str());
    add_presence(tree, tvb, id_of("smcr.llc"));
    walk(message, builder(display, tvb, tree));
    add_error(display, tree, message.error);
    const auto* add_link = std::get_if<wire::AddLinkMessage>(&message.body);
    if (add_link != nullptr && std::holds_alternative<wire::AddLinkRfc>(add_link->body))
        expert_add_info(display.pinfo, proto_tree_get_parent(tree), &rfc_add_link);
    add_facts(display, tree, tvb, facts);
}

void show_cdc(const SmcDisplay& display, tvbuff_t* tvb, const FrameFacts& facts) {
    wire::Cdc cdc;
    const layout::ParseError error = layout::parse_into(cdc, view_of(tvb));
    const Line summary = summary_of(cdc, facts);
    write_info(display, facts, summary);
    if (!display.details) return;
    proto_tree* tree = add_message(display, tvb, -1, summary.c_str());
    add_presence(tree, tvb, id_of("smcr.cdc"));
    builder(display, tvb, tree).part(cdc, 0, wire::PartInfo{});
    add_error(display, tree, error);
    add_facts(display, tree, tvb, facts);
}

void show_data(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts, const Line& summary) {
    write_info(display, facts, summary);
    if (!display.details) return;
    add_facts(display, add_message(display, payload, -1, summary.c_str()), payload, facts);
    call_data_dissector(payload, display.pinfo, display.tree);
}

tvbuff_t* without_padding(tvbuff_t* payload, std::uint32_t length) {
    const auto captured = static_cast<int>(std::min(length, tvb_captured_length(payload)));
    return tvb_new_subset_length_caplen(payload, 0, captured, static_cast<int>(length));
}

/// The message that the payload is or completes.
tvbuff_t* message_tvb(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts) {
    const ByteView whole = display.record.long_message(facts.frame);
    if (whole.empty()) return without_padding(payload, facts.message_length);
    return add_source(display, payload, whole, static_cast<int>(facts.message_length), "Reassembled SMC-R message");
}

}  // namespace

int show_clc(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts) {
    const std::span<const Record::Clc> messages = display.record.clc(facts.frame);
    for (const Record::Clc& clc : messages) show_clc_message(display, payload, facts, clc, &clc == messages.data());
    const int captured = static_cast<int>(tvb_captured_length(payload));
    const int end = clc_end(messages, captured);
    const int pending = std::min(static_cast<int>(facts.clc_pending), captured - end);
    if (pending > 0) show_clc_part(display, payload, facts, end, pending, messages.empty());
    return end + std::max(pending, 0);
}

void show_link_payload(const SmcDisplay& display, tvbuff_t* payload, const FrameFacts& facts) {
    if (!display.is_seen()) return;
    switch (facts.what) {
        case FrameFacts::What::llc: return show_llc(display, message_tvb(display, payload, facts), facts);
        case FrameFacts::What::cdc: return show_cdc(display, message_tvb(display, payload, facts), facts);
        case FrameFacts::What::write:
            return show_data(display, without_padding(payload, facts.length), facts, summary_of_write(facts));
        case FrameFacts::What::other:
        case FrameFacts::What::tcp: break;
    }
    show_data(display, payload, facts, summary_of_part(facts));
}

void show_facts(const SmcDisplay& display, tvbuff_t* frame, const FrameFacts& facts) {
    if (!display.details) return;
    const char* title = facts.what == FrameFacts::What::tcp ? "TCP connection" : "packet on a link";
    add_facts(display, add_message(display, frame, 0, title), frame, facts);
}

void show_tcp_option(packet_info* pinfo, proto_tree* tree, tvbuff_t* option) {
    wire::TcpOption parsed;
    layout::parse_into(parsed, view_of(option));
    const char* name = layout::name_of(wire::eye_catcher_names, parsed.identifier);
    proto_item* item = proto_tree_add_protocol_format(tree, fields.protocol, option, 0, -1, "TCP Option - %s", name);
    proto_tree* subtree = proto_item_add_subtree(item, fields.subtree);
    TreeBuilder(fields, pinfo, option, subtree).part(parsed, 0, wire::PartInfo{});
    col_append_fstr(pinfo->cinfo, COL_INFO, " %s", name);
}

Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts) {
    if (facts.connection == 0) return {};
    const Record::Parties& parties = record.parties(facts.connection);
    if (!facts.from || parties.text[Side::client].empty())
        return {address_to_str(pinfo->pool, &pinfo->net_src), address_to_str(pinfo->pool, &pinfo->net_dst)};
    return {parties.text[*facts.from].c_str(), parties.text[other(*facts.from)].c_str()};
}

}  // namespace fabricscope::plugin::smcr
