// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of the Extended Link Services' parts, and the order of the parts. Included by els.h.
#pragma once

#include "protocols/fc/els.h"

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::ElsHeader> = layout<fc::ElsHeader>(
    "ELS command", "FC-LS, ELS", octets(0, 4),
    field<&fc::ElsHeader::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::ElsHeader::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved));

template <>
inline constexpr auto layout_of<fc::LsRjt> = layout<fc::LsRjt>(
    "LS_RJT", "FC-PH 21.5.2; FC-LS, LS_RJT", octets(0, 8),
    field<&fc::LsRjt::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::LsRjt::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::LsRjt::reserved>(at(4), "fabricscope.fc.ls_rjt.reserved", "Reserved", hex, reserved),
    field<&fc::LsRjt::reason>(
        at(5), "fabricscope.fc.ls_rjt.reason", "Reason code", hex, names(fc::ls_rjt_reason_names)),
    field<&fc::LsRjt::explanation>(
        at(6), "fabricscope.fc.ls_rjt.explanation", "Reason explanation", hex, names(fc::ls_rjt_explanation_names)),
    field<&fc::LsRjt::vendor>(at(7), "fabricscope.fc.ls_rjt.vendor", "Vendor specific", hex));

template <>
inline constexpr auto layout_of<fc::PortServiceParameters> = layout<fc::PortServiceParameters>(
    "N_Port common service parameters", "FC-PH 23.6.3; FC-LS, common service parameters", octets(0, 16),
    field<&fc::PortServiceParameters::credit, &fc::CommonCredit::highest_version>(
        at(0), "fabricscope.fc.login.highest_version", "Highest version", hex),
    field<&fc::PortServiceParameters::credit, &fc::CommonCredit::lowest_version>(
        at(1), "fabricscope.fc.login.lowest_version", "Lowest version", hex),
    field<&fc::PortServiceParameters::credit, &fc::CommonCredit::bb_credit>(
        at(2), "fabricscope.fc.login.bb_credit", "Buffer-to-buffer Credit"),
    field<&fc::PortServiceParameters::continuously_increasing_relative_offset>(
        bits(4, 0x8000, 2), "fabricscope.fc.login.continuously_increasing_relative_offset",
        "Continuously increasing Relative Offset (C)"),
    field<&fc::PortServiceParameters::random_relative_offset>(
        bits(4, 0x4000, 2), "fabricscope.fc.login.random_relative_offset", "Random Relative Offset"),
    field<&fc::PortServiceParameters::valid_vendor_version>(
        bits(4, 0x2000, 2), "fabricscope.fc.login.valid_vendor_version", "Valid vendor version level"),
    field<&fc::PortServiceParameters::f_port>(bits(4, 0x1000, 2), "fabricscope.fc.login.f_port", "F_Port"),
    field<&fc::PortServiceParameters::alternate_bb_credit>(
        bits(4, 0x0800, 2), "fabricscope.fc.login.alternate_bb_credit", "Alternate BB_Credit management"),
    field<&fc::PortServiceParameters::e_d_tov_nanoseconds>(
        bits(4, 0x0400, 2), "fabricscope.fc.login.e_d_tov_nanoseconds", "E_D_TOV in nanoseconds"),
    field<&fc::PortServiceParameters::multicast>(bits(4, 0x0200, 2), "fabricscope.fc.login.multicast", "Multicast"),
    field<&fc::PortServiceParameters::broadcast>(bits(4, 0x0100, 2), "fabricscope.fc.login.broadcast", "Broadcast"),
    field<&fc::PortServiceParameters::hunt_group>(bits(4, 0x0080, 2), "fabricscope.fc.login.hunt_group", "Hunt group"),
    field<&fc::PortServiceParameters::reserved_22>(
        bits(4, 0x0040, 2), "fabricscope.fc.login.reserved_22", "Reserved", reserved),
    field<&fc::PortServiceParameters::security>(bits(4, 0x0020, 2), "fabricscope.fc.login.security", "Security"),
    field<&fc::PortServiceParameters::clock_sync_primitive>(
        bits(4, 0x0010, 2), "fabricscope.fc.login.clock_sync_primitive", "Clock synchronization primitive capable"),
    field<&fc::PortServiceParameters::short_r_t_tov>(
        bits(4, 0x0008, 2), "fabricscope.fc.login.short_r_t_tov", "Short R_T_TOV"),
    field<&fc::PortServiceParameters::dynamic_half_duplex>(
        bits(4, 0x0004, 2), "fabricscope.fc.login.dynamic_half_duplex", "Dynamic half duplex"),
    field<&fc::PortServiceParameters::continuously_increasing_seq_cnt>(
        bits(4, 0x0002, 2), "fabricscope.fc.login.continuously_increasing_seq_cnt",
        "Continuously increasing SEQ_CNT (S)"),
    field<&fc::PortServiceParameters::payload_256>(
        bits(4, 0x0001, 2), "fabricscope.fc.login.payload_256", "Payload of 256 octets"),
    field<&fc::PortServiceParameters::sizes, &fc::CommonSizes::bb_sc_number>(
        bits(6, 0xF000, 2), "fabricscope.fc.login.bb_sc_number", "BB_SC_N"),
    field<&fc::PortServiceParameters::sizes, &fc::CommonSizes::receive_data_field_size>(
        bits(6, 0x0FFF, 2), "fabricscope.fc.login.receive_data_field_size", "Buffer-to-buffer Receive Data_Field size"),
    field<&fc::PortServiceParameters::total_concurrent_sequences>(
        at(8), "fabricscope.fc.login.total_concurrent_sequences", "Total concurrent Sequences"),
    field<&fc::PortServiceParameters::relative_offset_categories>(
        at(10), "fabricscope.fc.login.relative_offset_categories", "Relative Offset by information category", hex),
    field<&fc::PortServiceParameters::e_d_tov>(at(12), "fabricscope.fc.login.e_d_tov", "E_D_TOV"));

template <>
inline constexpr auto layout_of<fc::FabricServiceRequest> = layout<fc::FabricServiceRequest>(
    "F_Port common service parameters", "FC-PH 23.7.1; FC-LS, common service parameters", octets(0, 16),
    field<&fc::FabricServiceRequest::credit, &fc::CommonCredit::highest_version>(
        at(0), "fabricscope.fc.login.highest_version", "Highest version", hex),
    field<&fc::FabricServiceRequest::credit, &fc::CommonCredit::lowest_version>(
        at(1), "fabricscope.fc.login.lowest_version", "Lowest version", hex),
    field<&fc::FabricServiceRequest::credit, &fc::CommonCredit::bb_credit>(
        at(2), "fabricscope.fc.login.bb_credit", "Buffer-to-buffer Credit"),
    field<&fc::FabricServiceRequest::multiple_n_port_ids>(
        bits(4, 0x8000, 2), "fabricscope.fc.login.multiple_n_port_ids", "Multiple N_Port_IDs"),
    field<&fc::FabricServiceRequest::reserved_30>(
        bits(4, 0x4000, 2), "fabricscope.fc.login.reserved_30", "Reserved", reserved),
    field<&fc::FabricServiceRequest::valid_vendor_version>(
        bits(4, 0x2000, 2), "fabricscope.fc.login.valid_vendor_version", "Valid vendor version level"),
    field<&fc::FabricServiceRequest::f_port>(bits(4, 0x1000, 2), "fabricscope.fc.login.f_port", "F_Port"),
    field<&fc::FabricServiceRequest::alternate_bb_credit>(
        bits(4, 0x0800, 2), "fabricscope.fc.login.alternate_bb_credit", "Alternate BB_Credit management"),
    field<&fc::FabricServiceRequest::reserved_26_19>(
        bits(4, 0x07F8, 2), "fabricscope.fc.login.reserved_26_19", "Reserved", hex, reserved),
    field<&fc::FabricServiceRequest::reserved_18>(
        bits(4, 0x0004, 2), "fabricscope.fc.login.reserved_18", "Reserved", reserved),
    field<&fc::FabricServiceRequest::reserved_17>(
        bits(4, 0x0002, 2), "fabricscope.fc.login.reserved_17", "Reserved", reserved),
    field<&fc::FabricServiceRequest::payload_256>(
        bits(4, 0x0001, 2), "fabricscope.fc.login.payload_256", "Payload of 256 octets"),
    field<&fc::FabricServiceRequest::sizes, &fc::CommonSizes::bb_sc_number>(
        bits(6, 0xF000, 2), "fabricscope.fc.login.bb_sc_number", "BB_SC_N"),
    field<&fc::FabricServiceRequest::sizes, &fc::CommonSizes::receive_data_field_size>(
        bits(6, 0x0FFF, 2), "fabricscope.fc.login.receive_data_field_size", "Buffer-to-buffer Receive Data_Field size"),
    field<&fc::FabricServiceRequest::reserved>(at(8), "fabricscope.fc.login.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<fc::FabricServiceAccept> = layout<fc::FabricServiceAccept>(
    "F_Port common service parameters", "FC-PH 23.7.1; FC-LS, common service parameters", octets(0, 16),
    field<&fc::FabricServiceAccept::credit, &fc::CommonCredit::highest_version>(
        at(0), "fabricscope.fc.login.highest_version", "Highest version", hex),
    field<&fc::FabricServiceAccept::credit, &fc::CommonCredit::lowest_version>(
        at(1), "fabricscope.fc.login.lowest_version", "Lowest version", hex),
    field<&fc::FabricServiceAccept::credit, &fc::CommonCredit::bb_credit>(
        at(2), "fabricscope.fc.login.bb_credit", "Buffer-to-buffer Credit"),
    field<&fc::FabricServiceAccept::clean_address>(
        bits(4, 0x8000, 2), "fabricscope.fc.login.clean_address", "Clean address"),
    field<&fc::FabricServiceAccept::reserved_30>(
        bits(4, 0x4000, 2), "fabricscope.fc.login.reserved_30", "Reserved", reserved),
    field<&fc::FabricServiceAccept::multiple_n_port_ids>(
        bits(4, 0x2000, 2), "fabricscope.fc.login.multiple_n_port_ids", "Multiple N_Port_IDs"),
    field<&fc::FabricServiceAccept::f_port>(bits(4, 0x1000, 2), "fabricscope.fc.login.f_port", "F_Port"),
    field<&fc::FabricServiceAccept::alternate_bb_credit>(
        bits(4, 0x0800, 2), "fabricscope.fc.login.alternate_bb_credit", "Alternate BB_Credit management"),
    field<&fc::FabricServiceAccept::e_d_tov_nanoseconds>(
        bits(4, 0x0400, 2), "fabricscope.fc.login.e_d_tov_nanoseconds", "E_D_TOV in nanoseconds"),
    field<&fc::FabricServiceAccept::multicast>(bits(4, 0x0200, 2), "fabricscope.fc.login.multicast", "Multicast"),
    field<&fc::FabricServiceAccept::broadcast>(bits(4, 0x0100, 2), "fabricscope.fc.login.broadcast", "Broadcast"),
    field<&fc::FabricServiceAccept::hunt_group>(bits(4, 0x0080, 2), "fabricscope.fc.login.hunt_group", "Hunt group"),
    field<&fc::FabricServiceAccept::reserved_22>(
        bits(4, 0x0040, 2), "fabricscope.fc.login.reserved_22", "Reserved", reserved),
    field<&fc::FabricServiceAccept::security>(bits(4, 0x0020, 2), "fabricscope.fc.login.security", "Security"),
    field<&fc::FabricServiceAccept::clock_sync_primitive>(
        bits(4, 0x0010, 2), "fabricscope.fc.login.clock_sync_primitive", "Clock synchronization primitive capable"),
    field<&fc::FabricServiceAccept::short_r_t_tov>(
        bits(4, 0x0008, 2), "fabricscope.fc.login.short_r_t_tov", "Short R_T_TOV"),
    field<&fc::FabricServiceAccept::dynamic_half_duplex>(
        bits(4, 0x0004, 2), "fabricscope.fc.login.dynamic_half_duplex", "Dynamic half duplex"),
    field<&fc::FabricServiceAccept::reserved_17>(
        bits(4, 0x0002, 2), "fabricscope.fc.login.reserved_17", "Reserved", reserved),
    field<&fc::FabricServiceAccept::payload_256>(
        bits(4, 0x0001, 2), "fabricscope.fc.login.payload_256", "Payload of 256 octets"),
    field<&fc::FabricServiceAccept::sizes, &fc::CommonSizes::bb_sc_number>(
        bits(6, 0xF000, 2), "fabricscope.fc.login.bb_sc_number", "BB_SC_N"),
    field<&fc::FabricServiceAccept::sizes, &fc::CommonSizes::receive_data_field_size>(
        bits(6, 0x0FFF, 2), "fabricscope.fc.login.receive_data_field_size", "Buffer-to-buffer Receive Data_Field size"),
    field<&fc::FabricServiceAccept::r_a_tov>(at(8), "fabricscope.fc.login.r_a_tov", "R_A_TOV (ms)"),
    field<&fc::FabricServiceAccept::e_d_tov>(at(12), "fabricscope.fc.login.e_d_tov", "E_D_TOV"));

template <>
inline constexpr auto layout_of<fc::LoginNames> = layout<fc::LoginNames>(
    "Port and Node Names", "FC-LS, service parameters", octets(0, 16),
    field<&fc::LoginNames::port_name>(at(0), "fabricscope.fc.login.port_name", "Port_Name", hex),
    field<&fc::LoginNames::node_name>(at(8), "fabricscope.fc.login.node_name", "Node or Fabric Name", hex));

template <>
inline constexpr auto layout_of<fc::ClassServiceParameters> = layout<fc::ClassServiceParameters>(
    "Class service parameters", "FC-PH 23.6.8; FC-LS, class service parameters", octets(0, 16),
    field<&fc::ClassServiceParameters::valid>(
        bits(0, 0x8000, 2), "fabricscope.fc.login.class.valid", "Class supported"),
    field<&fc::ClassServiceParameters::obsolete_30_28>(
        bits(0, 0x7000, 2), "fabricscope.fc.login.class.obsolete_30_28", "Obsolete", hex),
    field<&fc::ClassServiceParameters::sequential_delivery>(
        bits(0, 0x0800, 2), "fabricscope.fc.login.class.sequential_delivery", "Sequential delivery"),
    field<&fc::ClassServiceParameters::obsolete_26_24>(
        bits(0, 0x0700, 2), "fabricscope.fc.login.class.obsolete_26_24", "Obsolete", hex),
    field<&fc::ClassServiceParameters::priority>(bits(0, 0x0080, 2), "fabricscope.fc.login.class.priority", "Priority"),
    field<&fc::ClassServiceParameters::preference>(
        bits(0, 0x0040, 2), "fabricscope.fc.login.class.preference", "Preference (CS_CTL tolerance)",
        clause("FC-PH-3 23.6.8.2")),
    field<&fc::ClassServiceParameters::service_21_16>(
        bits(0, 0x003F, 2), "fabricscope.fc.login.class.service_21_16", "Differentiated services, reserved", hex),
    field<&fc::ClassServiceParameters::x_id_reassignment>(
        bits(2, 0xC000, 2), "fabricscope.fc.login.class.x_id_reassignment", "X_ID reassignment"),
    field<&fc::ClassServiceParameters::initial_process_associator>(
        bits(2, 0x3000, 2), "fabricscope.fc.login.class.initial_process_associator",
        "Initial Responder Process_Associator"),
    field<&fc::ClassServiceParameters::ack_0_initiator>(
        bits(2, 0x0800, 2), "fabricscope.fc.login.class.ack_0_initiator", "ACK_0 capable as Initiator"),
    field<&fc::ClassServiceParameters::ack_n_initiator>(
        bits(2, 0x0400, 2), "fabricscope.fc.login.class.ack_n_initiator", "ACK_N capable as Initiator"),
    field<&fc::ClassServiceParameters::ack_generation_assistance>(
        bits(2, 0x0200, 2), "fabricscope.fc.login.class.ack_generation_assistance", "ACK generation assistance"),
    field<&fc::ClassServiceParameters::initiator_8_5>(
        bits(2, 0x01E0, 2), "fabricscope.fc.login.class.initiator_8_5", "Obsolete", hex),
    field<&fc::ClassServiceParameters::clock_sync_els_initiator>(
        bits(2, 0x0010, 2), "fabricscope.fc.login.class.clock_sync_els_initiator",
        "Clock synchronization ELS capable as Initiator"),
    field<&fc::ClassServiceParameters::initiator_3_0>(
        bits(2, 0x000F, 2), "fabricscope.fc.login.class.initiator_3_0", "Reserved", hex, reserved),
    field<&fc::ClassServiceParameters::ack_0_recipient>(
        bits(4, 0x8000, 2), "fabricscope.fc.login.class.ack_0_recipient", "ACK_0 capable as Recipient"),
    field<&fc::ClassServiceParameters::ack_n_recipient>(
        bits(4, 0x4000, 2), "fabricscope.fc.login.class.ack_n_recipient", "ACK_N capable as Recipient"),
    field<&fc::ClassServiceParameters::x_id_interlock>(
        bits(4, 0x2000, 2), "fabricscope.fc.login.class.x_id_interlock", "X_ID interlock"),
    field<&fc::ClassServiceParameters::error_policy>(
        bits(4, 0x1800, 2), "fabricscope.fc.login.class.error_policy", "Error policy"),
    field<&fc::ClassServiceParameters::recipient_26_22>(
        bits(4, 0x07C0, 2), "fabricscope.fc.login.class.recipient_26_22", "Reserved", hex, reserved),
    field<&fc::ClassServiceParameters::categories_per_sequence>(
        bits(4, 0x0030, 2), "fabricscope.fc.login.class.categories_per_sequence", "Categories per Sequence"),
    field<&fc::ClassServiceParameters::clock_sync_els_recipient>(
        bits(4, 0x0008, 2), "fabricscope.fc.login.class.clock_sync_els_recipient",
        "Clock synchronization ELS capable as Recipient"),
    field<&fc::ClassServiceParameters::recipient_18_16>(
        bits(4, 0x0007, 2), "fabricscope.fc.login.class.recipient_18_16", "Reserved", hex, reserved),
    field<&fc::ClassServiceParameters::receive_data_field_size>(
        at(6), "fabricscope.fc.login.class.receive_data_field_size", "Receive Data_Field size"),
    field<&fc::ClassServiceParameters::concurrent_sequences>(
        at(8), "fabricscope.fc.login.class.concurrent_sequences", "Concurrent Sequences"),
    field<&fc::ClassServiceParameters::end_to_end_credit>(
        at(10), "fabricscope.fc.login.class.end_to_end_credit", "N_Port end-to-end Credit"),
    field<&fc::ClassServiceParameters::open_sequences_per_exchange>(
        at(12), "fabricscope.fc.login.class.open_sequences_per_exchange", "Open Sequences per Exchange"),
    field<&fc::ClassServiceParameters::class_6>(
        at(14), "fabricscope.fc.login.class.class_6", "Class 6 multicast RX_ID", hex));

template <>
inline constexpr auto layout_of<fc::VendorVersion> = layout<fc::VendorVersion>(
    "Vendor version level", "FC-LS, service parameters", octets(0, 16),
    field<&fc::VendorVersion::octets>(at(0), "fabricscope.fc.login.vendor_version", "Vendor version level"));

template <>
inline constexpr auto layout_of<fc::ProcessHeader> = layout<fc::ProcessHeader>(
    "PRLI, PRLO", "FC-LS, PRLI and PRLO", octets(0, 4),
    field<&fc::ProcessHeader::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::ProcessHeader::page_length>(at(1), "fabricscope.fc.process.page_length", "Page length"),
    field<&fc::ProcessHeader::payload_length>(at(2), "fabricscope.fc.process.payload_length", "Payload length"));

template <>
inline constexpr auto layout_of<fc::PrliPage> = layout<fc::PrliPage>(
    "Service parameter page", "FC-LS, PRLI", octets(0, 16),
    field<&fc::PrliPage::type>(at(0), "fabricscope.fc.process.type", "TYPE code", hex, names(fc::type_names)),
    field<&fc::PrliPage::type_extension>(at(1), "fabricscope.fc.process.type_extension", "TYPE code extension", hex),
    field<&fc::PrliPage::originator_process_valid>(
        bits(2, 0x8000, 2), "fabricscope.fc.process.originator_process_valid", "Originator Process_Associator valid"),
    field<&fc::PrliPage::responder_process_valid>(
        bits(2, 0x4000, 2), "fabricscope.fc.process.responder_process_valid", "Responder Process_Associator valid"),
    field<&fc::PrliPage::establish_image_pair>(
        bits(2, 0x2000, 2), "fabricscope.fc.process.establish_image_pair", "Establish image pair"),
    field<&fc::PrliPage::reserved>(bits(2, 0x1FFF, 2), "fabricscope.fc.process.reserved", "Reserved", hex, reserved),
    field<&fc::PrliPage::originator_process>(
        at(4), "fabricscope.fc.process.originator_process", "Originator Process_Associator", hex),
    field<&fc::PrliPage::responder_process>(
        at(8), "fabricscope.fc.process.responder_process", "Responder Process_Associator", hex),
    field<&fc::PrliPage::service_parameters>(
        at(12), "fabricscope.fc.process.service_parameters", "Service parameters", hex));

template <>
inline constexpr auto layout_of<fc::PrliAcceptPage> = layout<fc::PrliAcceptPage>(
    "Service parameter response page", "FC-LS, PRLI LS_ACC", octets(0, 16),
    field<&fc::PrliAcceptPage::type>(at(0), "fabricscope.fc.process.type", "TYPE code", hex, names(fc::type_names)),
    field<&fc::PrliAcceptPage::type_extension>(
        at(1), "fabricscope.fc.process.type_extension", "TYPE code extension", hex),
    field<&fc::PrliAcceptPage::originator_process_valid>(
        bits(2, 0x8000, 2), "fabricscope.fc.process.originator_process_valid", "Originator Process_Associator valid"),
    field<&fc::PrliAcceptPage::responder_process_valid>(
        bits(2, 0x4000, 2), "fabricscope.fc.process.responder_process_valid", "Responder Process_Associator valid"),
    field<&fc::PrliAcceptPage::image_pair_established>(
        bits(2, 0x2000, 2), "fabricscope.fc.process.image_pair_established", "Image pair established"),
    field<&fc::PrliAcceptPage::reserved_12>(
        bits(2, 0x1000, 2), "fabricscope.fc.process.reserved_12", "Reserved", reserved),
    field<&fc::PrliAcceptPage::response>(
        bits(2, 0x0F00, 2), "fabricscope.fc.process.response", "Response code", names(fc::prli_response_names)),
    field<&fc::PrliAcceptPage::reserved>(
        bits(2, 0x00FF, 2), "fabricscope.fc.process.reserved_low", "Reserved", hex, reserved),
    field<&fc::PrliAcceptPage::originator_process>(
        at(4), "fabricscope.fc.process.originator_process", "Originator Process_Associator", hex),
    field<&fc::PrliAcceptPage::responder_process>(
        at(8), "fabricscope.fc.process.responder_process", "Responder Process_Associator", hex),
    field<&fc::PrliAcceptPage::service_parameters>(
        at(12), "fabricscope.fc.process.service_parameters", "Service parameters", hex));

template <>
inline constexpr auto layout_of<fc::PrloPage> = layout<fc::PrloPage>(
    "Logout parameter page", "FC-LS, PRLO", octets(0, 16),
    field<&fc::PrloPage::type>(at(0), "fabricscope.fc.process.type", "TYPE code", hex, names(fc::type_names)),
    field<&fc::PrloPage::type_extension>(at(1), "fabricscope.fc.process.type_extension", "TYPE code extension", hex),
    field<&fc::PrloPage::originator_process_valid>(
        bits(2, 0x8000, 2), "fabricscope.fc.process.originator_process_valid", "Originator Process_Associator valid"),
    field<&fc::PrloPage::responder_process_valid>(
        bits(2, 0x4000, 2), "fabricscope.fc.process.responder_process_valid", "Responder Process_Associator valid"),
    field<&fc::PrloPage::reserved_13_12>(
        bits(2, 0x3000, 2), "fabricscope.fc.process.reserved_13_12", "Reserved", hex, reserved),
    field<&fc::PrloPage::response>(
        bits(2, 0x0F00, 2), "fabricscope.fc.process.response", "Response code", names(fc::prli_response_names)),
    field<&fc::PrloPage::reserved>(
        bits(2, 0x00FF, 2), "fabricscope.fc.process.reserved_low", "Reserved", hex, reserved),
    field<&fc::PrloPage::originator_process>(
        at(4), "fabricscope.fc.process.originator_process", "Originator Process_Associator", hex),
    field<&fc::PrloPage::responder_process>(
        at(8), "fabricscope.fc.process.responder_process", "Responder Process_Associator", hex),
    field<&fc::PrloPage::reserved_word>(at(12), "fabricscope.fc.process.reserved_word", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<fc::Logo> = layout<fc::Logo>(
    "LOGO", "FC-PH 21.4.8; FC-LS, LOGO", octets(0, 16),
    field<&fc::Logo::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Logo::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Logo::reserved>(at(4), "fabricscope.fc.logo.reserved", "Reserved", hex, reserved),
    field<&fc::Logo::port_id>(at(5, 3), "fabricscope.fc.logo.port_id", "N_Port_ID", hex),
    field<&fc::Logo::port_name>(at(8), "fabricscope.fc.logo.port_name", "Port_Name", hex));

template <>
inline constexpr auto layout_of<fc::Adisc> = layout<fc::Adisc>(
    "ADISC", "FC-LS, ADISC", octets(0, 28),
    field<&fc::Adisc::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Adisc::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Adisc::reserved_1>(at(4), "fabricscope.fc.adisc.reserved_1", "Reserved", hex, reserved),
    field<&fc::Adisc::hard_address>(at(5, 3), "fabricscope.fc.adisc.hard_address", "Hard Address", hex),
    field<&fc::Adisc::port_name>(at(8), "fabricscope.fc.adisc.port_name", "Port_Name", hex),
    field<&fc::Adisc::node_name>(at(16), "fabricscope.fc.adisc.node_name", "Node_Name", hex),
    field<&fc::Adisc::reserved_2>(at(24), "fabricscope.fc.adisc.reserved_2", "Reserved", hex, reserved),
    field<&fc::Adisc::port_id>(at(25, 3), "fabricscope.fc.adisc.port_id", "N_Port_ID", hex));

template <>
inline constexpr auto layout_of<fc::Fan> = layout<fc::Fan>(
    "FAN", "FC-LS, FAN", octets(0, 24),
    field<&fc::Fan::command>(at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Fan::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Fan::reserved>(at(4), "fabricscope.fc.fan.reserved", "Reserved", hex, reserved),
    field<&fc::Fan::loop_fabric_address>(
        at(5, 3), "fabricscope.fc.fan.loop_fabric_address", "Loop Fabric Address", hex),
    field<&fc::Fan::fabric_port_name>(at(8), "fabricscope.fc.fan.fabric_port_name", "Fabric Port_Name", hex),
    field<&fc::Fan::fabric_name>(at(16), "fabricscope.fc.fan.fabric_name", "Fabric_Name", hex));

template <>
inline constexpr auto layout_of<fc::Farp> = layout<fc::Farp>(
    "FARP", "RFC 2625 5.2; FC-LS, FARP; ISO/IEC 14165-331 7.5", octets(0, 76),
    field<&fc::Farp::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Farp::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Farp::match>(
        at(4), "fabricscope.fc.farp.match", "Match Address Code Points", hex, names(fc::farp_match_names)),
    field<&fc::Farp::requesting_port_id>(
        at(5, 3), "fabricscope.fc.farp.requesting_port_id", "Requesting N_Port_ID", hex),
    field<&fc::Farp::action>(
        at(8), "fabricscope.fc.farp.action", "Responder Action", hex, names(fc::farp_action_names)),
    field<&fc::Farp::responding_port_id>(
        at(9, 3), "fabricscope.fc.farp.responding_port_id", "Responding N_Port_ID", hex),
    field<&fc::Farp::requesting_port_name>(
        at(12), "fabricscope.fc.farp.requesting_port_name", "Requesting N_Port Port_Name", hex),
    field<&fc::Farp::requesting_node_name>(
        at(20), "fabricscope.fc.farp.requesting_node_name", "Requesting N_Port Node_Name", hex),
    field<&fc::Farp::responding_port_name>(
        at(28), "fabricscope.fc.farp.responding_port_name", "Responding N_Port Port_Name", hex),
    field<&fc::Farp::responding_node_name>(
        at(36), "fabricscope.fc.farp.responding_node_name", "Responding N_Port Node_Name", hex),
    field<&fc::Farp::requesting_ip>(at(44), "fabricscope.fc.farp.requesting_ip", "Requesting N_Port IP address"),
    field<&fc::Farp::responding_ip>(at(60), "fabricscope.fc.farp.responding_ip", "Responding N_Port IP address"));

template <>
inline constexpr auto layout_of<fc::RlsRequest> = layout<fc::RlsRequest>(
    "RLS", "FC-PH 21.4.10; FC-LS, RLS", octets(0, 8),
    field<&fc::RlsRequest::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::RlsRequest::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::RlsRequest::reserved>(at(4), "fabricscope.fc.rls.reserved", "Reserved", hex, reserved),
    field<&fc::RlsRequest::port_id>(at(5, 3), "fabricscope.fc.rls.port_id", "N_Port_ID", hex));

template <>
inline constexpr auto layout_of<fc::RlsAccept> = layout<fc::RlsAccept>(
    "RLS LS_ACC", "FC-LS, RLS", octets(0, 28),
    field<&fc::RlsAccept::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::RlsAccept::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::RlsAccept::link_failures>(at(4), "fabricscope.fc.rls.link_failures", "Link Failure Count"),
    field<&fc::RlsAccept::losses_of_synchronization>(
        at(8), "fabricscope.fc.rls.losses_of_synchronization", "Loss-of-Synchronization Count"),
    field<&fc::RlsAccept::losses_of_signal>(at(12), "fabricscope.fc.rls.losses_of_signal", "Loss-of-Signal Count"),
    field<&fc::RlsAccept::primitive_sequence_errors>(
        at(16), "fabricscope.fc.rls.primitive_sequence_errors", "Primitive Sequence Protocol Error"),
    field<&fc::RlsAccept::invalid_transmission_words>(
        at(20), "fabricscope.fc.rls.invalid_transmission_words", "Invalid Transmission Word"),
    field<&fc::RlsAccept::invalid_crcs>(at(24), "fabricscope.fc.rls.invalid_crcs", "Invalid CRC Count"));

template <>
inline constexpr auto layout_of<fc::RtvAccept> = layout<fc::RtvAccept>(
    "RTV LS_ACC", "FC-LS, RTV", octets(0, 16),
    field<&fc::RtvAccept::command>(
        at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::RtvAccept::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::RtvAccept::r_a_tov>(at(4), "fabricscope.fc.rtv.r_a_tov", "R_A_TOV (ms)"),
    field<&fc::RtvAccept::e_d_tov>(at(8), "fabricscope.fc.rtv.e_d_tov", "E_D_TOV"),
    field<&fc::RtvAccept::qualifier_31_27>(
        bits(12, 0xF800'0000, 4), "fabricscope.fc.rtv.qualifier_31_27", "Reserved", hex, reserved),
    field<&fc::RtvAccept::e_d_tov_nanoseconds>(
        bits(12, 0x0400'0000, 4), "fabricscope.fc.rtv.e_d_tov_nanoseconds", "E_D_TOV in nanoseconds"),
    field<&fc::RtvAccept::qualifier_25_20>(
        bits(12, 0x03F0'0000, 4), "fabricscope.fc.rtv.qualifier_25_20", "Reserved", hex, reserved),
    field<&fc::RtvAccept::short_r_t_tov>(bits(12, 0x0008'0000, 4), "fabricscope.fc.rtv.short_r_t_tov", "Short R_T_TOV"),
    field<&fc::RtvAccept::qualifier_18_0>(
        bits(12, 0x0007'FFFF, 4), "fabricscope.fc.rtv.qualifier_18_0", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<fc::Rrq> = layout<fc::Rrq>(
    "RRQ", "FC-LS, RRQ", octets(0, 12),
    field<&fc::Rrq::command>(at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Rrq::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Rrq::reserved>(at(4), "fabricscope.fc.rrq.reserved", "Reserved", hex, reserved),
    field<&fc::Rrq::originator_s_id>(at(5, 3), "fabricscope.fc.rrq.originator_s_id", "Exchange Originator S_ID", hex),
    field<&fc::Rrq::ox_id>(at(8), "fabricscope.fc.rrq.ox_id", "OX_ID", hex),
    field<&fc::Rrq::rx_id>(at(10), "fabricscope.fc.rrq.rx_id", "RX_ID", hex));

template <>
inline constexpr auto layout_of<fc::Csu> = layout<fc::Csu>(
    "CSU", "FC-LS, CSU", octets(0, 12),
    field<&fc::Csu::command>(at(0), "fabricscope.fc.els.command", "LS_Command code", hex, names(fc::els_command_names)),
    field<&fc::Csu::zero>(at(1), "fabricscope.fc.els.zero", "Zero", reserved),
    field<&fc::Csu::clock_count>(at(4), "fabricscope.fc.csu.clock_count", "Clock count", hex));

}  // namespace fabricscope::layout

namespace fabricscope::fc {

namespace detail {

template <class V, layout::WireFormat T> void walk_els(layout::Walker<V>& w, const T& body) { w.part(body); }

template <class V> void walk_els(layout::Walker<V>& w, const OtherEls& body) {
    w.part(body.header);
    w.octets(body.content, {.label = "Content"});
}

inline constexpr std::array class_labels{"Class 1 and 6", "Class 2", "Class 3", "Class 4"};

template <class V> void walk_els(layout::Walker<V>& w, const Login& body) {
    w.part(body.header);
    std::visit([&](const auto& common) { w.part(common); }, body.common);
    w.part(body.names);
    for (std::size_t i = 0; i < body.classes.size(); ++i) w.part(body.classes[i], {.label = class_labels[i]});
    w.part(body.vendor_version);
    w.octets(body.extension, {.label = "Extension"});
}

/// PRLI, PRLO and their LS_ACCs.
template <class V, class Process>
requires requires(Process p) { p.pages; }
void walk_els(layout::Walker<V>& w, const Process& body) {
    w.part(body.header);
    w.list(body.pages);
}

}  // namespace detail

template <class Visitor> void walk(const ElsMessage& message, Visitor&& visit) {
    layout::Walker walker(visit);
    std::visit([&](const auto& body) { detail::walk_els(walker, body); }, message.body);
    walker.octets(message.padding, {.label = "Padding"});
}

}  // namespace fabricscope::fc
