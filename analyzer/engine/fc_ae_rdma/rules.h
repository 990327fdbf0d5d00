// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-AE-RDMA traffic must keep to (ISO/IEC TR 14165-314).
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::fc_ae_rdma {

namespace evidence {
inline constexpr Evidence ports = messages("an FC-AE-RDMA message between the ports before");
inline constexpr Evidence command = messages("the FCP_CMND");
inline constexpr Evidence exchange = messages("the Exchange from its FCP_CMND on");
inline constexpr Evidence frame = messages("the frame");
inline constexpr Evidence whole = stretch("the Exchange without gaps, as SEQ_CNT, SEQ_ID and FCP_RESID show");
inline constexpr Evidence delimiters = messages("the frame's SOF");
inline constexpr Evidence login = messages("the PRLI and its answer");
inline constexpr Evidence all_exchanges = stretch(
    "the PRLI or logout, and each Exchange of the Initiator since, as its OX_IDs show");
inline constexpr Evidence region = messages("the region's size: --region, or messages that got BUFFER OVERRUN");
inline constexpr Evidence login_frame = messages("the login or its accept");
inline constexpr Evidence logins = stretch("the Initiator's fabric login and what follows");
}  // namespace evidence

/// A line of the example profile of annex A.
constexpr Rule profile_rule(
    const char* id, const char* clause, const char* sentence, Evidence evidence,
    Severity severity = Severity::warning) {
    return {id, severity, clause, sentence, evidence, nullptr, Profile::avionics};
}

namespace rules {
inline constexpr Rule code{
    "AERDMA-01", Severity::warning, "ISO/IEC TR 14165-314, 4.2.3",
    "Between ports that use FC-AE-RDMA every FCP_CMND has Code A6h or A7h.", evidence::ports};
inline constexpr Rule lun_form{
    "AERDMA-02", Severity::error, "ISO/IEC TR 14165-314, 4.2.2", "FCP_LUN is 00 xx 00 00 00 00 00 00.",
    evidence::command};
inline constexpr Rule direction_bits{
    "AERDMA-03", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.3", "FCP_CMND has either READ DATA or WRITE DATA.",
    evidence::command};
inline constexpr Rule task_management{
    "AERDMA-04", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.3", "FCP_CMND sets no Task Management Flag.",
    evidence::command};
inline constexpr Rule no_xfer_rdy{
    "AERDMA-05", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.5", "There is no FCP_XFER_RDY.", evidence::exchange};
inline constexpr Rule offset_present{
    "AERDMA-06", Severity::error, "ISO/IEC TR 14165-314, 4.2.3",
    "Relative Offset Present is 0 in FCP_CMND and FCP_RSP, 1 in FCP_DATA.", evidence::frame};
inline constexpr Rule first_offset{
    "AERDMA-07", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6", "The first frame of data has Relative Offset 0.",
    evidence::whole};
inline constexpr Rule next_offset{
    "AERDMA-08", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6",
    "Each further frame of data has the Relative Offset where the one before it ended.", evidence::whole};
inline constexpr Rule zero_rx_id{
    "AERDMA-09", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6", "In Class 3 write data have RX_ID 0000h.",
    evidence::delimiters};
inline constexpr Rule residual{
    "AERDMA-10", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.5, 4.2.4.7",
    "As many octets move as FCP_DL says, or FCP_RESID tells the difference. With a status other than GOOD it need "
    "not, but what it tells is right.",
    evidence::whole};
inline constexpr Rule response_length{
    "AERDMA-11", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7", "FCP_RSP has exactly 24 octets.", evidence::frame};
inline constexpr Rule no_sense{
    "AERDMA-12", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7",
    "FCP_SNS_LEN and FCP_RSP_LEN are zero, and not said to be valid.", evidence::frame};
inline constexpr Rule status_code{
    "AERDMA-13", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7", "The status code is one of table 2.",
    evidence::frame};
inline constexpr Rule data_allowed{
    "AERDMA-14", Severity::error, "ISO/IEC TR 14165-314, 3.1.4, 4.2.4.4.5, 4.2.4.7",
    "No data follow an error status, or lie beyond FCP_DL.", evidence::exchange};
inline constexpr Rule iu_order{
    "AERDMA-15", Severity::error, "ISO/IEC TR 14165-314, 3.1.4, 4.2.4.4 to 4.2.4.7",
    "A message is one FCP_CMND, its data, and one FCP_RSP that ends the Exchange; each IU keeps or passes the "
    "Sequence Initiative as T1, T2, T6, T7, I3 and I4 do.",
    evidence::exchange};
inline constexpr Rule process_login{
    "AERDMA-16", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.3",
    "The service parameter pages of PRLI and its accept are as table 2 has them.", evidence::login};
inline constexpr Rule login_before{
    "AERDMA-17", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.3", "There is traffic only after an accepted PRLI.",
    evidence::all_exchanges};
inline constexpr Rule data_direction{
    "AERDMA-18", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6",
    "The Target sends the data of a read, the Initiator those of a write.", evidence::exchange};
inline constexpr Rule region_size{
    "AERDMA-19", Severity::warning, "ISO/IEC TR 14165-314, 4.2.3, 4.2.4.7",
    "Base Address and data stay within the Logical Unit's memory region.", evidence::region};
inline constexpr Rule command_length{
    "AERDMA-50", Severity::error, "ISO/IEC TR 14165-314, 4.2.1, 4.2.4.4", "FCP_CMND has 32 octets.", evidence::command};
inline constexpr Rule logout_after_odd_accept{
    "AERDMA-51", Severity::note, "ISO/IEC TR 14165-314, 4.2.4.3",
    "Who receives a PRLI accept with unexpected parameters should send PRLO.", evidence::all_exchanges};
inline constexpr Rule odd_request{
    "AERDMA-52", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.3",
    "A PRLI with unexpected values is rejected, or its accept says other than Request Executed.", evidence::login};
inline constexpr Rule known_rx_id{
    "AERDMA-53", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6",
    "In Class 2 write data have the RX_ID that the Target has told, or 0000h.", evidence::delimiters};
inline constexpr Rule one_residual{
    "AERDMA-54", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7",
    "FCP_RESID_UNDER and FCP_RESID_OVER are not both set.", evidence::frame};
inline constexpr Rule exact_length{
    "AERDMA-55", Severity::warning, "ISO/IEC TR 14165-314, 4.2.4.4.5, 4.2.4.7",
    "No fewer octets are transferred than FCP_DL says, even if FCP_RESID tells the difference.", evidence::whole};
inline constexpr Rule protection{
    "AERDMA-56", Severity::warning, "ISO/IEC TR 14165-314, 4.2.4.7",
    "WRITE PROTECT ERROR is the answer to writes only, READ PROTECT ERROR to reads.", evidence::exchange};

// Annex A.
inline constexpr Rule fabric_login_address = profile_rule(
    "AERDMA-20", "ISO/IEC TR 14165-314, A.2.4.1", "FLOGI comes from 00.00.00, in a loop from 00.00 and the AL_PA.",
    evidence::login_frame);
inline constexpr Rule fabric_bb_credit = profile_rule(
    "AERDMA-21", "ISO/IEC TR 14165-314, A.2.4.2", "BB_Credit of a fabric login is at least 2.", evidence::login_frame);
inline constexpr Rule fabric_field_size = profile_rule(
    "AERDMA-22", "ISO/IEC TR 14165-314, A.2.4.2",
    "The Receive Data_Field size of a fabric login is at least 2,048 octets.", evidence::login_frame);
inline constexpr Rule fabric_payload = profile_rule(
    "AERDMA-23", "ISO/IEC TR 14165-314, A.2.4.2", "A fabric login has 116 octets.", evidence::login_frame);
inline constexpr Rule fabric_timeouts = profile_rule(
    "AERDMA-24", "ISO/IEC TR 14165-314, A.2.4.2", "The fabric says E_D_TOV 10 ms and R_A_TOV 20 ms.",
    evidence::login_frame);
inline constexpr Rule fabric_r_t_tov = profile_rule(
    "AERDMA-25", "ISO/IEC TR 14165-314, A.2.4.2", "The fabric says that R_T_TOV is short.", evidence::login_frame);
inline constexpr Rule fabric_class_3 = profile_rule(
    "AERDMA-26", "ISO/IEC TR 14165-314, A.2.4.3", "A fabric login supports Class 3.", evidence::login_frame);
inline constexpr Rule sequential_delivery = profile_rule(
    "AERDMA-27", "ISO/IEC TR 14165-314, A.2.4.3",
    "A fabric login has Sequential Delivery in each class that it supports.", evidence::login_frame);
inline constexpr Rule only_class_2_and_3 = profile_rule(
    "AERDMA-28", "ISO/IEC TR 14165-314, table A.1", "Classes 1, 4 and 6 are not used.", evidence::delimiters);
inline constexpr Rule well_known_class_3 = profile_rule(
    "AERDMA-29", "ISO/IEC TR 14165-314, A.2.4.3, table A.1",
    "What goes to or comes from a well-known address is of Class 3.", evidence::delimiters);
inline constexpr Rule explicit_login = profile_rule(
    "AERDMA-30", "ISO/IEC TR 14165-314, A.2.5.1", "Ports log in with each other by PLOGI.", evidence::logins);
inline constexpr Rule port_field_size = profile_rule(
    "AERDMA-31", "ISO/IEC TR 14165-314, A.2.5.2",
    "The Receive Data_Field size of an N_Port login is at least 2,048 octets.", evidence::login_frame);
inline constexpr Rule port_relative_offset = profile_rule(
    "AERDMA-32", "ISO/IEC TR 14165-314, A.2.5.2", "An N_Port login has Continuously Increasing Relative Offset.",
    evidence::login_frame);
inline constexpr Rule port_seq_cnt = profile_rule(
    "AERDMA-33", "ISO/IEC TR 14165-314, table A.1", "An N_Port login has continuously increasing SEQ_CNT.",
    evidence::login_frame);
inline constexpr Rule port_payload = profile_rule(
    "AERDMA-34", "ISO/IEC TR 14165-314, table A.1", "An N_Port login has 116 octets.", evidence::login_frame);
inline constexpr Rule port_concurrent_sequences = profile_rule(
    "AERDMA-35", "ISO/IEC TR 14165-314, table A.1", "An N_Port login allows at least 16 concurrent Sequences.",
    evidence::login_frame);
inline constexpr Rule port_e_d_tov = profile_rule(
    "AERDMA-36", "ISO/IEC TR 14165-314, table A.1", "An N_Port login says E_D_TOV 10 ms.", evidence::login_frame);
inline constexpr Rule port_class_3 = profile_rule(
    "AERDMA-37", "ISO/IEC TR 14165-314, table A.1", "An N_Port login supports Class 3.", evidence::login_frame);
inline constexpr Rule class_field_size = profile_rule(
    "AERDMA-38", "ISO/IEC TR 14165-314, table A.1",
    "In each class that is supported the Receive Data_Field size is at least 2,048 octets.", evidence::login_frame);
inline constexpr Rule process_associator = profile_rule(
    "AERDMA-39", "ISO/IEC TR 14165-314, table A.1",
    "In each class that is supported Initial Process_Associator is 00b.", evidence::login_frame);
inline constexpr Rule class_3_sequences = profile_rule(
    "AERDMA-40", "ISO/IEC TR 14165-314, table A.1", "Class 3 has at least 16 concurrent Sequences.",
    evidence::login_frame);
inline constexpr Rule open_sequences = profile_rule(
    "AERDMA-41", "ISO/IEC TR 14165-314, table A.1",
    "In each class that is supported an Exchange may have an open Sequence.", evidence::login_frame);
inline constexpr Rule class_2_ack_0 = profile_rule(
    "AERDMA-42", "ISO/IEC TR 14165-314, table A.1", "Class 2, if supported, has ACK_0.", evidence::login_frame);
inline constexpr Rule class_2_credit = profile_rule(
    "AERDMA-43", "ISO/IEC TR 14165-314, table A.1", "Class 2, if supported, has an end-to-end credit of at least 2.",
    evidence::login_frame);
inline constexpr Rule well_known_address = profile_rule(
    "AERDMA-44", "ISO/IEC TR 14165-314, table A.1",
    "Of the well-known addresses only FF.FF.FF, FF.FF.FE, FF.FF.FD, FF.FF.FC and FF.FF.F6 are used.", evidence::frame);
inline constexpr Rule multicast_els = profile_rule(
    "AERDMA-45", "ISO/IEC TR 14165-314, A.2.4.2", "Multicast is used for Extended Link Services only.",
    evidence::frame);
inline constexpr Rule basic_services = profile_rule(
    "AERDMA-46", "ISO/IEC TR 14165-314, table A.1", "Of the Basic Link Services only ABTS, BA_ACC and BA_RJT are used.",
    evidence::frame);
inline constexpr Rule clock_sync_server = profile_rule(
    "AERDMA-47", "ISO/IEC TR 14165-314, table A.1", "CSR goes to the Clock Synchronization Server.", evidence::frame);
inline constexpr Rule fabric_busy = profile_rule(
    "AERDMA-48", "ISO/IEC TR 14165-314, table A.1", "F_BSY does not say that a Class 1 connection is in the way.",
    evidence::frame);
inline constexpr Rule time_between_ius = profile_rule(
    "AERDMA-49", "ISO/IEC TR 14165-314, A.2.1", "Between the IUs of an Exchange there are no more than 2 ms.",
    stretch(evidence::exchange.text), Severity::note);

inline constexpr Rule implicit_login = profile_rule(
    "AERDMA-57", "ISO/IEC TR 14165-314, table A.1", "No PLOGI goes to a well-known address: login there is implicit.",
    evidence::login_frame);
inline constexpr Rule alternate_bb_credit = profile_rule(
    "AERDMA-58", "ISO/IEC TR 14165-314, A.2.4.2", "FLOGI has Alternate BB_Credit Management in a loop, and only there.",
    evidence::login_frame);
inline constexpr Rule relative_offset_category = profile_rule(
    "AERDMA-59", "ISO/IEC TR 14165-314, table A.1", "An N_Port login offers Relative Offset for solicited data.",
    evidence::login_frame);
inline constexpr Rule fabric_priority = profile_rule(
    "AERDMA-60", "ISO/IEC TR 14165-314, A.2.1, A.2.4.3",
    "The Fabric's accept says that it supports Priority, in each class that is supported.", evidence::login_frame);
inline constexpr Rule clock_sync_recipient = profile_rule(
    "AERDMA-61", "ISO/IEC TR 14165-314, A.2.1, table A.1",
    "An N_Port login says that Class 3 takes Clock Synchronization by ELS.", evidence::login_frame);

/// In the order in which they are listed.
inline constexpr std::array catalogue{
    &code,
    &lun_form,
    &direction_bits,
    &task_management,
    &no_xfer_rdy,
    &offset_present,
    &first_offset,
    &next_offset,
    &zero_rx_id,
    &residual,
    &response_length,
    &no_sense,
    &status_code,
    &data_allowed,
    &iu_order,
    &process_login,
    &login_before,
    &data_direction,
    &region_size,
    &fabric_login_address,
    &fabric_bb_credit,
    &fabric_field_size,
    &fabric_payload,
    &fabric_timeouts,
    &fabric_r_t_tov,
    &fabric_class_3,
    &sequential_delivery,
    &only_class_2_and_3,
    &well_known_class_3,
    &explicit_login,
    &port_field_size,
    &port_relative_offset,
    &port_seq_cnt,
    &port_payload,
    &port_concurrent_sequences,
    &port_e_d_tov,
    &port_class_3,
    &class_field_size,
    &process_associator,
    &class_3_sequences,
    &open_sequences,
    &class_2_ack_0,
    &class_2_credit,
    &well_known_address,
    &multicast_els,
    &basic_services,
    &clock_sync_server,
    &fabric_busy,
    &time_between_ius,
    &command_length,
    &logout_after_odd_accept,
    &odd_request,
    &known_rx_id,
    &one_residual,
    &exact_length,
    &protection,
    &implicit_login,
    &alternate_bb_credit,
    &relative_offset_category,
    &fabric_priority,
    &clock_sync_recipient};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::fc_ae_rdma
