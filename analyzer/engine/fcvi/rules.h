// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-VI traffic must keep to. Clauses without a document are those of ISO/IEC 14165-331.
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::fcvi {

namespace evidence {
inline constexpr Evidence message = messages("the IU");
inline constexpr Evidence version = messages("the setup");
inline constexpr Evidence iu = messages("all frames of the IU");
inline constexpr Evidence setup = messages("the connection's setup");
inline constexpr Evidence pipeline = stretch("the connection's setup, and how the Messages that were open have ended");
inline constexpr Evidence sender = stretch("the connection from its setup on, without gaps in what this side sent");
inline constexpr Evidence exchange = stretch("the Exchange from its first frame on, without gaps");
inline constexpr Evidence in_exchange = messages("the IU, and those before it in the Exchange");
inline constexpr Evidence peers = messages(
    "both requests and responses, and the Port_Names (logins; rev 1.0: host addresses)");
inline constexpr Evidence numbers = stretch(
    "the connection from its setup on, between ports that number their Exchanges one by one: no number is missing");
inline constexpr Evidence login = messages("the PLOGI and its accept");
inline constexpr Evidence close = stretch(
    "the connection up to its end, on an in-order fabric, between ports that number their Exchanges one by one");
inline constexpr Evidence timeout = stretch(
    "R_A_TOV (a login, or given), and what shows that nothing came: ABTS, or a response later");
inline constexpr Evidence late_response = stretch(
    "R_A_TOV (a login, or given), the response that came late, and a Message of the same side behind it, between ports "
    "that number their Exchanges one by one");
inline constexpr Evidence both_sides = stretch(
    "what both sides sent on the connection, without gaps, on an in-order fabric");
}  // namespace evidence

namespace rules {
inline constexpr Rule r_ctl{
    "FCVI-01", Severity::error, "ISO/IEC 14165-331, 5.1; FC-VI rev 1.0, 5.1", "R_CTL is that of the IU in table 1.",
    evidence::message};
inline constexpr Rule device_header_size{
    "FCVI-02", Severity::error, "ISO/IEC 14165-331, 5.1; FC-VI rev 1.0, 5.1",
    "Every frame has a Device_Header of the size that table 1 gives the IU.", evidence::message};
inline constexpr Rule reserved_is_zero{
    "FCVI-03", Severity::note, "ISO/IEC 14165-331, 5.9.5; FC-VI rev 1.0, 5.7.3",
    "Reserved bits and octets are sent as zero.", evidence::message};
inline constexpr Rule known_opcode{
    "FCVI-04", Severity::error, "ISO/IEC 14165-331, 5.9.3; FC-VI rev 1.0, 5.7.1",
    "The opcode is one of the connection's version.", evidence::version};
inline constexpr Rule payload_length{
    "FCVI-05", Severity::error, "ISO/IEC 14165-331, 6; FC-VI rev 1.0, 6",
    "An IU without payload has none, and a connect payload has the length of its version and flags.",
    evidence::message};
inline constexpr Rule assigned_handle{
    "FCVI-06", Severity::error, "ISO/IEC 14165-331, 5.9.2; FC-VI rev 1.0, 5.7.4",
    "Handle FFFFFFFFh stands in IUs of a setup only.", evidence::message};
inline constexpr Rule right_handle{
    "FCVI-07", Severity::error, "ISO/IEC 14165-331, 5.3.2, 5.9.2; FC-VI rev 1.0, 5.7.4",
    "The handle is the one that the receiver has announced, and unassigned before that.", evidence::setup};
inline constexpr Rule constant_header{
    "FCVI-08", Severity::error,
    "ISO/IEC 14165-331, 5.9.2, 5.9.3, 5.9.6, 5.9.8, 6.2.2, 6.4.2, 6.7.2; FC-VI rev 1.0, 6.1, 6.3, 6.6",
    "All frames of an IU have the same handle, opcode, MSG_ID, RMT_VA, RMT_VA_HANDLE and TOT_LEN (rev 1.0: the same "
    "Device_Header).",
    evidence::iu};
inline constexpr Rule msg_id_sequence{
    "FCVI-09", Severity::error, "ISO/IEC 14165-331, 5.9.6; FC-VI rev 1.0, 5.7.5",
    "MSG_ID begins at 1 (rev 1.0: 0), grows by one with each Message of a side, and is 0 during setup.",
    messages_or_stretch(
        "the IU of a setup; of Messages: the connection from its setup on, without gaps in what this side sent")};
inline constexpr Rule msg_id_echo{
    "FCVI-10", Severity::error, "ISO/IEC 14165-331, 5.9.6; FC-VI rev 1.0, 5.7.5",
    "All IUs of a Message have the MSG_ID of its first one, those that answer it, too.", evidence::in_exchange};
inline constexpr Rule seq_cnt_increases{
    "FCVI-11", Severity::error, "ISO/IEC 14165-331, 5.8.6; FC-VI rev 1.0, 5.6.5",
    "SEQ_CNT increases continuously over what a side sends in the Exchange.", evidence::in_exchange};
inline constexpr Rule offset_increases{
    "FCVI-12", Severity::error, "ISO/IEC 14165-331, 5.6, 5.8.7; FC-VI rev 1.0, 5.6.6",
    "The Relative Offset of a Message's data increases continuously over the Exchange, from 0.", evidence::exchange};
inline constexpr Rule whole_message{
    "FCVI-13", Severity::error, "ISO/IEC 14165-331, 5.9.10",
    "A Message has as many octets of data as FCVI_TOT_LEN says.", evidence::exchange};
inline constexpr Rule constant_target{
    "FCVI-14", Severity::error, "ISO/IEC 14165-331, 5.9.8, 5.9.10, 6.2.2, 6.4.2, 6.7.2",
    "All IUs of a Message have the same TOT_LEN, and those of an RDMA operation the same RMT_VA and RMT_VA_HANDLE.",
    evidence::in_exchange};
inline constexpr Rule response_allowed{
    "FCVI-15", Severity::error, "ISO/IEC 14165-331, 5.2; FC-VI rev 1.0, 5.2",
    "SEND_RESP and WRITE_RESP are sent on Reliable Reception only, at most once for a Message.", evidence::setup};
inline constexpr Rule read_allowed{
    "FCVI-16", Severity::error, "ISO/IEC 14165-331, 6.6.1; FC-VI rev 1.0, 5.2.3",
    "There is no RDMA Read on Unreliable Delivery.", evidence::setup};
inline constexpr Rule rdma_enabled{
    "FCVI-17", Severity::error, "VI-ARCH 3.2.2.2; ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, 7.2",
    "An endpoint whose attributes do not enable an RDMA operation refuses it, and sends no data.", evidence::setup};
inline constexpr Rule parameter_use{
    "FCVI-18", Severity::error, "ISO/IEC 14165-331, 5.9.7.1; FC-VI rev 1.0, 5.7.6",
    "The parameter is zero unless a flag gives it a meaning, and a Read has no Immediate Data.", evidence::message};
inline constexpr Rule sequence_initiative{
    "FCVI-19", Severity::error, "ISO/IEC 14165-331, 5.8.4; FC-VI rev 1.0, 5.3, 6",
    "Sequence Initiative is transferred, and the Exchange ended, by the IUs that have to.", evidence::iu};
inline constexpr Rule setup_order{
    "FCVI-20", Severity::error, "ISO/IEC 14165-331, 5.3.1, 5.9.3; FC-VI rev 1.0, 5.3, 5.7.1",
    "The IUs of a setup follow one another, and Messages are sent only once the sender has established the connection.",
    evidence::setup};
inline constexpr Rule connection_id{
    "FCVI-21", Severity::error, "ISO/IEC 14165-331, 5.9.10, 8.5.3",
    "A Connect Request has an FCVI_CONNECTION_ID that no other setup of the port has, and not FFFFFFFFh; Connect "
    "Responses echo it.",
    evidence::setup};
inline constexpr Rule retry{
    "FCVI-22", Severity::error, "ISO/IEC 14165-331, 8.5.4",
    "A setup is retried once at most, with a new FCVI_CONNECTION_ID, and RETRY is set in all of its IUs.",
    evidence::setup};
inline constexpr Rule arbitration{
    "FCVI-23", Severity::error, "ISO/IEC 14165-331, 5.3.4; FC-VI rev 1.0, 5.3.4",
    "Of concurrent matching peer requests the right one is accepted.", evidence::peers};
inline constexpr Rule reason_code{
    "FCVI-24", Severity::error, "ISO/IEC 14165-331, 5.9.7; FC-VI rev 1.0, 5.7.6",
    "The reason code is defined, and one for this kind of IU; the explanation is 0.", evidence::message};
inline constexpr Rule disconnect_echo{
    "FCVI-25", Severity::error, "ISO/IEC 14165-331, 6.13.2",
    "DISCONNECT_RESP echoes CONN_SETUP_ABORT, VI_APP_DISCON and FCVI_CONNECTION_ID.", evidence::in_exchange};
inline constexpr Rule farp{
    "FCVI-26", Severity::error, "ISO/IEC 14165-331, 7.5; FC-VI rev 1.0, 7.4",
    "FARP-REQ and FARP-REPLY are filled in as FC-VI wants them.",
    messages("the message; of Port_Names: the port's login; of what a reply repeats: the request")};
inline constexpr Rule login_parameters{
    "FCVI-27", Severity::error, "ISO/IEC 14165-331, 5.6",
    "No connection is made with a port whose login lacks continuously increasing SEQ_CNT or Relative Offset.",
    evidence::login};
inline constexpr Rule preference{
    "FCVI-28", Severity::error, "ISO/IEC 14165-331, 5.8.2, 7.3; FC-VI rev 1.0, 5.6.2",
    "Preference is used for all Messages of a side or for none, as its attributes say, and not for setups.",
    messages("the frame, and an earlier one of this side, or the setup")};
inline constexpr Rule pipeline_depth{
    "FCVI-29", Severity::error, "ISO/IEC 14165-331, 7.3",
    "No more than FCVI_PIPELINE_DEPTH + 1 Messages of a side are open.", evidence::pipeline};
inline constexpr Rule transfer_size{
    "FCVI-30", Severity::error, "ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, 7.2",
    "No Message is larger than FCVI_MAX_TRANS_SIZE.", evidence::setup};
inline constexpr Rule silence_after_end{
    "FCVI-31", Severity::error, "ISO/IEC 14165-331, 7.7, 8.1; VI-ARCH 5.4",
    "After a completed Disconnect or a logout the connection carries nothing more, and nothing comes from a port "
    "that has another address or another Fabric since.",
    evidence::close};
inline constexpr Rule response_in_time{
    "FCVI-32", Severity::warning, "ISO/IEC 14165-331, 8.3",
    "A response comes within FCVI_ULP_TIMEOUT, which is R_A_TOV.", evidence::timeout};
inline constexpr Rule error_after_loss{
    "FCVI-33", Severity::warning, "ISO/IEC 14165-331, 8.4.1, 8.4.2, annex B",
    "On a reliable level an endpoint that misses a Message enters Error: it answers and sends nothing good any "
    "more.",
    evidence::numbers};
inline constexpr Rule matching_attributes{
    "FCVI-34", Severity::error, "VI-DG 3.3.2, 4.6, 6.7 (ISO/IEC 14165-331, 4.2; FC-VI rev 1.0, 4.2)",
    "Connected endpoints have the same Reliability Level and FCVI_MAX_TRANS_SIZE.", evidence::setup};
inline constexpr Rule address_lengths{
    "FCVI-35", Severity::error, "ISO/IEC 14165-331, 7.2; FC-VI rev 1.0, 7.1",
    "A host address has 16 octets, a discriminator 16 to 128 (rev 1.0: up to 128).", evidence::message};
inline constexpr Rule seq_cnt_unique{
    "FCVI-36", Severity::error, "ISO/IEC 14165-331, 5.6, 5.8.6; FC-VI rev 1.0, 5.4",
    "SEQ_CNT does not repeat within an IU.", evidence::iu};
inline constexpr Rule first_revision{
    "FCVI-37", Severity::error, "ISO/IEC 14165-331, 6.8.3, 6.9.3; FC-VI rev 1.0, 6.7", "FCVI_REVISION is 1.",
    evidence::message};
inline constexpr Rule known_mode{
    "FCVI-38", Severity::error, "ISO/IEC 14165-331, 5.9.4.4 (table 8); FC-VI rev 1.0, 5.7.2",
    "The connection mode is Client-Server or Peer-to-Peer; rev 1.0: a Disconnect's is 4 or 5.", evidence::message};
inline constexpr Rule known_attributes{
    "FCVI-39", Severity::error, "ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, 7.2, annex B",
    "The Reliability Level is a defined one, and so is FCVI_PREF (rev 1.0: the precedence).", evidence::message};
inline constexpr Rule no_guarantees{
    "FCVI-40", Severity::error, "ISO/IEC 14165-331, 7.3; FC-VI rev 1.0, annex B",
    "FCVI_MAX_BANDWIDTH, FCVI_MIN_BANDWIDTH and FCVI_MAX_DELAY are zero.", evidence::message};
inline constexpr Rule single_frame{
    "FCVI-41", Severity::error,
    "ISO/IEC 14165-331, 6.3.1, 6.5.1, 6.6.1, 6.10.1, 6.11.1, 6.12.1, 6.13.1; FC-VI rev 1.0, 6.2, 6.4, 6.5, 6.7 to 6.11",
    "An IU without payload has only one frame (rev 1.0: connect IUs, too).", evidence::message};
inline constexpr Rule right_response{
    "FCVI-42", Severity::error, "ISO/IEC 14165-331, 6.3.1, 6.5.1, 6.7.1; FC-VI rev 1.0, 6.2, 6.4, 6.6",
    "A Send is answered by SEND_RESP, a Write by WRITE_RESP, a Read by READ_RESP.", evidence::in_exchange};
inline constexpr Rule place_in_exchange{
    "FCVI-43", Severity::error, "ISO/IEC 14165-331, 5.1 (table 1), 5.2.1, 5.3.1; FC-VI rev 1.0, 5.2, 5.3",
    "A request begins an Exchange, a response is sent in that of its request by the side whose turn it is.",
    evidence::message};
inline constexpr Rule no_handle_without_peer{
    "FCVI-44", Severity::error, "ISO/IEC 14165-331, 5.3.3",
    "FCVI_RESP_HANDLE is FFFFFFFFh where a peer is told No Waiting Remote Connectionpoint.", evidence::setup};
inline constexpr Rule offset_present{
    "FCVI-45", Severity::error, "ISO/IEC 14165-331, 5.8.7; FC-VI rev 1.0, 5.6.6",
    "Frames with Message data tell their Relative Offset.", evidence::message};
inline constexpr Rule one_kind_of_request{
    "FCVI-46", Severity::error, "ISO/IEC 14165-331, 5.2.1", "All request IUs of a Message are of the same type.",
    evidence::in_exchange};
inline constexpr Rule abort_after_timeout{
    "FCVI-47", Severity::error, "ISO/IEC 14165-331, 8.4.1 a), 8.4.2 a)",
    "A Message whose response does not come within FCVI_ULP_TIMEOUT is aborted with ABTS, and on a reliable level "
    "none follows it.",
    evidence::late_response};
inline constexpr Rule matching_qos{
    "VI-R3", Severity::warning, "VI-DG 4.6", "Connected endpoints have the same FCVI_QOS, but for the preference.",
    evidence::setup};
inline constexpr Rule mirrored_addresses{
    "VI-R4", Severity::error, "ISO/IEC 14165-331, 6.9.3",
    "An accepting CONNECT_RESP1 has the request's addresses the other way round.", evidence::setup};
inline constexpr Rule response_before_resp3{
    "VI-R9", Severity::warning, "ISO/IEC 14165-331, C.5.10",
    "The client answers no Message before it has CONNECT_RESP3.", evidence::setup};
inline constexpr Rule silence_after_reject{
    "VI-R10", Severity::error, "ISO/IEC 14165-331, 5.3.3, C.5.6", "After a setup that was refused no Message is sent.",
    evidence::numbers};
inline constexpr Rule no_server_timeout{
    "VI-R11", Severity::warning, "ISO/IEC 14165-331, C.5.2", "CONNECT_RESP1 does not say Connect Timeout.",
    evidence::message};
inline constexpr Rule same_answer_to_retry{
    "VI-R15", Severity::warning, "ISO/IEC 14165-331, C.4.1",
    "CONNECT_RESP1 to a retried request is as it was before, but for RETRY, Exchange and FCVI_CONNECTION_ID.",
    evidence::setup};
inline constexpr Rule handle_reuse{
    "VI-R16", Severity::error, "ISO/IEC 14165-331, 4.2, 8.4.2",
    "A port gives a handle to one connection at a time, and after an error only R_A_TOV behind the Disconnect.",
    evidence::close};
inline constexpr Rule disconnect_fields{
    "VI-R19", Severity::error, "ISO/IEC 14165-331, 6.12.2",
    "A Disconnect of a connection has the peer's handle and FCVI_CONNECTION_ID 0, and not CONN_SETUP_ABORT.",
    evidence::setup};
inline constexpr Rule abort_fields{
    "VI-R20", Severity::error, "ISO/IEC 14165-331, 6.12.2",
    "A Disconnect that aborts a setup has MSG_ID 0 and the FCVI_CONNECTION_ID of the setup.", evidence::setup};
inline constexpr Rule unknown_connection{
    "VI-R21", Severity::warning, "ISO/IEC 14165-331, D.1", "Connection Does Not Exist is told with handle FFFFFFFFh.",
    evidence::message};
inline constexpr Rule disconnect_msg_id{
    "VI-R22", Severity::warning, "ISO/IEC 14165-331, 6.12.2, E",
    "The MSG_ID of a Disconnect is that of the last Message of the peer that its sender has completed.",
    messages_or_stretch(
        "the Disconnect, and good answers before it; of Messages that there were not: the connection from its setup "
        "on, between ports that number their Exchanges one by one: no number is missing")};
inline constexpr Rule silence_after_request{
    "VI-R23", Severity::error, "VI-ARCH 5.4", "After its Disconnect Request a side begins no Message.",
    evidence::close};
inline constexpr Rule error_before_setup{
    "VI-R24", Severity::error, "ISO/IEC 14165-331, 8.2, D.2",
    "An endpoint in Error starts no setup before it has disconnected.", evidence::close};
inline constexpr Rule within_memory{
    "VI-R30", Severity::error, "VI-ARCH 2.3.2; ISO/IEC 14165-331, 6.4.2",
    "What an RDMA operation reads or writes does not pass the end of the address space.", evidence::message};
inline constexpr Rule responses_in_order{
    "VI-R33", Severity::error, "VI-ARCH 6.3.1",
    "Good SEND_RESP and WRITE_RESP come in order of MSG_ID, and answers to Reads in order of the Reads.",
    evidence::both_sides};
inline constexpr Rule read_first{
    "VI-R34", Severity::error, "VI-ARCH 6.3.1.1",
    "On Reliable Reception no good response overtakes the answer to an earlier Read.", evidence::both_sides};
inline constexpr Rule nothing_good_after_error{
    "VI-R35", Severity::error, "VI-ARCH 2.5.3, E", "On Reliable Reception no Message behind a failed one succeeds.",
    evidence::both_sides};
inline constexpr Rule error_bits{
    "VI-R37", Severity::error, "VI-DG 5.2",
    "RESP_ERR is set together with a cause; PROT_ERR is for RDMA, DESC_ERR for what takes a descriptor.",
    evidence::message};
inline constexpr Rule end_after_error{
    "VI-R40", Severity::warning, "ISO/IEC 14165-331, 8.4.2; VI-ARCH 5.4",
    "After a failed Message on a reliable level its sender begins no further one.", evidence::both_sides};

/// In the order in which they are listed.
inline constexpr std::array catalogue{
    &r_ctl,
    &device_header_size,
    &reserved_is_zero,
    &known_opcode,
    &payload_length,
    &assigned_handle,
    &right_handle,
    &constant_header,
    &msg_id_sequence,
    &msg_id_echo,
    &seq_cnt_increases,
    &offset_increases,
    &whole_message,
    &constant_target,
    &response_allowed,
    &read_allowed,
    &rdma_enabled,
    &parameter_use,
    &sequence_initiative,
    &setup_order,
    &connection_id,
    &retry,
    &arbitration,
    &reason_code,
    &disconnect_echo,
    &farp,
    &login_parameters,
    &preference,
    &pipeline_depth,
    &transfer_size,
    &silence_after_end,
    &response_in_time,
    &error_after_loss,
    &matching_attributes,
    &address_lengths,
    &seq_cnt_unique,
    &first_revision,
    &known_mode,
    &known_attributes,
    &no_guarantees,
    &single_frame,
    &right_response,
    &place_in_exchange,
    &no_handle_without_peer,
    &offset_present,
    &one_kind_of_request,
    &abort_after_timeout,
    &matching_qos,
    &mirrored_addresses,
    &response_before_resp3,
    &silence_after_reject,
    &no_server_timeout,
    &same_answer_to_retry,
    &handle_reuse,
    &disconnect_fields,
    &abort_fields,
    &unknown_connection,
    &disconnect_msg_id,
    &silence_after_request,
    &error_before_setup,
    &within_memory,
    &responses_in_order,
    &read_first,
    &nothing_good_after_error,
    &error_bits,
    &end_after_error};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::fcvi
