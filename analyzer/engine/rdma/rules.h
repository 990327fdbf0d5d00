// SPDX-License-Identifier: GPL-2.0-or-later
// What requesters and responders of reliable queue pairs must keep to, as far as packets show it.
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::rdma {

namespace rules {
inline constexpr Rule nak_of_missing{
    "RDMA-01", Severity::error, "IBA 9.7",
    "A NAK for a PSN sequence error names a PSN that its sender has not acknowledged before.",
    messages("the NAK and an earlier acknowledgement of the same queue pair")};
inline constexpr Rule one_nak_for_a_gap{
    "RDMA-02", Severity::note, "IBA 9.7",
    "A responder sends one NAK for a PSN sequence error, and none again before the packet has come that it asked for.",
    messages("two NAKs, and nothing between them that shows that the packet came or was retransmitted")};
inline constexpr Rule rnr_wait{
    "RDMA-03", Severity::warning, "IBA 9.7",
    "After an RNR NAK the requester waits at least as long as the NAK's timer says.",
    messages("the RNR NAK and the packet that is retransmitted")};
inline constexpr Rule message_count_grows{
    "RDMA-04", Severity::error, "IBA 9.7",
    "The message sequence number never falls while acknowledgements go on to later packets.",
    stretch("two acknowledgements of one queue pair in the order in which they were sent")};
inline constexpr Rule retry_count{
    "RDMA-05",
    Severity::warning,
    "IBA 9.9.2.1.3",
    "A request is repeated after a timeout as often as the retry count of its REQ says, and not more often.",
    messages("the connection's REQ, both directions, and all repetitions"),
    "With a retry count of 7 soft-RoCE repeats for ever."};
inline constexpr Rule known_nak{
    "RDMA-06", Severity::error, "IBA 9.7", "A syndrome has a class and a code that are defined.", messages("the AETH")};
inline constexpr Rule nothing_behind_refusal{
    "RDMA-07", Severity::error, "IBA 9.7",
    "A responder that has refused a request for good acknowledges neither it nor what follows it.",
    messages("the request, the NAK and the acknowledgement, in the order in which they were sent")};

inline constexpr Rule acknowledges_what_was_sent{
    "RDMA-08", Severity::error, "IBA 9.7", "An acknowledgement names a PSN that its requester has sent.",
    stretch("the acknowledgement, and the starting PSN of its CM connection; or so many packets between the "
            "requester's last "
            "one and the acknowledgement as no link carries in that time")};
inline constexpr Rule counts_what_was_asked{
    "RDMA-09", Severity::note, "IBA 9.7",
    "The message sequence number grows by no more than the messages that were asked for.",
    stretch("two acknowledgements of one queue pair, and all requests from the first one on")};
inline constexpr Rule outstanding_reads{
    "RDMA-10", Severity::error, "IBA 9.7",
    "A requester has no more READs and atomic operations outstanding than its CM connection allows.",
    messages("the connection's REQ and REP, the requests, and the response to the oldest of them")};
inline constexpr Rule rnr_retry_count{
    "RDMA-11", Severity::warning, "IBA 9.7.5.2.8",
    "A request is repeated after an RNR NAK as often as the CM connection's RNR retry count says, and not more often.",
    messages("the connection's REQ and REP, and all RNR NAKs")};
inline constexpr Rule ack_timeout{
    "RDMA-12", Severity::warning, "IBA 9.7",
    "A requester whose only packet was not answered sends it again no sooner than the local ACK timeout of its CM "
    "connection's REQ lets it.",
    stretch("the connection's REQ, and both packets of a WRITE, behind which nothing was sent that could be refused")};
inline constexpr Rule cnp_interval{
    "RDMA-13", Severity::note, "DCQCN (SIGCOMM 2015)",
    "CNPs for one queue pair are 50 us apart, as DCQCN has it; adapters may be told to send them more often.",
    messages("two CNPs on one interface")};
inline constexpr Rule same_migration{
    "RDMA-14", Severity::note, "Lumina (SIGCOMM 2023)",
    "Both queue pairs of a stream set MigReq alike: one that gets another value than its own may become slow.",
    messages("packets of both")};
inline constexpr Rule packets_in_order{
    "RDMA-15", Severity::error, "IBA 9.7.4.1",
    "Behind the first packet of a request come its middle ones and its last one, and nothing else comes before that.",
    messages("two packets of requests whose PSNs follow each other")};
inline constexpr Rule packet_length{
    "RDMA-16", Severity::error, "IBA 9.7.4.1.6",
    "Packets behind which their message goes on carry as many octets as the path MTU has, others no more than that, "
    "and a last one at least one.",
    messages("the packet, and the first one behind which a message goes on")};
inline constexpr Rule message_length{
    "RDMA-17", Severity::error, "IBA 9.7.4.1.6",
    "The packets of a WRITE carry as many octets as its RETH says, those that answer a READ as many as it asks for.",
    messages("all packets of the WRITE, or the READ and all packets that answer it")};

/// In the order in which they are listed.
inline constexpr std::array catalogue{
    &nak_of_missing,
    &one_nak_for_a_gap,
    &rnr_wait,
    &message_count_grows,
    &retry_count,
    &known_nak,
    &nothing_behind_refusal,
    &acknowledges_what_was_sent,
    &counts_what_was_asked,
    &outstanding_reads,
    &rnr_retry_count,
    &ack_timeout,
    &cnp_interval,
    &same_migration,
    &packets_in_order,
    &packet_length,
    &message_length};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::rdma
