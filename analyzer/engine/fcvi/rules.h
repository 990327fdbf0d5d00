// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-VI traffic must keep to. Clauses without a document are those of ISO/IEC 14165-331.
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::fcvi {

/// Positions in kRules.
enum class RuleName : std::uint8_t {
    r_ctl,
    device_header_size,
    reserved_is_zero,
    known_opcode,
    payload_length,
    assigned_handle,
    right_handle,
    constant_header,
    msg_id_sequence,
    msg_id_echo,
    seq_cnt_increases,
    offset_increases,
    whole_message,
    constant_target,
    response_allowed,
    read_allowed,
    rdma_enabled,
    parameter_use,
    sequence_initiative,
    setup_order,
    connection_id,
    retry,
    arbitration,
    reason_code,
    disconnect_echo,
    farp,
    login_parameters,
    preference,
    pipeline_depth,
    transfer_size,
    silence_after_end,
    response_in_time,
    error_after_loss,
    matching_attributes,
    address_lengths,
    seq_cnt_unique,
    matching_qos,
    mirrored_addresses,
    response_before_resp3,
    silence_after_reject,
    no_server_timeout,
    same_answer_to_retry,
    handle_reuse,
    disconnect_fields,
    abort_fields,
    unknown_connection,
    disconnect_msg_id,
    silence_after_request,
    error_before_setup,
    within_memory,
    responses_in_order,
    read_first,
    nothing_good_after_error,
    error_bits,
    end_after_error,
};

namespace evidence {
inline constexpr const char* message = "the IU";
inline constexpr const char* version = "the setup";
inline constexpr const char* iu = "all frames of the IU";
inline constexpr const char* setup = "the connection's setup";
inline constexpr const char* sender = "the connection from its setup on, without gaps in what this side sent";
inline constexpr const char* exchange = "the Exchange from its first frame on, without gaps";
inline constexpr const char* peers =
    "both requests and responses, and the Port_Names (logins; rev 1.0: host addresses)";
inline constexpr const char* login = "the PLOGI and its accept";
inline constexpr const char* close = "the connection up to its end, on an in-order fabric";
inline constexpr const char* timeout = "R_A_TOV (a login, or given), and a capture that goes on for so long";
inline constexpr const char* both_sides = "what both sides sent on the connection, without gaps, on an in-order fabric";
}  // namespace evidence

inline constexpr std::array kRules{
    Rule{
        "FCVI-01", Severity::error, "ISO/IEC 14165-331, 5.1; FC-VI rev 1.0, 5.1", "R_CTL is that of the IU in table 1.",
        evidence::message},
    Rule{
        "FCVI-02", Severity::error, "ISO/IEC 14165-331, 5.1; FC-VI rev 1.0, 5.1",
        "Every frame has a Device_Header of the size that table 1 gives the IU.", evidence::message},
    Rule{
        "FCVI-03", Severity::note, "ISO/IEC 14165-331, 5.9.5; FC-VI rev 1.0, 5.7.3",
        "Reserved bits and octets are sent as zero.", evidence::message},
    Rule{
        "FCVI-04", Severity::error, "ISO/IEC 14165-331, 5.9.3; FC-VI rev 1.0, 5.7.1",
        "The opcode is one of the connection's version.", evidence::version},
    Rule{
        "FCVI-05", Severity::error, "ISO/IEC 14165-331, 6; FC-VI rev 1.0, 6",
        "An IU without payload has none, and a connect payload has the length of its version and flags.",
        evidence::message},
    Rule{
        "FCVI-06", Severity::error, "ISO/IEC 14165-331, 5.9.2; FC-VI rev 1.0, 5.7.4",
        "Handle FFFFFFFFh stands in IUs of a setup only.", evidence::message},
    Rule{
        "FCVI-07", Severity::error, "ISO/IEC 14165-331, 5.3.2, 5.9.2; FC-VI rev 1.0, 5.7.4",
        "The handle is the one that the receiver has announced, and unassigned before that.", evidence::setup},
    Rule{
        "FCVI-08", Severity::error, "ISO/IEC 14165-331, 6; FC-VI rev 1.0, 6",
        "All frames of an IU have the same Device_Header.", evidence::iu},
    Rule{
        "FCVI-09", Severity::error, "ISO/IEC 14165-331, 5.9.6; FC-VI rev 1.0, 5.7.5",
        "MSG_ID begins at 1 (rev 1.0: 0), grows by one with each Message of a side, and is 0 during setup.",
        evidence::sender},
    Rule{
        "FCVI-10", Severity::error, "ISO/IEC 14165-331, 5.9.6; FC-VI rev 1.0, 5.7.5",
        "A response has the MSG_ID of its request.", evidence::exchange},
    Rule{
        "FCVI-11", Severity::error, "ISO/IEC 14165-331, 5.8.6; FC-VI rev 1.0, 5.6.5",
        "SEQ_CNT increases continuously over the Exchange.", evidence::exchange},
    Rule{
        "FCVI-12", Severity::error, "ISO/IEC 14165-331, 5.8.7",
        "The Relative Offset of a Message's data increases continuously over the Exchange, from 0.",
        evidence::exchange},
    Rule{
        "FCVI-13", Severity::error, "ISO/IEC 14165-331, 5.9.10",
        "A Message has as many octets of data as FCVI_TOT_LEN says.", evidence::exchange},
    Rule{
        "FCVI-14", Severity::error, "ISO/IEC 14165-331, 6.4.2, 6.7.2",
        "RMT_VA, RMT_VA_HANDLE and TOT_LEN are the same in all IUs of a Message.", evidence::exchange},
    Rule{
        "FCVI-15", Severity::error, "ISO/IEC 14165-331, 5.2; FC-VI rev 1.0, 5.2",
        "SEND_RESP and WRITE_RESP are sent on Reliable Reception only, at most once for a Message.", evidence::setup},
    Rule{
        "FCVI-16", Severity::error, "ISO/IEC 14165-331, 6.6.1; FC-VI rev 1.0, 5.2.3",
        "There is no RDMA Read on Unreliable Delivery.", evidence::setup},
    Rule{
        "FCVI-17", Severity::error, "ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, 7.2",
        "RDMA goes only to an endpoint whose attributes enable it.", evidence::setup},
    Rule{
        "FCVI-18", Severity::error, "ISO/IEC 14165-331, 5.9.7.1; FC-VI rev 1.0, 5.7.6",
        "The parameter is zero unless a flag gives it a meaning, and a Read has no Immediate Data.", evidence::message},
    Rule{
        "FCVI-19", Severity::error, "ISO/IEC 14165-331, 5.8.4; FC-VI rev 1.0, 5.3, 6",
        "Sequence Initiative is transferred, and the Exchange ended, by the IUs that have to.", evidence::iu},
    Rule{
        "FCVI-20", Severity::error, "ISO/IEC 14165-331, 5.3.1; FC-VI rev 1.0, 5.3",
        "The IUs of a setup follow one another, and a side sends Messages only once it may (C.5.5).", evidence::setup},
    Rule{
        "FCVI-21", Severity::error, "ISO/IEC 14165-331, 5.9.10, 8.5.3",
        "Connect Responses echo FCVI_CONNECTION_ID, and no other setup of the port has it.", evidence::setup},
    Rule{
        "FCVI-22", Severity::error, "ISO/IEC 14165-331, 8.5.4",
        "A setup is retried once at most, with a new FCVI_CONNECTION_ID, and RETRY is set in all of its IUs.",
        evidence::setup},
    Rule{
        "FCVI-23", Severity::error, "ISO/IEC 14165-331, 5.3.4; FC-VI rev 1.0, 5.3.4",
        "Of concurrent matching peer requests the right one is accepted.", evidence::peers},
    Rule{
        "FCVI-24", Severity::error, "ISO/IEC 14165-331, 5.9.7; FC-VI rev 1.0, 5.7.6",
        "The reason code is defined, and one for this kind of IU; the explanation is 0.", evidence::message},
    Rule{
        "FCVI-25", Severity::error, "ISO/IEC 14165-331, 6.13.2",
        "DISCONNECT_RESP echoes CONN_SETUP_ABORT, VI_APP_DISCON and FCVI_CONNECTION_ID.", evidence::exchange},
    Rule{
        "FCVI-26", Severity::error, "ISO/IEC 14165-331, 7.5; FC-VI rev 1.0, 7.4",
        "FARP-REQ and FARP-REPLY are filled in as FC-VI wants them.", evidence::message},
    Rule{
        "FCVI-27", Severity::error, "ISO/IEC 14165-331, 5.6",
        "No connection is made with a port whose login lacks continuously increasing SEQ_CNT or Relative Offset.",
        evidence::login},
    Rule{
        "FCVI-28", Severity::error, "ISO/IEC 14165-331, 5.8.2, 7.3; FC-VI rev 1.0, 5.6.2",
        "Preference is used for all Messages of a side or for none, as its attributes say, and not for setups.",
        evidence::sender},
    Rule{
        "FCVI-29", Severity::error, "ISO/IEC 14165-331, 7.3",
        "No more than FCVI_PIPELINE_DEPTH + 1 Messages of a side are open.", evidence::setup},
    Rule{
        "FCVI-30", Severity::error, "ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, 7.2",
        "No Message is larger than FCVI_MAX_TRANS_SIZE.", evidence::setup},
    Rule{
        "FCVI-31", Severity::error, "ISO/IEC 14165-331, 7.7, 8.1; VI-ARCH 5.4",
        "After a completed Disconnect or a logout the connection carries nothing more, and nothing comes from a port "
        "that "
        "has another address or another Fabric since.",
        evidence::close},
    Rule{
        "FCVI-32", Severity::warning, "ISO/IEC 14165-331, 8.3",
        "A response comes within FCVI_ULP_TIMEOUT, which is R_A_TOV.", evidence::timeout},
    Rule{
        "FCVI-33", Severity::warning, "ISO/IEC 14165-331, 8.4.1, 8.4.2, annex B",
        "On a reliable level an endpoint that misses a Message enters Error: it answers and sends nothing good any "
        "more.",
        evidence::both_sides},
    Rule{
        "FCVI-34", Severity::error, "ISO/IEC 14165-331, 4.2; VI-DG 3.3, 4.6; FC-VI rev 1.0, 4.2",
        "Connected endpoints have the same Reliability Level and FCVI_MAX_TRANS_SIZE.", evidence::setup},
    Rule{
        "FCVI-35", Severity::error, "ISO/IEC 14165-331, 7.2; FC-VI rev 1.0, 7.1",
        "A host address has 16 octets, a discriminator 16 to 128 (rev 1.0: up to 128).", evidence::message},
    Rule{
        "FCVI-36", Severity::error, "ISO/IEC 14165-331, 5.8.6; FC-VI rev 1.0, 5.4",
        "SEQ_CNT does not repeat within an IU.", evidence::iu},
    Rule{
        "VI-R3", Severity::warning, "VI-DG 4.6", "Connected endpoints have the same FCVI_QOS, but for the preference.",
        evidence::setup},
    Rule{
        "VI-R4", Severity::error, "ISO/IEC 14165-331, 6.9.3",
        "An accepting CONNECT_RESP1 has the request's addresses the other way round.", evidence::setup},
    Rule{
        "VI-R9", Severity::warning, "ISO/IEC 14165-331, C.5.10",
        "The client answers no Message before it has CONNECT_RESP3.", evidence::setup},
    Rule{
        "VI-R10", Severity::error, "ISO/IEC 14165-331, 5.3.3, C.5.6",
        "After a setup that was refused no Message is sent.", evidence::setup},
    Rule{
        "VI-R11", Severity::warning, "ISO/IEC 14165-331, C.5.2", "CONNECT_RESP1 does not say Connect Timeout.",
        evidence::message},
    Rule{
        "VI-R15", Severity::warning, "ISO/IEC 14165-331, C.4.1",
        "CONNECT_RESP1 to a retried request is as it was before, but for RETRY, Exchange and FCVI_CONNECTION_ID.",
        evidence::setup},
    Rule{
        "VI-R16", Severity::error, "ISO/IEC 14165-331, 4.2, 8.4.2",
        "A port gives a handle to one connection at a time, and after an error only R_A_TOV behind the Disconnect.",
        evidence::close},
    Rule{
        "VI-R19", Severity::error, "ISO/IEC 14165-331, 6.12.2",
        "A Disconnect of a connection has the peer's handle and FCVI_CONNECTION_ID 0, and not CONN_SETUP_ABORT.",
        evidence::setup},
    Rule{
        "VI-R20", Severity::error, "ISO/IEC 14165-331, 6.12.2",
        "A Disconnect that aborts a setup has MSG_ID 0 and the FCVI_CONNECTION_ID of the setup.", evidence::setup},
    Rule{
        "VI-R21", Severity::warning, "ISO/IEC 14165-331, D.1",
        "Connection Does Not Exist is told with handle FFFFFFFFh.", evidence::message},
    Rule{
        "VI-R22", Severity::warning, "ISO/IEC 14165-331, 6.12.2, E",
        "The MSG_ID of a Disconnect is that of the last Message of the peer that its sender has completed.",
        evidence::both_sides},
    Rule{
        "VI-R23", Severity::error, "VI-ARCH 5.4", "After its Disconnect Request a side begins no Message.",
        evidence::close},
    Rule{
        "VI-R24", Severity::error, "ISO/IEC 14165-331, 8.2, D.2",
        "An endpoint in Error starts no setup before it has disconnected.", evidence::close},
    Rule{
        "VI-R30", Severity::error, "VI-ARCH 2.3.2; ISO/IEC 14165-331, 6.4.2",
        "What an RDMA operation reads or writes does not pass the end of the address space.", evidence::message},
    Rule{
        "VI-R33", Severity::error, "VI-ARCH 6.3.1",
        "Good SEND_RESP and WRITE_RESP come in order of MSG_ID, and answers to Reads in order of the Reads.",
        evidence::both_sides},
    Rule{
        "VI-R34", Severity::error, "VI-ARCH 6.3.1.1",
        "On Reliable Reception no good response overtakes the answer to an earlier Read.", evidence::both_sides},
    Rule{
        "VI-R35", Severity::error, "VI-ARCH 2.5.3, E", "On Reliable Reception no Message behind a failed one succeeds.",
        evidence::both_sides},
    Rule{
        "VI-R37", Severity::error, "VI-DG 5.2",
        "RESP_ERR is set together with a cause; PROT_ERR is for RDMA, DESC_ERR for what takes a descriptor.",
        evidence::message},
    Rule{
        "VI-R40", Severity::warning, "ISO/IEC 14165-331, 8.4.2; VI-ARCH 5.4",
        "After a failed Message on a reliable level its sender begins no further one.", evidence::both_sides},
};
static_assert(kRules.size() == static_cast<std::size_t>(RuleName::end_after_error) + 1);

constexpr const Rule& rule(RuleName name) { return kRules[static_cast<std::size_t>(name)]; }

}  // namespace fabricscope::engine::fcvi
