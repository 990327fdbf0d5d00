// SPDX-License-Identifier: GPL-2.0-or-later
// What RDMA CM traffic must keep to: annex A11 of the InfiniBand Architecture Specification, and what
// follows from Communication Management itself.
//
// Left out is what messages do not show: CA11-3, which CA11-3.1.1 and CA11-3.1.2 put in terms of
// messages, and CA11-7, how a server reads private data that it accepts.
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::rdma_cm {

namespace evidence {
inline constexpr Evidence request = messages("the REQ");
inline constexpr Evidence answer = messages("the REQ and its REP or REJ");
inline constexpr Evidence server = messages("the REQ, its REJ, and what the server accepted before");
/// What a message says, it says by itself; that another was not sent, only without gaps.
inline constexpr Evidence exchange = messages_or_stretch("the connection's messages from REQ on, without gaps");
}  // namespace evidence

namespace rules {
inline constexpr Rule request_format{
    "IPCM-CA11-1", Severity::error, "IBA A11.4, table 1",
    "The private data of a REQ begin with versions, port and addresses; the IP version is 4 or 6.", evidence::request};
inline constexpr Rule major_version{
    "IPCM-CA11-2", Severity::error, "IBA A11.4.1",
    "The server rejects a major version that it does not support, and no other; there is only 0.", evidence::answer};
inline constexpr Rule minor_version{
    "IPCM-CA11-3.1.1", Severity::error, "IBA A11.4.2",
    "The server rejects a minor version higher than its own; there is only 0.", evidence::answer};
inline constexpr Rule known_minor_version{
    "IPCM-CA11-3.1.2", Severity::error, "IBA A11.4.2",
    "The server supports all minor versions up to its own; 0 is never too high.", evidence::answer};
inline constexpr Rule ip_version{
    "IPCM-CA11-4", Severity::error, "IBA A11.4.3",
    "The server rejects an IP version that it does not support, and no other; there are 4 and 6.", evidence::server};
inline constexpr Rule ipv4_padding{
    "IPCM-CA11-5", Severity::error, "IBA A11.4.6",
    "IPv4 addresses stand in the last 4 octets of their fields; the 12 before are zero.", evidence::request};
inline constexpr Rule service_id_form{
    "IPCM-CA11-6",
    Severity::error,
    "IBA A11.5, table 2",
    "The service id of a REQ that carries the addresses begins with 0000000001h.",
    messages("a REQ over RoCE whose private data hold the addresses it was sent from and to"),
    "librdmacm's IPoIB port space is 000000000002h."};
inline constexpr Rule no_such_service{
    "IPCM-CA11-8", Severity::warning, "IBA A11.6",
    "A server without the RDMA IP CM service rejects with Invalid service id (8), or with 28 and an unspecified ARI.",
    messages("what the server lacks, no message shows: other answers than these two stay undecided")};
inline constexpr Rule reason_given{
    "IPCM-oA11-1",
    Severity::error,
    "IBA A11.6",
    "A server that has the service but does not accept a REQ's parameters rejects it with 28 and says why in the ARI.",
    evidence::server,
    "The kernel rejects with reason 28 and no ARI."};
inline constexpr Rule reject_format{
    "IPCM-CA11-9", Severity::error, "IBA A11.7, tables 3 and 4",
    "The ARI of a consumer reject names a rejection layer, 0 or 1, and the layer's code.", evidence::answer};
inline constexpr Rule reject_code{
    "IPCM-CA11-10", Severity::error, "IBA A11.7, table 5", "The service's own ARI has a code from 0 to 6.",
    evidence::answer};
inline constexpr Rule suggested_value{
    "IPCM-oA11-2", Severity::error, "IBA A11.7, table 4",
    "A suggested value lies within the ARI; an unspecified rejection has none.", evidence::answer};
inline constexpr Rule versions_first{
    "IPCM-CA11-11", Severity::error, "IBA A11.7",
    "The versions are verified first: a REQ with a wrong one is not rejected for another field.", evidence::answer};
inline constexpr Rule reserved_is_zero{
    "IPCM-01", Severity::note, "IBA A11.4.4, A11.7", "Reserved bits of the addresses and filler of the ARI are zero.",
    messages("the message")};
inline constexpr Rule code_fits_request{
    "IPCM-02", Severity::error, "IBA A11.7, table 5",
    "A rejection for an address fits the REQ: the address is wrong, or not the server's.",
    messages("the REQ and its REJ; of an address that is not the server's: RoCEv2")};
inline constexpr Rule own_address{
    "IPCM-03", Severity::note, "IBA A11.4.6", "A REQ's addresses are those that it is sent from and to.",
    messages("a REQ over RoCEv2, or over RoCE with GIDs that hold IP addresses")};
inline constexpr Rule patient_repetition{
    "IPCM-04", Severity::warning, "IBA 12.9", "A REQ is repeated only when the time for its answer has passed.",
    messages("both transmissions")};
inline constexpr Rule sequence{
    "IPCM-05", Severity::error, "IBA 12.9",
    "The server answers REQ with REP or REJ, the client REP with RTU or REJ; what is repeated stays the same.",
    evidence::exchange};
inline constexpr Rule answered{
    "IPCM-06", Severity::note, "IBA 12.9", "REQ and DREQ are answered before their sender gives up.",
    stretch("the REQ, all repetitions, and the time after the last one")};
inline constexpr Rule receivers_queue_pair{
    "IPCM-07", Severity::error, "IBA 12.6.10", "A DREQ names the queue pair of its receiver.",
    messages("the DREQ and the receiver's REQ or REP")};
inline constexpr Rule information_length{
    "IPCM-08", Severity::error, "IBA 12.6.7, 12.8.2, 12.11.2",
    "The additional information of REJ, APR and SIDR_REP has up to 72 octets.", messages("the message")};
inline constexpr Rule limited_repetition{
    "IPCM-09", Severity::warning, "IBA 12.6.5, 12.9", "REQ and DREQ are repeated up to Max CM Retries times.",
    messages("the REQ, and all transmissions, told apart by their packet sequence numbers")};
inline constexpr Rule received_message{
    "IPCM-10", Severity::error, "IBA 12.6.6",
    "An MRA is for a message that its sender has received: the server's for REQ, the client's for REP, or for LAP.",
    evidence::exchange};
inline constexpr Rule icrc{
    "IPCM-11", Severity::warning, "IBA 7.8.1", "The ICRC of a message is right.",
    messages("the whole packet, and another one of the same sender whose ICRC is right")};
inline constexpr Rule q_key{
    "IPCM-12", Severity::error, "IBA 3.5.10, 9.6", "Messages to queue pair 1 have the Q_Key 80010000h.",
    messages("the packet's DETH")};
inline constexpr Rule class_version{
    "IPCM-13", Severity::error, "IBA 12.6, 13.4.2", "The class version of a message is 2.",
    messages("the MAD's header")};
inline constexpr Rule mad_length{
    "IPCM-14", Severity::error, "IBA 13.4.1", "A message is a MAD of 256 octets.", messages("the packet's headers")};
inline constexpr Rule known_resolution{
    "IPCM-15", Severity::error, "IBA 12.11.2", "A SIDR_REP has the request id of the SIDR_REQ that it answers.",
    messages("both, with the same transaction id")};

/// In the order in which they are listed.
inline constexpr std::array catalogue{
    &request_format,
    &major_version,
    &minor_version,
    &known_minor_version,
    &ip_version,
    &ipv4_padding,
    &service_id_form,
    &no_such_service,
    &reason_given,
    &reject_format,
    &reject_code,
    &suggested_value,
    &versions_first,
    &reserved_is_zero,
    &code_fits_request,
    &own_address,
    &patient_repetition,
    &sequence,
    &answered,
    &receivers_queue_pair,
    &information_length,
    &limited_repetition,
    &received_message,
    &icrc,
    &q_key,
    &class_version,
    &mad_length,
    &known_resolution};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::rdma_cm
