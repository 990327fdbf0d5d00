// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma/show.h"

#include <array>
#include <string_view>
#include <vector>

#include "analyzer/info/rdma.h"
#include "protocols/ib/retries.h"

namespace fabricscope::plugin::rdma {
namespace {

using info::rdma::mark_of;
using info::rdma::summary_of;

using ib::AethSyndrome;

static_assert(std::is_trivially_destructible_v<FrameFacts>);  // it lives across calls that may leave by longjmp

// ---- expert infos: filters and severities as users of tcp.analysis know them ---------------------

enum Kind : std::uint8_t {
    retransmission,
    fast_retransmission,
    timeout_retransmission,
    rnr_retransmission,
    nak,
    rnr,
    out_of_order,
    lost_packets,
    unseen_packets,
    ack_unseen,
    duplicate_ack,
    duplicate_request,
    retries_exhausted,
    kinds
};

std::array<expert_field, kinds> ids = [] {
    std::array<expert_field, kinds> made{};
    made.fill(EI_INIT);
    return made;
}();

constexpr struct {
    Generated name;
    int severity;
} descriptions[kinds] = {
    {"rdma.analysis.retransmission", PI_NOTE},
    {"rdma.analysis.fast_retransmission", PI_NOTE},
    {"rdma.analysis.timeout_retransmission", PI_NOTE},
    {"rdma.analysis.rnr_retransmission", PI_NOTE},
    {"rdma.analysis.nak", PI_WARN},
    {"rdma.analysis.rnr", PI_WARN},
    {"rdma.analysis.out_of_order", PI_WARN},
    {"rdma.analysis.lost_packets", PI_WARN},
    {"rdma.analysis.unseen_packets", PI_WARN},
    {"rdma.analysis.ack_unseen", PI_WARN},
    {"rdma.analysis.duplicate_ack", PI_NOTE},
    {"rdma.analysis.duplicate_request", PI_NOTE},
    {"rdma.analysis.retries_exhausted", PI_WARN},
};

void say(const Display& display, proto_item* item, Kind kind) { expert_add_info(display.pinfo, item, &ids[kind]); }

void say_retransmission(const Display& display, proto_item* item, Cause cause) {
    say(display, item, retransmission);
    switch (cause) {
        case Cause::nak:
        case Cause::implied: return say(display, item, fast_retransmission);
        case Cause::timeout: return say(display, item, timeout_retransmission);
        case Cause::rnr: return say(display, item, rnr_retransmission);
        case Cause::unknown: return;
    }
}

bool is_rnr(std::uint8_t syndrome) { return AethSyndrome::of(syndrome).kind == AethSyndrome::Class::rnr_nak; }

void say_what_stands_out(const Display& display, proto_item* item, const FrameFacts& facts) {
    if (facts.retransmission) say_retransmission(display, item, *facts.retransmission);
    if (facts.nak) say(display, item, is_rnr(*facts.nak) ? rnr : nak);
    if (facts.out_of_order) say(display, item, out_of_order);
    if (facts.lost != 0) say(display, item, lost_packets);
    if (facts.missing == 1)
        expert_add_info_format(
            display.pinfo, item, &ids[unseen_packets], "The packet before this one has not been seen");
    else if (facts.missing > 1)
        expert_add_info_format(
            display.pinfo, item, &ids[unseen_packets], "%u packets before this one have not been seen", facts.missing);
    if (facts.unseen) say(display, item, ack_unseen);
    if (facts.duplicate_ack) say(display, item, duplicate_ack);
    if (facts.duplicate_request) say(display, item, duplicate_request);
    const auto& silence = Record::stream(facts).silence;
    if (silence && silence->last.frame == facts.frame && silence->is_final_at(latest_time()))
        say(display, item, retries_exhausted);
}

// ---- the tree ------------------------------------------------------------------------------------

void add_operation(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    if (facts.operation_number != 0)
        add_number(tree, tvb, id_of("rdma.operation"), std::optional(facts.operation_number));
    if (facts.operation) add_text(tree, tvb, id_of("rdma.operation.type"), name_of(*facts.operation));
    add_number(tree, tvb, id_of("rdma.operation.length"), facts.operation_bytes);
    const bool is_answer = facts.response && facts.request_frame != 0;
    if (is_answer) add_request(display, tree, tvb, facts.request_frame, facts.time - facts.request_time);
    else if (facts.request_frame != facts.frame) add_frame(tree, tvb, id_of("rdma.begins_in"), facts.request_frame);
    if (is_answer && facts.completes)
        add_time_span(tree, tvb, id_of("rdma.operation.time"), facts.time - facts.request_time);
    if (facts.request) add_frame(tree, tvb, id_of("rdma.response_in"), record.response(facts.frame));
    add_frame(tree, tvb, id_of("rdma.acknowledged_in"), record.acknowledgment(facts));
    add_frame(tree, tvb, id_of("rdma.ack_to"), facts.acknowledges_frame);
    if (facts.ack_rtt) add_time_span(tree, tvb, id_of("rdma.ack_rtt"), *facts.ack_rtt);
}

void add_refusal(proto_tree* tree, tvbuff_t* tvb, std::uint8_t syndrome) {
    add_text(tree, tvb, id_of("rdma.nak"), to_string(AethSyndrome::of(syndrome)));
    if (!is_rnr(syndrome)) return;
    const std::uint32_t asked = ib::rnr_timer_microseconds(AethSyndrome::of(syndrome).value);
    add_time_span(tree, tvb, id_of("rdma.rnr.timer"), asked * capture::microsecond);
}

void add_repetition(const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    if (!facts.retransmission) return;
    add_frame(tree, tvb, id_of("rdma.retransmission.of"), record.original(facts));
    add_text(tree, tvb, id_of("rdma.retransmission.cause"), name_of(*facts.retransmission));
    if (facts.waited) add_time_span(tree, tvb, id_of("rdma.retransmission.wait"), *facts.waited);
    if (facts.retry != 0) add_number(tree, tvb, id_of("rdma.retransmission.retry"), std::optional(facts.retry));
}

void add_congestion(proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    if (facts.ce) add_true(tree, tvb, id_of("rdma.ecn.ce"));
    if (facts.cnp) add_true(tree, tvb, id_of("rdma.cnp"));
    if (facts.cnp_latency) add_time_span(tree, tvb, id_of("rdma.cnp.latency"), *facts.cnp_latency);
}

void add_stream(const Record& record, proto_tree* tree, tvbuff_t* tvb, const Stream& stream) {
    proto_item* item = add_number(tree, tvb, id_of("rdma.stream"), std::optional(stream.id));
    const Session* session = record.session(stream);
    if (session == nullptr) return;
    const bool by_cm = session->cm_connection != 0;
    Line name;
    name << (by_cm ? "cm-" : "lg-") << (by_cm ? session->cm_connection : session->link_group);
    proto_item_append_text(item, " (set up by %s)", name.c_str());
    add_text(tree, tvb, id_of("rdma.session"), name.c_str());
}

void add_facts(const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    const Stream& stream = Record::stream(facts);
    add_stream(record, tree, tvb, stream);
    add_text(tree, tvb, id_of("rdma.transport"), name_of(stream.transport));
    add_number(tree, tvb, id_of("rdma.source_qp"), facts.source_qpn);
    add_ends(display, tree, tvb, ends_of(facts));
    add_number(tree, tvb, id_of("rdma.psn_relative"), facts.relative_psn);
    add_operation(display, record, tree, tvb, facts);
    add_number(tree, tvb, id_of("rdma.packets_in_flight"), facts.packets_in_flight);
    add_number(tree, tvb, id_of("rdma.bytes_in_flight"), facts.bytes_in_flight);
    add_congestion(tree, tvb, facts);
    if (facts.nak) add_refusal(tree, tvb, *facts.nak);
    add_repetition(record, tree, tvb, facts);
    say_what_stands_out(display, proto_tree_get_parent(tree), facts);
    add_remarks(display, tree, tvb, facts.frame, false);
}

// ---- columns -------------------------------------------------------------------------------------

void write_info(const Display& display, const FrameFacts& facts, const Line& summary) {
    // Of a frame that the capture cut, Wireshark's dissector says that it is malformed, and puts up a fence.
    col_clear_fence(display.pinfo->cinfo, COL_INFO);
    const Line line = info::marked(facts.frame != display.pinfo->num ? facts.frame : 0, mark_of(facts), summary);
    col_add_str(display.pinfo->cinfo, COL_INFO, line.c_str());
}

}  // namespace

std::span<const ExpertKind> experts() {
    static const std::vector<ExpertKind> made = [] {
        std::vector<ExpertKind> all;
        for (std::size_t i = 0; i < kinds; ++i)
            all.push_back({&ids[i], descriptions[i].name.field(), PI_SEQUENCE, descriptions[i].severity});
        return all;
    }();
    return made;
}

bool is_info_free(const Display& display) {
    if (!display.columns) return false;
    const char* protocol = col_get_text(display.pinfo->cinfo, COL_PROTOCOL);
    const std::string_view name = protocol != nullptr ? protocol : "";
    return name == "RRoCE" || name == "RoCE" || name == "InfiniBand";
}

void show(const Display& display, const Record& record, const Visit& visit, const FrameFacts& facts, bool with_info) {
    const Line summary = summary_of(visit.packet, facts);
    if (with_info) write_info(display, facts, summary);
    if (!display.details) return;
    const auto offset = static_cast<int>(visit.packet.ib.bth_offset);
    proto_tree* tree = add_protocol(display, fields.name, visit.tvb, offset, 0, summary.c_str());
    add_facts(display, record, tree, visit.tvb, facts);
}

Ends ends_of(const FrameFacts& facts) {
    const Stream& stream = Record::stream(facts);
    return {record().end_text(stream, facts.from), record().end_text(stream, engine::rdma::other(facts.from))};
}

}  // namespace fabricscope::plugin::rdma
