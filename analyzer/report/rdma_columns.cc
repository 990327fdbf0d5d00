// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of queue pairs: streams, their directions, operations, and what was out of the ordinary.
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::Latencies;
using engine::rdma::Stream;

// ---- directions ------------------------------------------------------------------------------------

/// What only the packets of a direction's sender tell, or of its receiver.
template <auto member> auto of_sender(const Direction& d) {
    return d.sender_heard ? std::optional(d.*member) : std::nullopt;
}
template <auto member> auto of_receiver(const Direction& d) {
    return d.receiver_heard ? std::optional(d.*member) : std::nullopt;
}

/// The same of what the acknowledgments say that its receiver sent.
template <auto member> auto of_answers(const Direction& d) {
    return d.answers_known ? of_receiver<member>(d) : std::nullopt;
}

constexpr auto count_columns = columns<OperationCount>(
    column<&OperationCount::count>("count", "how many were asked for, completed or not"),
    column<&OperationCount::bytes>("bytes", "their payload, each octet once; READ: what was asked for"));

template <OperationType type> void operations_of(const Direction& direction, const Each<OperationCount>& each) {
    const bool is_known = type != OperationType::read || direction.reads_known;
    if (direction.sender_heard && is_known) each(direction.operations[static_cast<std::size_t>(type)]);
}

constexpr auto operation_columns = columns<Direction>(
    object<operations_of<OperationType::send>, count_columns>("send", "SEND"),
    object<operations_of<OperationType::write>, count_columns>("write", "RDMA WRITE"),
    object<operations_of<OperationType::read>, count_columns>("read", "RDMA READ"),
    object<operations_of<OperationType::atomic>, count_columns>("atomic", "Compare & Swap and Fetch & Add"));

void retransmitted_of(const Direction& direction, const Each<Retransmitted>& each) {
    if (direction.sender_heard) each(direction.retransmitted);
}

constexpr auto retransmitted_columns = columns<Retransmitted>(
    column<&Retransmitted::packets>("packets", "packets in all; those without a known cause are in none of the others"),
    column<&Retransmitted::nak>("nak", "after a NAK"),
    column<&Retransmitted::timeout>("timeout", "after a silence, without anything that asked for it"),
    column<&Retransmitted::rnr>("rnr", "after an RNR NAK"),
    column<&Retransmitted::implied>("implied", "because their sender had missed a part of a response"));

template <unsigned percent> std::optional<double> percentile_of(const Latencies& latencies) {
    return converted(latencies.percentile(percent / 100.0), seconds_of);
}

constexpr auto latency_columns = columns<Latencies>(
    column<percentile_of<50>>("p50", "median, seconds, to about 3 %"),
    column<percentile_of<99>>("p99", "99 % took no longer, seconds, to about 3 %"),
    column<[](const Latencies& l) { return converted(l.max(), seconds_of); }>("max", "the longest, seconds"));

constexpr auto direction_columns = columns<Direction>(
    column<&Direction::packets>(
        "packets",
        "all that this side sent on the stream without CNPs, which are counted apart; 0: what it did is not known, and "
        "null below"),
    column<[](const Direction& d) { return d.reads_known ? of_sender<&Direction::bytes>(d) : std::nullopt; }>(
        "bytes",
        "payload of the operations that this side asked for, each octet once; READs are the asker's; null, too, if how "
        "far a READ reaches was cut off"),
    object<itself<Direction>, operation_columns>("operations", "asked for by this side"),
    object<retransmitted_of, retransmitted_columns>("retransmitted", "retransmitted"),
    column<of_sender<&Direction::lost>>(
        "lost", "packets that did not arrive: refused, or retransmitted where none had been seen"),
    column<of_sender<&Direction::lost_before>>("lost_before", "those of them that did not reach the point of capture"),
    column<of_sender<&Direction::lost_behind>>("lost_behind", "those of them that had passed the point of capture"),
    column<of_sender<&Direction::unseen>>(
        "unseen",
        "of unreliable connections: packets that are missing, lost before the point of capture or not captured"),
    column<&Direction::not_captured>("not_captured", "packets that arrived, as answers show, without being captured"),
    column<of_sender<&Direction::out_of_order>>("out_of_order", "packets behind later ones that nobody retransmitted"),
    column<[](const Direction& d) {
        return d.answers_known ? of_sender<&Direction::duplicate_requests>(d) : std::nullopt;
    }>("duplicate_requests",
       "packets of this side, retransmitted after they had arrived; null, as is what else follows from "
       "acknowledgments, "
       "if what some of them say was cut off"),
    column<[](const Direction& d) { return d.icrcs.checked; }>(
        "icrcs_checked", "packets of this side whose ICRC was checked: the first ones, and those behind a loss"),
    column<[](const Direction& d) { return d.icrcs.any_right ? std::optional(d.icrcs.wrong) : std::nullopt; }>(
        "wrong_icrcs",
        "those of them whose ICRC is wrong, so that their receiver drops them; null if none was right: the adapter of "
        "this side may fill it in behind the capture"),
    column<of_answers<&Direction::naks>>("naks", "that this side was sent, without RNR NAKs"),
    column<of_answers<&Direction::unheeded_naks>>(
        "unheeded_naks", "those of them behind which this side began again only after a timeout"),
    column<of_answers<&Direction::rnr_naks>>("rnr_naks", "that this side was sent"),
    column<of_receiver<&Direction::cnps>>("cnps", "congestion notification packets that this side was sent"),
    column<of_sender<&Direction::ce_marked>>("ce_marked", "packets of this side with ECN's congestion experienced"),
    column<[](const Direction& d) { return d.answers_known ? of_sender<&Direction::timeouts>(d) : std::nullopt; }>(
        "timeouts", "how often this side began again after a silence"),
    column<[](const Direction& d) {
        return d.timeouts != 0 ? std::optional(seconds_of(d.longest_timeout)) : std::nullopt;
    }>("longest_timeout", "the longest silence before that, seconds"),
    column<[](const Direction& d) {
        return converted(d.sender_heard ? of_answers<&Direction::rnr_waited>(d) : std::nullopt, seconds_of);
    }>("rnr_waited", "from RNR NAKs to what was retransmitted, seconds in all"),
    object<&Direction::ack_rtt, latency_columns>("ack_rtt", "from the last packet of a request to its answer"),
    object<&Direction::operation_time, latency_columns>(
        "operation_time", "from the first packet of a request to its completion"),
    time<&Direction::first_time>("first_time", "time of the first packet"),
    time<&Direction::last_time>("last_time", "time of the last packet"));

constexpr auto directions = table<direction_columns>("rdma_directions", "What each side of a stream sent.")
                                .key("stream", Type::text, "that it belongs to")
                                .member_name("direction", "a_to_b or b_to_a");

template <Side side> void traffic_from(const Stream& stream, const Each<Direction>& each) { each(stream.from[side]); }

// ---- streams ---------------------------------------------------------------------------------------

template <Side side> Address address_of(const Stream& stream) { return stream.end[side].address; }
template <Side side> auto qpn_of(const Stream& stream) { return stream.end[side].qpn; }

constexpr auto stream_columns = columns<Stream>(
    column<[](const Stream& s) { return stream_name(s.id); }>("id", "rdma-1, rdma-2, ...").with_names(),
    column<&Stream::transport>("transport", "rc, uc, ud or xrc"),
    column<address_of<a>>("a", "IP address, GID or LID of the CM client, otherwise of who was seen first"),
    column<address_of<b>>("b", "that of the other side"), column<qpn_of<a>>("a_qpn", "queue pair number of a"),
    column<qpn_of<b>>("b_qpn", "queue pair number of b"),
    column<&Stream::learned>(
        "learned", "what told that they belong together: cm, smcr, acknowledgments or datagrams; null: nothing did"),
    column<[](const Stream& s) { return text_or_null(session_name(s)); }>(
        "session", "CM connection or link group that set it up")
        .with_names(),
    column<&Stream::mtu>("mtu", "payload of a full packet, bytes"),
    column<&Stream::ending>("end", "disconnected, retries-exhausted, nak, open or unknown"),
    row<traffic_from<a>, directions>("a_to_b"), row<traffic_from<b>, directions>("b_to_a"), column<[](const Stream& s) {
        const bool known = s.from[a].answers_known && s.from[b].answers_known;
        return known ? std::optional(s.unanswered[a] + s.unanswered[b]) : std::nullopt;
    }>("unanswered", "operations without an answer at the end; null if what some acknowledgments say was cut off"),
    column<[](const Stream& s) { return converted(s.fatal, [](const FatalNak& nak) { return nak.seen.frame; }); }>(
        "fatal_nak_frame", "frame of a NAK after which a queue pair is in error"),
    column<&Stream::first_frame>("first_frame", "frame of its first packet"),
    column<&Stream::last_frame>("last_frame", "frame of its last packet"));

constexpr auto streams = table<stream_columns>("rdma_streams", "Queue pairs that talk to each other.")
                             .indexes("session", "a", "b");

void each_stream(const Model& model, const Each<Stream>& each) {
    for (const Stream& stream : model.streams)
        if (!stream.merged) each(stream);
}

// ---- operations ------------------------------------------------------------------------------------

constexpr auto operation_row_columns = columns<Operation>(
    column<[](const Operation& o) { return stream_name(o.stream); }>("stream", "that it belongs to").with_names(),
    column<[](const Operation& o) { return o.by == a ? "a" : "b"; }>("by", "who asked for it: a or b"),
    column<&Operation::type>("type", "send, write, read or atomic"),
    column<&Operation::psn>("psn", "of its first packet that was captured"),
    column<&Operation::bytes>("bytes", "payload; READ: what was asked for"),
    column<&Operation::packets>("packets", "of the request, without those retransmitted"),
    column<&Operation::retransmitted>("retransmitted", "packets of the request that were retransmitted"),
    time<&Operation::first>("first_time", "time of the first packet of the request"),
    frame<&Operation::first>("first_frame", "its frame"),
    time<&Operation::last>("last_time", "time of the last packet of the request"),
    frame<&Operation::last>("last_frame", "its frame"),
    time<&Operation::answer>("answer_time", "time of the acknowledgment, or of the last packet of the response"),
    frame<&Operation::answer>("answer_frame", "its frame; null: unreliable, unanswered, or not captured"));

constexpr auto operation_rows = table<operation_row_columns>(
                                    "rdma_operations",
                                    "SENDs, RDMA WRITEs and READs, atomic operations; the first 100,000 of them.")
                                    .number("id", "from 1, in the order in which they ended")
                                    .refers("stream", "rdma_streams (id)")
                                    .indexes("stream", "first_frame");

// ---- events ----------------------------------------------------------------------------------------

constexpr auto event_columns = columns<Event>(
    column<[](const Event& e) { return stream_name(e.stream); }>("stream", "that it belongs to").with_names(),
    column<[](const Event& e) { return e.from == a ? "a" : "b"; }>("from", "whose packet shows it: a or b"),
    column<&Event::kind>("kind", "nak, rnr-nak, retransmission, not-captured or out-of-order"),
    time<&Event::time>("time", "when"), column<&Event::frame>("frame", "that shows it"),
    column<&Event::psn>("psn", "it is about, the first one"), column<&Event::count>("count", "packets"),
    column<&Event::cause>("cause", "of a retransmission: nak, timeout, rnr, implied or unknown"),
    column<[](const Event& e) { return converted(e.waited, seconds_of); }>(
        "waited", "retransmission: seconds since the NAK, or since anything was sent or answered"),
    column<&Event::syndrome>("syndrome", "of a NAK, as in AETH"));

constexpr auto event_rows = table<event_columns>("rdma_events", "What was refused, retransmitted, or missing.")
                                .number("id", "from 1, in the order in which it was seen")
                                .refers("stream", "rdma_streams (id)")
                                .indexes("stream", "frame");

constexpr auto model_columns = columns<Model>(
    rows<each_stream, streams>("streams"), rows<&Model::operations, operation_rows>("operations", Form::parts),
    rows<&Model::events, event_rows>("events", Form::parts),
    column<&Model::cnps>("cnps", "congestion notification packets"),
    column<&Model::ce_marked>("ce_marked", "packets with ECN's congestion experienced"),
    column<&Model::pfc_frames>("pfc_frames", "priority pause frames, IEEE 802.1Qbb"),
    column<&Model::pause_frames>("pause_frames", "pause frames of the whole link"),
    column<&Model::dropped_streams>("dropped_streams", "packets left out because a limit was reached"),
    column<&Model::dropped_operations>("dropped_operations", "operations left out of the list for want of room"),
    column<&Model::dropped_events>("dropped_events", "events left out of the list for want of room"),
    column<[](const Model& m) { return m.dropped_findings; }>(
        "dropped_findings", "findings left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> rdma_columns{model_columns};

}  // namespace fabricscope::report
