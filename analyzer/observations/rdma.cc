// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/rdma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/observations/latencies.h"
#include "analyzer/observations/packets.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/retries.h"

namespace fabricscope::observations {
namespace {

using namespace engine::rdma;

namespace kinds {
constexpr Kind refused{
    "RDMA-O-refused",
    Severity::error,
    "A queue pair refused a request, and is in error",
    "The responder answered with a NAK after which both queue pairs are in error: invalid request, remote access error "
    "or remote operational error.",
    "Remote access error: RKey, address and length of the request, and the access flags that the memory was "
    "registered with. Invalid request: more READs at a time than agreed, or a SEND that is longer than the receive. "
    "On the adapter `rdma statistic show link DEV` (rx_remote_access_err, req_remote_invalid_request).",
    "192.0.2.20 refused a request with NAK, remote access error"};
constexpr Kind retries_exhausted{
    "RDMA-O-retries-exhausted",
    Severity::error,
    "A requester gave up",
    "A request was retransmitted again and again, nothing came back or RNR NAKs only, and then its sender fell silent "
    "or disconnected. What it retransmitted before it gave up is counted here.",
    "Is the other host up, and its queue pair: `rdma resource show qp`. Does UDP port 4791 pass in both directions? On "
    "the adapter `rdma statistic show link DEV` (local_ack_timeout_err, retry_exceeded_err).",
    "192.0.2.10 began again 7 times after timeouts of up to 4.29 s, got no answer, and gave up"};
constexpr Kind congestion{
    "RDMA-O-congestion",
    Severity::note,
    "Packets met congestion on their way",
    "Switches marked packets (ECN: congestion experienced), or the receiver asked the sender to slow down (CNP).",
    "ECN thresholds and queue depths of the switches on the way; on the adapter `rdma statistic show link DEV` "
    "(np_ecn_marked_roce_packets, np_cnp_sent, rp_cnp_handled). Marks without CNPs: is congestion control on?",
    "congestion on the way from 192.0.2.10: 120 packets marked (1.2 %), 14 CNPs came back"};
constexpr Kind wrong_icrc{
    "RDMA-O-wrong-icrc",
    Severity::warning,
    "Packets came with a wrong ICRC",
    "The octets of packets were changed before the point of capture: their invariant CRC is wrong. The receiver drops "
    "such packets silently, so that they are missing there and are retransmitted, or are lost with an unreliable queue "
    "pair. Checked are the first 200 packets of each side of a queue pair (10,000 of a capture), 256 behind a NAK or a "
    "retransmission, fewer each time as long as all are right, and 1,000 behind each wrong one; not those that were "
    "cut by the snap length. It is told only where other packets of the same sender to the same queue pair, captured "
    "on the same interface, have a right one: adapters fill the ICRC in behind a capture on their own host.",
    "Cables, transceivers and ports from the sender to the point of capture: `ethtool -S DEV | grep -Ei "
    "'crc|fcs|symbol'` and the same counters of switches; whatever rewrites packets on the way (tunnels, NAT). On the "
    "receiver `rdma statistic show link DEV` (rx_icrc_encapsulated).",
    "20 of 734 packets of 192.0.2.10 that were checked have a wrong ICRC: 192.0.2.20 drops them"};
constexpr Kind not_captured{
    "RDMA-O-not-captured",
    Severity::note,
    "Packets are missing from the capture",
    "Acknowledgments cover packets that the capture does not hold, so nothing was lost on the network: numbers of "
    "operations and bytes are too small, and times of operations are not known.",
    "Drops of the capture (`fabricscope capture` and tcpdump tell them); a snap length of 128; both directions and all "
    "paths in it?",
    "642 packets of 192.0.2.10 arrived, as answers show, but were not captured: operations and bytes lack them"};
constexpr Kind unreliable_gaps{
    "RDMA-O-unreliable-gaps",
    Severity::note,
    "Packets of an unreliable connection are missing",
    "The packet sequence numbers of an unreliable connection (UC) have gaps: packets were lost before the point of "
    "capture, or the capture lacks them. Nobody sends them again: a message that lacks a packet is lost.",
    "What the capture dropped (tcpdump says so in the end, and pcapng files hold it); the discards of switches on the "
    "way, and pause frames: `ethtool -S DEV | grep -Ei 'pause|discard'`.",
    "12 of 312 packets of 192.0.2.10 are missing: lost on the way here, or not captured"};
constexpr Kind one_direction{
    "RDMA-O-one-direction",
    Severity::note,
    "The packets of one side of a queue pair were not captured",
    "The capture holds what one side of a reliable connection sent, and nothing of the other, although it must have "
    "sent something: there are answers without requests, or requests go on without answers and are not repeated. What "
    "that side did, and whether it was heard, is not known.",
    "The capture filter and `tcpdump -Q`; a mirror port that copies one direction only; asymmetric routes or another "
    "member of a bond, where a tap sees one of the ways.",
    "nothing that 192.0.2.20 sent was captured"};
constexpr Kind latency_outlier{
    "RDMA-O-latency-outlier",
    Severity::note,
    "Operations of a queue pair took far longer than others",
    "An operation took 20 times as long as the median of its like, and a millisecond more: operations of the same kind "
    "from the same side, of like size, 20 of them at least. Those that NAKs and retransmissions have delayed are left "
    "out, since these are told already.",
    "The host that answered, at that time: `perf sched`, power states (`cpupower idle-info`), PCIe errors "
    "(`lspci -vv`); pause frames on the way: `ethtool -S DEV | grep pause`. `fabricscope timeline FILE "
    "--connection ID` draws it.",
    "2 of 1,024 operations took far longer than others of their kind: up to 12.3 ms, with a median of 21.5 us"};
constexpr Kind paused{
    "RDMA-O-paused",
    Severity::warning,
    "A port told the other end of its link to pause",
    "A port could not take more, and paused the link or one of its priorities (pause frames of IEEE 802.3, PFC). "
    "Nothing is lost by that, but what waits behind it slows others down, too. Captures do not tell how fast a link "
    "is: a pause that nothing ended is counted as on one of 10 Gbit/s. A note, unless the link was paused for 10 ms in "
    "one go, or for a tenth of the capture.",
    "What is behind that port and does not keep up: a host (PCIe errors and power states: `lspci -vv`; memory), or "
    "switches that are paused themselves. `ethtool -S DEV | grep -i pause` there (rx_prio3_pause, tx_prio3_pause, "
    "tx_prio3_pause_duration), its PFC watchdog, and whether both ends agree which priorities are lossless: `dcb pfc "
    "show dev DEV`.",
    "02:00:00:00:00:01 paused priority 3: 120 frames, 4.2 ms in all, up to 600 us in one go"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::refused,       &kinds::retries_exhausted, &kinds::congestion,
                               &kinds::wrong_icrc,    &kinds::not_captured,      &kinds::unreliable_gaps,
                               &kinds::one_direction, &kinds::latency_outlier,   &kinds::paused};

/// "all after NAKs", "12 after NAKs, 3 after timeouts of up to 4.3 s"
std::string causes_text(const Direction& direction) {
    const Retransmitted again = direction.asked_again();
    const std::uint64_t unknown = again.packets - again.nak - again.timeout - again.rnr - again.implied;
    const std::string timeouts = direction.longest_timeout != 0
                                     ? "after timeouts of up to " + duration_text(direction.longest_timeout)
                                     : "after timeouts";
    const std::array<std::pair<std::uint64_t, std::string>, 5> causes{{
        {again.nak, "after NAKs"},
        {again.timeout, timeouts},
        {again.rnr, "after RNR NAKs"},
        {again.implied, "because responses were lost"},
        {unknown, "for a reason that is not in the capture"},
    }};
    std::string text;
    for (const auto& [count, words] : causes) {
        if (count == 0) continue;
        if (count == again.packets) return count == 1 ? words : "all " + words;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), words);
    }
    return text;
}

/// Most of them: what is true of a few is no cause.
bool is_most(std::uint64_t part, std::uint64_t whole) { return part != 0 && 2 * part >= whole; }

bool is_lost_behind(const Direction& direction) {
    return direction.lost != 0 && direction.lost == direction.lost_behind;
}

/// "between the point of capture and 192.0.2.20"
std::string place_of_loss(const Direction& direction, const std::string& from, const std::string& to) {
    if (is_lost_behind(direction)) return "between the point of capture and " + to;
    if (direction.lost != 0 && direction.lost == direction.lost_before)
        return fmt::format("between {} and the point of capture", from);
    std::string place = fmt::format("on the way from {} to {}", from, to);
    if (direction.lost_before != 0 && direction.lost_behind != 0)
        place += fmt::format(
            " ({} before the point of capture, {} behind it)", grouped(direction.lost_before),
            grouped(direction.lost_behind));
    return place;
}

std::string cause_of_timeouts(const Direction& direction, const std::string& here, const std::string& there) {
    if (is_most(direction.unheeded_naks, direction.timeouts))
        return fmt::format(
            "NAKs from {} have no effect: they are lost on the way to {}, or its retransmissions are lost on the way "
            "here.",
            there, here);
    if (is_most(direction.duplicate_requests, direction.asked_again().packets))
        return fmt::format(
            "The packets had arrived: acknowledgments from {} come later than the timer of {} runs, or are lost on the "
            "way to it.",
            there, here);
    if (direction.lost == 0)
        return fmt::format(
            "{} did not answer in time: the last packets of a burst are lost {}, or the answers to them are, or they "
            "come later than the timer of {} runs.",
            there, place_of_loss(direction, here, there), here);
    return fmt::format(
        "{} did not answer: the last packets of a burst are lost {}, or the answers to them are.", there,
        place_of_loss(direction, here, there));
}

std::string cause_of_rnr(const std::string& there) {
    return fmt::format(
        "{} had no receive buffer posted; the message and everything behind it were retransmitted.", there);
}

std::string cause_of_wrong_icrcs(const std::string& from, const std::string& to) {
    return fmt::format(
        "{} drops packets whose ICRC is wrong: their octets were changed between {} and the point of capture.", to,
        from);
}

/// Why that side had to retransmit most of these packets, in one sentence.
std::string cause_of(const Stream& stream, Side side) {
    const Direction &direction = stream.from[side], &answers = stream.from[other(side)];
    const Retransmitted again = direction.asked_again();
    const std::string here = to_string(stream.end[side].address), there = to_string(stream.end[other(side)].address);
    const std::uint64_t most = std::max({again.nak, again.timeout, again.implied, again.rnr});
    if (most == 0) return "";
    if (is_most(direction.out_of_order, direction.lost + direction.out_of_order))
        return fmt::format(
            "Packets overtake each other on the way from {} to {}: what comes late is asked for again.", here, there);
    if (again.implied == most && is_most(answers.out_of_order, answers.lost + answers.out_of_order))
        return fmt::format(
            "Responses overtake each other on the way from {} to {}, which asks again for what comes late.", there,
            here);
    if (is_most(direction.icrcs.wrong, direction.lost)) return cause_of_wrong_icrcs(here, there);
    if (again.implied == most && is_most(answers.icrcs.wrong, answers.lost)) return cause_of_wrong_icrcs(there, here);
    if (direction.rnr_naks != 0 && direction.lost == 0) return cause_of_rnr(there);
    if (most == again.timeout) return cause_of_timeouts(direction, here, there);
    if (most == again.implied)
        return fmt::format("Responses from {} are lost on the way to {}, which requests them again.", there, here);
    if (most == again.rnr) return cause_of_rnr(there);
    // Behind the point of capture nobody sees which.
    const char* const how = is_lost_behind(direction) ? "lost or overtaken" : "lost";
    return fmt::format("Packets are {} {}.", how, place_of_loss(direction, here, there));
}

/// The first frames that show something of a stream's side.
class Frames {
public:
    explicit Frames(const Model& model) {
        constexpr std::size_t most = 4;
        for (const Event& event : model.events) {
            std::vector<std::uint64_t>& frames = frames_[{event.stream, event.from, event.kind}];
            if (frames.size() < most) frames.push_back(event.frame);
        }
    }
    std::vector<std::uint64_t> of(const Stream& stream, Side from, Event::Kind kind) const {
        const auto found = frames_.find({stream.id, from, kind});
        return found != frames_.end() ? found->second : std::vector<std::uint64_t>{stream.first_frame};
    }

private:
    std::map<std::tuple<std::uint32_t, Side, Event::Kind>, std::vector<std::uint64_t>> frames_;
};

/// What there is to see of a refusal, depending on what was refused.
std::string where_to_look(ib::AethSyndrome syndrome) {
    switch (syndrome.value) {
        case ib::AethSyndrome::invalid_request:
            return "Does the request fit the queue pair: more READs at a time than agreed, a SEND that is longer than "
                   "the receive, an operation that was not allowed. On the adapter `rdma statistic show link DEV` "
                   "(req_remote_invalid_request, resp_local_length_error).";
        case ib::AethSyndrome::remote_access_error:
            return "RKey, address and length of the request, and the access flags that the memory was registered with. "
                   "On the adapter `rdma statistic show link DEV` (rx_remote_access_err, req_remote_access_errors).";
        default:
            return "The responder could not do what it was asked: its log at that time (`dmesg`), and errors of its "
                   "adapter (`rdma statistic show link DEV`, `lspci -vv`).";
    }
}

/// What was seen of a stream last.
struct LastEvent {
    const Event* event = nullptr;
    std::uint32_t rnr_naks = 0;  ///< of the same packet
};
using LastEvents = std::unordered_map<std::uint32_t, LastEvent>;  ///< by stream

LastEvents last_events_of(const Model& model) {
    LastEvents last_events;
    for (const Event& event : model.events) {
        LastEvent& last = last_events[event.stream];
        const bool is_same = last.event != nullptr && last.event->psn == event.psn;
        if (!is_same) last.rnr_naks = 0;
        last.rnr_naks += event.kind == Event::Kind::rnr_nak ? 1 : 0;
        last.event = &event;
    }
    return last_events;
}

/// Whether there have been as many retries as there may be.
bool has_used_retries(const LastEvent& last, const Stream& stream, const engine::rdma_cm::Connection& connection) {
    constexpr std::uint8_t for_ever = 7;
    for (const engine::Side side : {engine::Side::client, engine::Side::server}) {
        const engine::rdma_cm::Endpoint& peer = connection.end[side];
        const bool is_peer = peer.qpn && peer.qpn == stream.end[last.event->from].qpn;
        const std::uint8_t most = peer.rnr_retry_count.value_or(for_ever);
        if (is_peer && most != for_ever && last.rnr_naks > most) return true;
    }
    return false;
}

/// Whether no retry can follow: all are used up, or its requester disconnected before it was to send the next one. If
/// not, one that the capture lacks may have been accepted.
bool is_last_attempt(const LastEvent& last, const Stream& stream, const engine::rdma_cm::Model* cm) {
    if (cm == nullptr || stream.cm_connection == 0) return false;
    const engine::rdma_cm::Connection& connection = cm->connections[stream.cm_connection - 1];
    if (has_used_retries(last, stream, connection)) return true;
    if (stream.ending != End::disconnected) return false;
    const Event& nak = *last.event;
    const std::uint8_t timer = ib::AethSyndrome::of(nak.syndrome.value_or(0)).value;
    const engine::Time wait = ib::rnr_timer_microseconds(timer) * capture::microsecond;
    // By a clock that is behind, it seems to have disconnected before the NAK.
    return connection.dreq && connection.dreq->time >= nak.time && 2 * (connection.dreq->time - nak.time) < wait;
}

/// The RNR NAK behind which a requester gave up, with its request unanswered.
const Event* last_rnr_nak(const Stream& stream, const LastEvents& last_events, const engine::rdma_cm::Model* cm) {
    const auto last = last_events.find(stream.id);
    if (last == last_events.end() || last->second.event->kind != Event::Kind::rnr_nak) return nullptr;
    const Event& nak = *last->second.event;
    if (stream.unanswered[other(nak.from)] == 0) return nullptr;
    return is_last_attempt(last->second, stream, cm) ? &nak : nullptr;
}

/// Whether the side retransmitted nothing but what it gave up in the end.
bool is_told_by_end(const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    const Retransmitted again = direction.asked_again();
    return stream.ending == End::retries_exhausted && stream.silence->of == side &&
           direction.timeouts == stream.silence->retries && again.timeout == again.packets;
}

void observe_end(
    Observations& observations, const Stream& stream, const LastEvents& last_events, const engine::rdma_cm::Model* cm) {
    const std::string name = stream_name(stream.id);
    if (stream.fatal)
        observations
            .add(
                kinds::refused, name, {stream.fatal->seen.frame},
                fmt::format(
                    "{} refused a request with {}", to_string(stream.end[stream.fatal->by].address),
                    ib::to_string(ib::AethSyndrome::of(stream.fatal->syndrome))))
            .look = where_to_look(ib::AethSyndrome::of(stream.fatal->syndrome));
    if (const Event* nak = last_rnr_nak(stream, last_events, cm))
        observations
            .add(
                kinds::retries_exhausted, name, {nak->frame},
                fmt::format(
                    "{} gave up: {} had no receive buffer for its message at any attempt",
                    to_string(stream.end[other(nak->from)].address), to_string(stream.end[nak->from].address)))
            .look = where_buffers_lack();
    if (stream.ending == End::retries_exhausted) {
        const Silence& silence = *stream.silence;
        Observation& o = observations.add(
            kinds::retries_exhausted, name, {stream.last_frame},
            fmt::format(
                "{} began again {} after timeouts{}, got no answer, and gave up",
                to_string(stream.end[silence.of].address), counted(silence.retries, "time"),
                is_told_by_end(stream, silence.of)
                    ? " of up to " + duration_text(stream.from[silence.of].longest_timeout)
                    : ""));
        o.count = silence.retries;
    }
}

/// The CM connection is what users know; a stream without one has but its own name.
std::string subject_of(const Stream& stream) {
    return stream.cm_connection != 0 ? session_name(stream) : stream_name(stream.id);
}

/// If nothing came any more after this side had begun again, more than once.
std::string cause_of_final_silence(const Stream& stream, Side side) {
    const std::optional<engine::rdma::Silence>& silence = stream.silence;
    if (!silence || silence->of != side || silence->retries < 2 || stream.from[other(side)].packets == 0) return "";
    if (!is_most(silence->retries, stream.from[side].timeouts)) return "";
    return fmt::format(
        "{} fell silent: it, or the path to it, failed. {} began again {} in vain, and nothing came until the end.",
        to_string(stream.end[other(side)].address), to_string(stream.end[side].address),
        counted(silence->retries, "time"));
}

/// If the other side had disconnected before this one sent anything again: why nothing answers.
std::string cause_of_silence(
    const Stream& stream, Side side, std::uint64_t first_again, const engine::rdma_cm::Model* cm) {
    if (cm == nullptr || stream.cm_connection == 0) return cause_of_final_silence(stream, side);
    const engine::rdma_cm::Connection& connection = cm->connections[stream.cm_connection - 1];
    if (!connection.dreq || !connection.disconnected_by || connection.dreq->frame >= first_again)
        return cause_of_final_silence(stream, side);
    const Endpoint& peer = stream.end[other(side)];
    if (!peer.qpn || connection.end[*connection.disconnected_by].qpn != peer.qpn) return "";
    return fmt::format(
        "{} had disconnected before, with DREQ in frame {}: its queue pair answers nothing any more.",
        to_string(peer.address), connection.dreq->frame);
}

/// A queue pair stood still for so long, however few packets that was about.
constexpr Time long_timeout = 100 * capture::millisecond;

void observe_retransmissions(
    Observations& observations, const Stream& stream, Side side, const Frames& frames,
    const engine::rdma_cm::Model* cm) {
    if (is_told_by_end(stream, side)) return;
    const Direction& direction = stream.from[side];
    const Retransmitted again = direction.asked_again();  // of answers the requester tells
    const std::vector<std::uint64_t> sent_again = frames.of(stream, side, Event::Kind::retransmission);
    Observation* o = observe_packets(
        observations, subject_of(stream),
        {.packets = direction.packets,
         .repeated = again.packets,
         .naks = direction.naks,
         .rnr_naks = direction.rnr_naks,
         .repeated_for_rnr = again.rnr},
        sent_again, frames.of(stream, other(side), Event::Kind::rnr_nak));
    if (o == nullptr) return;
    if (direction.longest_timeout >= long_timeout) o->severity = Severity::warning;
    o->text = fmt::format(
        "{} retransmitted {} of its packets ({} of {}), {}", to_string(stream.end[side].address),
        percent_text(again.packets, direction.packets), grouped(again.packets), grouped(direction.packets),
        causes_text(direction));
    o->cause = cause_of_silence(stream, side, sent_again.front(), cm);
    if (o->cause.empty()) o->cause = cause_of(stream, side);
}

void observe_icrcs(Observations& observations, const Stream& stream, Side side) {
    const Icrcs& icrcs = stream.from[side].icrcs;
    if (icrcs.wrong == 0) return;
    Observation& o = observations.add(
        kinds::wrong_icrc, stream.link_group != 0 ? session_name(stream) : subject_of(stream), icrcs.frames,
        fmt::format(
            "{} of {} of {} that were checked {} a wrong ICRC: {} drops {}", grouped(icrcs.wrong),
            counted(icrcs.checked, "packet"), to_string(stream.end[side].address), icrcs.wrong == 1 ? "has" : "have",
            to_string(stream.end[other(side)].address), icrcs.wrong == 1 ? "it" : "them"));
    o.count = icrcs.wrong;
}

/// Requests without answers may be those of a host that is dead: then they come again.
void observe_one_direction(Observations& observations, const Stream& stream, Side silent) {
    constexpr std::uint64_t most_outstanding = 32;  // packets of which none has to be answered yet
    const Direction& heard = stream.from[other(silent)];
    if (stream.from[silent].packets != 0 || heard.packets == 0 || !is_reliable(stream.transport)) return;
    if (asks(heard) && (heard.retransmitted.packets != 0 || heard.packets <= most_outstanding)) return;
    observations.add(
        kinds::one_direction, stream.has_session() ? session_name(stream) : stream_name(stream.id),
        {stream.first_frame}, fmt::format("nothing that {} sent was captured", to_string(stream.end[silent].address)));
}

/// SMC-R says which of its data are missing.
void observe_not_captured(Observations& observations, const Stream& stream, Side side) {
    const std::uint64_t packets = stream.from[side].not_captured;
    if (packets == 0 || stream.link_group != 0) return;
    Observation& o = observations.add(
        kinds::not_captured, subject_of(stream), {stream.first_frame},
        fmt::format(
            "{} of {} arrived, as answers show, but {} not captured: operations and bytes lack {}",
            counted(packets, "packet"), to_string(stream.end[side].address), packets == 1 ? "was" : "were",
            packets == 1 ? "it" : "them"));
    o.count = packets;
}

void observe_gaps(Observations& observations, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.unseen == 0) return;
    const std::uint64_t sent = direction.packets + direction.unseen;
    Observation& o = observations.add(
        kinds::unreliable_gaps, stream_name(stream.id), {stream.first_frame},
        fmt::format(
            "{} of {} of {} {} missing: lost on the way here, or not captured", grouped(direction.unseen),
            counted(sent, "packet"), to_string(stream.end[side].address), direction.unseen == 1 ? "is" : "are"));
    o.count = direction.unseen;
}

void observe_congestion(Observations& observations, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.ce_marked == 0 && direction.cnps == 0) return;
    Observation& o = observations.add(
        kinds::congestion, stream_name(stream.id), {stream.first_frame},
        fmt::format(
            "congestion on the way from {}: {} marked ({}), {} came back", to_string(stream.end[side].address),
            counted(direction.ce_marked, "packet"), percent_text(direction.ce_marked, direction.packets),
            counted(direction.cnps, "CNP")));
    o.count = direction.ce_marked + direction.cnps;
}

void observe_pause(Observations& observations, const Pause& pause, Time duration) {
    constexpr Time long_pause = 10 * capture::millisecond;
    Observation& o = observations.add(
        kinds::paused, "", {pause.first.frame},
        fmt::format(
            "{} paused {}: {}, {} in all, up to {} in one go", to_string(pause.by),
            pause.priority ? fmt::format("priority {}", *pause.priority) : "its link", counted(pause.frames, "frame"),
            duration_text(pause.paused), duration_text(pause.longest)));
    o.count = pause.frames;
    if (pause.longest < long_pause && 10 * pause.paused < duration) o.severity = Severity::note;
}

/// When something of a stream was refused or retransmitted.
class Troubles {
public:
    explicit Troubles(const Model& model) {
        for (const Event& event : model.events)
            if (event.kind != Event::Kind::not_captured && event.kind != Event::Kind::out_of_order)
                times_[event.stream].push_back(event.time);
        for (auto& [stream, times] : times_) std::ranges::sort(times);
    }
    bool meanwhile(const Operation& operation) const {
        const auto found = times_.find(operation.stream);
        if (found == times_.end()) return false;
        const auto next = std::ranges::lower_bound(found->second, operation.first.time);
        return next != found->second.end() && *next <= operation.answer->time;
    }

private:
    std::map<std::uint32_t, std::vector<Time>> times_;
};

void observe_latencies(const Model& model, Observations& observations) {
    const Troubles troubles(model);
    ComparedTimes latencies(model.operations, [&](const Operation& one) -> std::optional<Timed> {
        if (!one.answer || one.retransmitted != 0) return std::nullopt;
        const Time took = one.answer->time - one.first.time;
        if (took >= ComparedTimes::at_least && troubles.meanwhile(one)) return std::nullopt;
        return Timed{one.stream,      one.by,           static_cast<unsigned>(one.type), one.bytes, took,
                     one.first.frame, one.answer->frame};
    });
    std::move(latencies).observe(kinds::latency_outlier, "operation", stream_name, observations);
}

/// What SMC-R tells of its own queue pairs is not said again.
void observe(const Evidence& evidence, Observations& observations) {
    if (evidence.models.rdma == nullptr) return;
    const Model& model = *evidence.models.rdma;
    const Frames frames(model);
    const LastEvents last_events = last_events_of(model);
    for (const Stream& stream : model.streams) {
        if (stream.merged) continue;
        if (stream.link_group == 0) observe_end(observations, stream, last_events, evidence.models.rdma_cm);
        for (const Side side : {a, b}) {
            if (stream.link_group == 0)
                observe_retransmissions(observations, stream, side, frames, evidence.models.rdma_cm);
            observe_one_direction(observations, stream, side);
            observe_icrcs(observations, stream, side);
            observe_not_captured(observations, stream, side);
            observe_gaps(observations, stream, side);
            observe_congestion(observations, stream, side);
        }
    }
    for (const Pause& pause : model.pauses) observe_pause(observations, pause, evidence.capture.duration);
    observe_latencies(model, observations);
    observe_limits(
        observations,
        {{model.dropped_streams, "RDMA packet", "rdma.streams"}, {model.lost_findings(), "RDMA finding"}});
}

}  // namespace

bool asks(const Direction& direction) {
    return std::ranges::any_of(direction.operations, [](const OperationCount& one) { return one.count != 0; });
}

constinit const Source rdma_source{.kinds = all_kinds, .observe = observe};

}  // namespace fabricscope::observations
