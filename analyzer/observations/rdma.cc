// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/rdma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyzer/observations/latencies.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"
#include "protocols/ib/headers.h"

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
    "A request was sent again and again, nothing came back, and then its sender fell silent.",
    "Is the other host up, and its queue pair: `rdma resource show qp`. Does UDP port 4791 pass in both directions? On "
    "the adapter `rdma statistic show link DEV` (local_ack_timeout_err, retry_exceeded_err).",
    "requests were repeated until their sender gave up; nothing answered"};
constexpr Kind congestion{
    "RDMA-O-congestion",
    Severity::note,
    "Packets met congestion on their way",
    "Switches marked packets (ECN: congestion experienced), or the receiver asked the sender to slow down (CNP).",
    "ECN thresholds and queue depths of the switches on the way; on the adapter `rdma statistic show link DEV` "
    "(np_ecn_marked_roce_packets, np_cnp_sent, rp_cnp_handled). Marks without CNPs: is congestion control on?",
    "congestion on the way from 192.0.2.10: 120 packets marked (1.2 %), 14 CNPs came back"};
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
    "2 of 1,024 operations took far longer than their like: up to 12.3 ms, where the median is 21.5 us"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::refused, &kinds::retries_exhausted, &kinds::congestion, &kinds::latency_outlier};

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// "all after NAKs", "12 after NAKs, 3 after time-outs of up to 4.3 s"
std::string causes_text(const Direction& direction) {
    const Retransmitted& again = direction.retransmitted;
    const std::uint64_t unknown = again.packets - again.nak - again.timeout - again.rnr - again.implied;
    const std::string timeouts = direction.longest_timeout != 0
                                     ? "after time-outs of up to " + duration_text(direction.longest_timeout)
                                     : "after time-outs";
    const std::array<std::pair<std::uint64_t, std::string>, 5> causes{{
        {again.nak, "after NAKs"},
        {again.timeout, timeouts},
        {again.rnr, "after RNR NAKs"},
        {again.implied, "because responses were missed"},
        {unknown, "for no reason that was captured"},
    }};
    std::string text;
    for (const auto& [count, words] : causes) {
        if (count == 0) continue;
        if (count == again.packets) return count == 1 ? words : "each time " + words;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
    }
    return text;
}

/// The first frames that show something of a stream's side.
class Frames {
public:
    explicit Frames(const Model& model) {
        constexpr std::size_t most = 4;
        for (const Event& event : model.events) {
            std::vector<std::uint64_t>& frames = frames_[{event.stream, event.kind}];
            if (frames.size() < most) frames.push_back(event.frame);
        }
    }
    std::vector<std::uint64_t> of(const Stream& stream, Event::Kind kind) const {
        const auto found = frames_.find({stream.id, kind});
        return found != frames_.end() ? found->second : std::vector<std::uint64_t>{stream.first_frame};
    }

private:
    std::map<std::pair<std::uint32_t, Event::Kind>, std::vector<std::uint64_t>> frames_;
};

void observe_end(Observations& observations, const Stream& stream) {
    const std::string name = stream_name(stream.id);
    if (stream.fatal)
        observations.add(
            kinds::refused, name, {stream.fatal->seen.frame},
            fmt::format(
                "{} refused a request with {}", to_string(stream.end[stream.fatal->by].address),
                ib::to_string(ib::AethSyndrome::of(stream.fatal->syndrome))));
    if (stream.ending == End::retries_exhausted)
        observations.add(
            kinds::retries_exhausted, name, {stream.last_frame},
            "requests were repeated until their sender gave up; nothing answered");
}

void observe_retransmissions(
    Observations& observations, const Stream& stream, const Direction& direction, const Frames& frames) {
    const std::uint64_t again = direction.retransmitted.packets;
    Observation* o = observe_packets(
        observations, stream_name(stream.id),
        {.packets = direction.packets, .repeated = again, .naks = direction.naks, .rnr_naks = direction.rnr_naks},
        frames.of(stream, again != 0 ? Event::Kind::retransmission : Event::Kind::rnr_nak));
    if (o == nullptr) return;
    if (direction.timeouts != 0) o->severity = Severity::warning;
    o->cause = fmt::format("Sent again {}.", causes_text(direction));
}

void observe_congestion(Observations& observations, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.ce_marked == 0 && direction.cnps == 0) return;
    Observation& o = observations.add(
        kinds::congestion, stream_name(stream.id), {stream.first_frame},
        fmt::format(
            "congestion on the way from {}: {} marked ({:.2g} %), {} came back", to_string(stream.end[side].address),
            counted(direction.ce_marked, "packet"), 100 * share_of(direction.ce_marked, direction.packets),
            counted(direction.cnps, "CNP")));
    o.count = direction.ce_marked + direction.cnps;
}

/// When something of a stream was refused or sent again.
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
    ComparedTimes latencies;
    for (const Operation& one : model.operations) {
        if (!one.answer || one.retransmitted != 0 || troubles.meanwhile(one)) continue;
        latencies.add(
            {one.stream, one.by, static_cast<unsigned>(one.type), one.bytes},
            {one.answer->time - one.first.time, one.first.frame, one.answer->frame});
    }
    std::move(latencies).observe(kinds::latency_outlier, "operation", stream_name, observations);
}

/// What SMC-R and RDMA CM tell of their own queue pairs is not said again.
void observe(const Evidence& evidence, Observations& observations) {
    if (evidence.models.rdma == nullptr) return;
    const Model& model = *evidence.models.rdma;
    const Frames frames(model);
    for (const Stream& stream : model.streams) {
        if (stream.merged) continue;
        if (stream.link_group == 0) observe_end(observations, stream);
        for (const Side side : {a, b}) {
            if (!stream.has_session()) observe_retransmissions(observations, stream, stream.from[side], frames);
            observe_congestion(observations, stream, side);
        }
    }
    observe_latencies(model, observations);
    observe_limits(observations, {{model.dropped_streams, "RDMA packet"}, {model.dropped_findings, "RDMA finding"}});
}

}  // namespace

constinit const Source rdma_source{.kinds = all_kinds, .observe = observe};

}  // namespace fabricscope::observations
