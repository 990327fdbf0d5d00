// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {
namespace {

namespace kinds {
constexpr Kind retransmissions{
    "RDMA-O-retransmissions",
    Severity::warning,
    "Packets of a queue pair were retransmitted",
    "A requester sent packets again: because the responder asked for them by NAK, or because no acknowledgment came in "
    "time. Fewer than 10, or less than one in a hundred, are a note, unless a timeout took a tenth of a second.",
    "Is the path lossless: PFC and ECN on every port of the way, `ethtool -S DEV | grep -Ei 'pause|discard|ecn'`; on "
    "the adapter `rdma statistic show link DEV` (packet_seq_err, out_of_sequence, local_ack_timeout_err), on the "
    "switch its discards; then the same MTU everywhere.",
    "457 of 790 RoCE packets were retransmitted; 92 NAKs"};
constexpr Kind receiver_not_ready{
    "RDMA-O-receiver-not-ready",
    Severity::warning,
    "The receiver had no buffer for a message",
    "A responder answered with RNR NAK: a SEND came, and no receive was posted for it. The requester waits and sends "
    "it again. Fewer than 10, or less than one in a hundred packets, are a note.",
    "The receiving application posts too few receives, or too late: its queue's depth, and `rdma statistic show link "
    "DEV` (rnr_nak_retry_err, out_of_buffer).",
    "a receiver had no buffer for a message 12 times (RNR NAK)"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::retransmissions, &kinds::receiver_not_ready};

/// A packet now and then is lost on any network.
Severity severity_of(std::uint64_t troubled, std::uint64_t packets) {
    constexpr std::uint64_t few = 10, one_in = 100;
    return troubled < few || troubled * one_in < packets ? Severity::note : Severity::warning;
}

std::string cause_of(const PacketCounts& counts) {
    if (counts.naks != 0)
        return fmt::format(
            "Responders asked for packets by {}: packets were lost or overtaken on their way.",
            counted(counts.naks, "NAK"));
    if (counts.rnr_naks != 0)
        return fmt::format(
            "Requests come again after {}, with all that follows them; what came again besides, no NAK asked for.",
            counted(counts.rnr_naks, "RNR NAK"));
    return "No NAK asked for them: the acknowledgment timer of their sender ran out, so that packets or their "
           "acknowledgments were lost, or the responder did not answer.";
}

}  // namespace

Observation* observe_packets(
    Observations& observations, const std::string& session, const PacketCounts& counts,
    std::vector<std::uint64_t> frames, std::vector<std::uint64_t> rnr_frames) {
    if (counts.rnr_naks != 0) {
        Observation& o = observations.add(
            kinds::receiver_not_ready, session, std::move(rnr_frames),
            fmt::format("a receiver had no buffer for a message {} (RNR NAK)", counted(counts.rnr_naks, "time")));
        o.count = counts.rnr_naks;
        o.severity = severity_of(std::max(counts.rnr_naks, counts.repeated_for_rnr), counts.packets);
    }
    // Who is told to wait sends again, with all that had followed: that is no trouble of its own.
    const bool only_for_rnr = counts.repeated == counts.repeated_for_rnr ||
                              (counts.naks == 0 && counts.repeated <= counts.rnr_naks);
    if (counts.repeated == 0 || only_for_rnr) return nullptr;
    Observation& o = observations.add(
        kinds::retransmissions, session, std::move(frames),
        fmt::format(
            "{} of {} {} retransmitted; {}", grouped(counts.repeated), counted(counts.packets, "RDMA packet"),
            counts.repeated == 1 ? "was" : "were", counted(counts.naks, "NAK")));
    o.count = counts.repeated;
    o.severity = severity_of(counts.repeated, counts.packets);
    o.cause = cause_of(counts);
    return &o;
}

const char* where_buffers_lack() { return kinds::receiver_not_ready.look; }

constinit const Source packets_source{.kinds = all_kinds};

}  // namespace fabricscope::observations
