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
inline constexpr const char* request = "the REQ";
inline constexpr const char* answer = "the REQ and its REP or REJ";
inline constexpr const char* server = "the REQ, its REJ, and what the server accepted before";
inline constexpr const char* exchange = "the connection's messages from REQ on, without gaps";
}  // namespace evidence

namespace rules {
inline constexpr Rule request_format{
    "IPCM-CA11-1", Severity::error, "IBA A11.4, table 1",
    "The private data of a REQ begin with versions, port and addresses; the IP version is 4 or 6.",
    "the REQ and what became of it; an accepted one is CA11-4's"};
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
    "a REQ over RoCE whose private data hold the addresses it was sent from and to",
    "librdmacm's IPoIB port space is 000000000002h."};
inline constexpr Rule no_such_service{
    "IPCM-CA11-8", Severity::warning, "IBA A11.6",
    "Invalid service id (8) is for servers without the service: one that has it rejects parameters with 28.",
    evidence::server};
inline constexpr Rule reason_given{
    "IPCM-oA11-1",
    Severity::error,
    "IBA A11.6",
    "A server that does not accept the private data's parameters says so in the ARI of a consumer reject.",
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
    "the message"};
inline constexpr Rule code_fits_request{
    "IPCM-02", Severity::error, "IBA A11.7, table 5",
    "A rejection for an address fits the REQ: the address is wrong, or not the server's.",
    "the REQ and its REJ; of an address that is not the server's: RoCEv2"};
inline constexpr Rule own_address{
    "IPCM-03", Severity::note, "IBA A11.4.6", "A REQ's destination address is the one that it is sent to.",
    "a REQ over RoCEv2"};
inline constexpr Rule patient_repetition{
    "IPCM-04", Severity::warning, "IBA 12.9", "A REQ is repeated only when the time for its answer has passed.",
    "both transmissions"};
inline constexpr Rule sequence{
    "IPCM-05", Severity::error, "IBA 12.9",
    "The server answers REQ with REP or REJ, the client REP with RTU or REJ, and what was said stays said.",
    evidence::exchange};
inline constexpr Rule answered{
    "IPCM-06", Severity::note, "IBA 12.9", "REQ and DREQ are answered before their sender gives up.",
    "the REQ, all repetitions, and the time after the last one"};

/// In the order in which they are listed.
inline constexpr std::array catalogue{&request_format,     &major_version,    &minor_version,     &known_minor_version,
                                      &ip_version,         &ipv4_padding,     &service_id_form,   &no_such_service,
                                      &reason_given,       &reject_format,    &reject_code,       &suggested_value,
                                      &versions_first,     &reserved_is_zero, &code_fits_request, &own_address,
                                      &patient_repetition, &sequence,         &answered};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::rdma_cm
