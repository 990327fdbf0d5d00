// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/capture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "analyzer/observations/fc.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {
namespace {

namespace kinds {
constexpr Kind unreadable{
    "CAPTURE-O-unread",
    Severity::error,
    "A file could not be read to its end",
    "The file is damaged, was cut while it was copied or written, or is no capture. What was readable is reported.",
    "Copy the file again; `capinfos` or `pcapfix` say more of it.",
    "not read to the end: a.pcap: cut off in the middle of a frame"};
constexpr Kind interrupted{
    "CAPTURE-O-interrupted",
    Severity::warning,
    "The analysis was interrupted",
    "Somebody ended it before the captures did. What had been read is reported; what is said to be missing may come "
    "later.",
    "Run it again, and let it come to its end.",
    "interrupted: this is the report of 1,200 frames"};
constexpr Kind dropped{
    "CAPTURE-O-dropped",
    Severity::warning,
    "Frames were lost by the capture",
    "The interface or the kernel lost frames before they were written: what is said to be missing may have been in "
    "them. Told of live captures, and where a pcapng file has statistics of its interfaces.",
    "A larger buffer (`-B` of tcpdump and dumpcap), a filter, a snap length of 128, a faster disk.",
    "eth0: 12 frames lost before they were captured"};
constexpr Kind doubtful{
    "CAPTURE-O-clocks",
    Severity::warning,
    "The order of frames is doubtful",
    "Files or interfaces have clocks that differ, so that an answer comes before its question: times between them, and "
    "rules that compare them, mean little.",
    "Synchronise the clocks (PTP, chrony), or shift one file with `editcap -t`.",
    "the clocks of a.pcap and b.pcap differ by 3.00 ms"};
constexpr Kind no_roce{
    "CAPTURE-O-no-roce",
    Severity::warning,
    "No RoCE in the capture",
    "Connections agreed on SMC-R, but the capture holds none of their RoCE packets: data, LLC and CDC messages are not "
    "known. RDMA adapters hide RoCE from tcpdump on the host.",
    "Mirror the switch port, or capture on the RDMA device (`tcpdump -i mlx5_0`, `fabricscope capture -D`), and add "
    "that file: `analyze tcp.pcap roce.pcap`.",
    "1 connection agreed on SMC-R, but the capture holds no RoCE"};
constexpr Kind no_tcp{
    "CAPTURE-O-no-tcp",
    Severity::note,
    "No TCP in the capture",
    "There are link groups, but none of their TCP connections: ports and CLC messages are not known.",
    "Capture on the network interface as well, and add that file: `analyze tcp.pcap roce.pcap`.",
    "the capture holds no TCP: ports and CLC messages are not known"};
constexpr Kind sliced{
    "CAPTURE-O-sliced",
    Severity::note,
    "Frames were cut by the snap length",
    "Only the first octets of each frame were kept. What is not there has no value, and rules that need it are "
    "undecided.",
    "`tcpdump -s 0` keeps whole frames; 128 octets are enough for all but data, private data and CLC messages.",
    "120 frames were cut by the snap length"};
constexpr Kind undecoded{
    "CAPTURE-O-undecoded",
    Severity::note,
    "Frames could not be decoded",
    "They are malformed, fragments of IP packets, or of a link type that is not supported. They are left out.",
    "Wireshark's view of the first of them; tunnels and encapsulations that hide the traffic.",
    "3 frames could not be decoded"};
constexpr Kind damaged{
    "CAPTURE-O-damaged",
    Severity::warning,
    "Packets were damaged on their way",
    "Their ICRC or TCP checksum is wrong where others of the same sender are right, and what they were came again: who "
    "receives them drops them. They are left out, as if they had been lost.",
    "Cables, transceivers and ports on the way: `ethtool -S DEV | grep -Ei 'crc|fcs|symbol'`, and the same counters of "
    "switches.",
    "4 frames were damaged on their way, and are left out"};
constexpr Kind copies{
    "CAPTURE-O-copies",
    Severity::note,
    "Frames were captured more than once",
    "The same frame came from two interfaces, or twice from a mirror port. Copies are left out: no retransmission is "
    "counted for them.",
    "Ordinary with `-i any`, bonds and mirror ports that see both directions.",
    "20 frames were captured more than once; their copies are left out"};
constexpr Kind silent{
    "CAPTURE-O-silent",
    Severity::note,
    "Nothing was seen on an interface",
    "A live capture ended without a frame of that interface: it is the wrong one, its link is down, or no frame passed "
    "the filter.",
    "`fabricscope capture -D` and `ip -br link` for the interfaces, `ip -s link show DEV` for what they count.",
    "eth1: no frame in 10.0 s: its link is down"};
constexpr Kind passed_by{
    "CAPTURE-O-offload",
    Severity::note,
    "RoCE passes the interface by",
    "A live capture saw no RoCE, and an RDMA adapter is behind its interface: the adapter sends and receives RoCE by "
    "itself, so that the kernel, and whoever captures there, does not see it.",
    "Capture on the RDMA device where `fabricscope capture -D` offers that, or mirror the switch port; "
    "`rdma statistic show link DEV` tells whether there is any.",
    "eth0: no RoCE seen; what RDMA device mlx5_0 sends and receives does not pass the interface"};
constexpr Kind limits{
    "CAPTURE-O-limits",
    Severity::warning,
    "Limits were reached",
    "There was more of something than is kept in memory, so counts and lists are not complete.",
    "More memory: `fabricscope analyze --limit` sets most of the limits. A part of the capture: `editcap -A -B`, "
    "`--protocol`, or a filter.",
    "limits were reached: 12 connections are left out"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::unreadable, &kinds::interrupted, &kinds::dropped, &kinds::no_roce,
                               &kinds::doubtful,   &kinds::limits,      &kinds::no_tcp,  &kinds::sliced,
                               &kinds::undecoded,  &kinds::damaged,     &kinds::copies,  &kinds::silent,
                               &kinds::passed_by};

void observe_sentences(const Kind& kind, std::span<const std::string> sentences, Observations& observations) {
    for (const std::string& sentence : sentences)
        observations.add(kind, "", {}, (&kind == &kinds::unreadable ? "not read to the end: " : "") + sentence);
}

void observe_frames(const engine::CaptureSummary& capture, Observations& observations) {
    const auto add = [&](const Kind& kind, std::uint64_t count, std::uint64_t first, const std::string& what) {
        if (count == 0) return;
        observations
            .add(kind, "", frames_of({first}), counted(count, "frame") + (count == 1 ? " was " : " were ") + what)
            .count = count;
    };
    add(kinds::sliced, capture.truncated_frames, capture.first_truncated, "cut by the snap length");
    add(kinds::undecoded, capture.undecoded_frames, capture.first_undecoded,
        "not decoded: malformed, fragments of IP packets, or of an unsupported link type");
    add(kinds::damaged, capture.damaged_frames, capture.first_damaged,
        "damaged on the way, and " + std::string(capture.damaged_frames == 1 ? "is" : "are") + " left out");
    add(kinds::copies, capture.copies, 0, "left out: copies of frames captured before");
}

/// `agreed`: connections that are to use RoCE.
void observe_transports(
    const engine::CaptureSummary& capture, std::uint64_t agreed, bool has_link_groups, Observations& observations) {
    if (capture.rdma_frames == 0 && agreed != 0)
        observations
            .add(
                kinds::no_roce, "", {},
                fmt::format("{} agreed on SMC-R, but the capture holds no RoCE", counted(agreed, "connection")))
            .count = agreed;
    if (capture.tcp_frames == 0 && has_link_groups)
        observations.add(kinds::no_tcp, "", {}, "the capture holds no TCP: ports and CLC messages are not known");
}

void observe_transports(const Evidence& evidence, Observations& observations) {
    const engine::smcr::Model* model = evidence.models.smcr;
    if (model == nullptr) return;
    const auto agreed = std::ranges::count_if(model->connections, [](const engine::smcr::Connection& connection) {
        return !connection.merged && connection.setup.confirm && connection.outcome != engine::smcr::Outcome::smc_d;
    });
    observe_transports(evidence.capture, static_cast<std::uint64_t>(agreed), !model->link_groups.empty(), observations);
}

}  // namespace

void observe_limits(Observations& observations, std::initializer_list<LeftOut> left_out) {
    std::vector<std::string> texts, options;
    std::uint64_t all = 0;
    for (const auto& [count, noun, limit] : left_out) {
        if (count == 0) continue;
        texts.push_back(counted(count, noun));
        if (!limit.empty()) options.push_back(fmt::format("--limit {}=COUNT", limit));
        all += count;
    }
    if (all == 0) return;
    Observation& o = observations.add(
        kinds::limits, "", {}, fmt::format("limits were reached: {} left out", fmt::join(texts, ", ")));
    o.count = all;
    const std::string more = options.empty()
                                 ? ""
                                 : fmt::format("More memory: `fabricscope analyze {}`. ", fmt::join(options, " "));
    o.look = more + "A part of the capture: `editcap -A -B`, `--protocol`, or a filter.";
}

std::vector<Observation> joined(std::span<const Observation> of_parts, engine::CaptureSummary capture) {
    const auto is_of = [](const Kind& kind) { return [&kind](const Observation& o) { return o.kind == &kind; }; };
    const auto count_of = [&](const Kind& kind) {
        std::uint64_t count = 0;
        for (const Observation& o : of_parts) count += is_of(kind)(o) ? o.count : 0;
        return count;
    };
    const auto first_frame_of = [&](const Kind& kind) {
        std::uint64_t first = 0;
        for (const Observation& o : of_parts)
            if (is_of(kind)(o) && !o.frames.empty() && (first == 0 || o.frames.front() < first))
                first = o.frames.front();
        return first;
    };
    Observations all;
    const auto add_each_once = [&](const Kind& kind) {
        std::set<std::string> told;
        for (const Observation& o : of_parts)
            if (is_of(kind)(o) && told.insert(o.text).second) all.add(kind, "", {}, o.text).count = o.count;
    };
    capture.first_truncated = first_frame_of(kinds::sliced);
    capture.first_undecoded = first_frame_of(kinds::undecoded);
    capture.damaged_frames = count_of(kinds::damaged);
    capture.first_damaged = first_frame_of(kinds::damaged);
    add_each_once(kinds::limits);
    observe_damaged(count_of(damaged_frames), all);
    for (const Kind* kind : {&kinds::unreadable, &kinds::interrupted, &kinds::dropped, &kinds::doubtful})
        add_each_once(*kind);
    // Of transports that the whole lacks, each part has told.
    observe_transports(capture, count_of(kinds::no_roce), std::ranges::any_of(of_parts, is_of(kinds::no_tcp)), all);
    observe_frames(capture, all);
    return std::move(all).sorted();
}

constinit const Source capture_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        observe_sentences(evidence.interrupted ? kinds::interrupted : kinds::unreadable, evidence.unread, observations);
        observe_sentences(kinds::dropped, evidence.dropped, observations);
        observe_sentences(kinds::doubtful, evidence.doubts, observations);
        observe_sentences(kinds::silent, evidence.silent, observations);
        observe_sentences(kinds::passed_by, evidence.passed_by, observations);
        observe_transports(evidence, observations);
        observe_frames(evidence.capture, observations);
    }};

}  // namespace fabricscope::observations
