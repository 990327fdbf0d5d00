// SPDX-License-Identifier: GPL-2.0-or-later
// Extended Link Services: logins, addresses, link errors, clocks (FC-PH 21.3 and 23; FC-FS; FC-LS).
//
// An LS_ACC does not say what it answers: parse_els() is told. The payloads of services that nothing here
// looks into are kept as octets.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/fc/frame_header.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fc {

enum ElsCommand : std::uint8_t {
    els_ls_rjt = 0x01,
    els_ls_acc = 0x02,
    els_plogi = 0x03,
    els_flogi = 0x04,
    els_logo = 0x05,
    els_rtv = 0x0E,
    els_rls = 0x0F,
    els_rrq = 0x12,
    els_prli = 0x20,
    els_prlo = 0x21,
    els_pdisc = 0x50,
    els_fdisc = 0x51,
    els_adisc = 0x52,
    els_farp_request = 0x54,
    els_farp_reply = 0x55,
    els_fan = 0x60,
    els_csr = 0x68,  ///< Clock Synchronization Request: send, or no longer send, updates
    els_csu = 0x69,  ///< Clock Synchronization Update: the server's clock
};
inline constexpr std::array els_command_names{
    ValueName{0x01, "LS_RJT"},     ValueName{0x02, "LS_ACC"},  ValueName{0x03, "PLOGI"}, ValueName{0x04, "FLOGI"},
    ValueName{0x05, "LOGO"},       ValueName{0x06, "ABTX"},    ValueName{0x07, "RCS"},   ValueName{0x08, "RES"},
    ValueName{0x09, "RSS"},        ValueName{0x0A, "RSI"},     ValueName{0x0E, "RTV"},   ValueName{0x0F, "RLS"},
    ValueName{0x10, "ECHO"},       ValueName{0x11, "TEST"},    ValueName{0x12, "RRQ"},   ValueName{0x13, "REC"},
    ValueName{0x14, "SRR"},        ValueName{0x20, "PRLI"},    ValueName{0x21, "PRLO"},  ValueName{0x24, "TPRLO"},
    ValueName{0x50, "PDISC"},      ValueName{0x51, "FDISC"},   ValueName{0x52, "ADISC"}, ValueName{0x54, "FARP-REQ"},
    ValueName{0x55, "FARP-REPLY"}, ValueName{0x56, "RPS"},     ValueName{0x57, "RPL"},   ValueName{0x60, "FAN"},
    ValueName{0x61, "RSCN"},       ValueName{0x62, "SCR"},     ValueName{0x63, "RNFT"},  ValueName{0x68, "CSR"},
    ValueName{0x69, "CSU"},        ValueName{0x70, "LINIT"},   ValueName{0x72, "LSTS"},  ValueName{0x78, "RNID"},
    ValueName{0x79, "RLIR"},       ValueName{0x7A, "LIRR"},    ValueName{0x7D, "RPSC"},  ValueName{0x7F, "EVFP"},
    ValueName{0x80, "LKA"},        ValueName{0x90, "AUTH_ELS"}};

/// The first word of most services.
struct ElsHeader {
    std::uint8_t command = 0;
    Bytes<3> zero;
};

// ---- LS_RJT --------------------------------------------------------------------------------------

struct LsRjt {
    std::uint8_t command = els_ls_rjt;
    Bytes<3> zero;
    std::uint8_t reserved = 0;
    std::uint8_t reason = 0;
    std::uint8_t explanation = 0;
    std::uint8_t vendor = 0;
};
inline constexpr std::array ls_rjt_reason_names{
    ValueName{0x01, "invalid LS_Command code"},
    ValueName{0x03, "logical error"},
    ValueName{0x05, "logical busy"},
    ValueName{0x07, "protocol error"},
    ValueName{0x09, "unable to perform command request"},
    ValueName{0x0B, "command not supported"},
    ValueName{0x0E, "command already in progress"},
    ValueName{0x20, "FIP error"},
    ValueName{0xFF, "vendor specific error"}};
inline constexpr std::array ls_rjt_explanation_names{
    ValueName{0x00, "no additional explanation"},
    ValueName{0x01, "service parameter error: options"},
    ValueName{0x03, "service parameter error: Initiator control"},
    ValueName{0x05, "service parameter error: Recipient control"},
    ValueName{0x07, "service parameter error: Receive Data_Field size"},
    ValueName{0x09, "service parameter error: concurrent Sequences"},
    ValueName{0x0B, "service parameter error: credit"},
    ValueName{0x0D, "invalid N_Port/F_Port_Name"},
    ValueName{0x0E, "invalid Node/Fabric Name"},
    ValueName{0x0F, "invalid common service parameters"},
    ValueName{0x11, "invalid Association_Header"},
    ValueName{0x13, "Association_Header required"},
    ValueName{0x15, "invalid Originator S_ID"},
    ValueName{0x17, "invalid OX_ID-RX_ID combination"},
    ValueName{0x19, "command already in progress"},
    ValueName{0x1E, "N_Port Login required"},
    ValueName{0x1F, "invalid N_Port_ID"},
    ValueName{0x29, "insufficient resources to support login"},
    ValueName{0x2A, "unable to supply requested data"},
    ValueName{0x2C, "request not supported"},
    ValueName{0x2D, "invalid payload length"},
    ValueName{0x44, "invalid Port/Node_Name"},
    ValueName{0x48, "authentication required"},
    ValueName{0x62, "VN2VN_Port not in Neighbor Set"}};

// ---- logins (FC-PH 23.6 and 23.7; FC-LS, service parameters) -----------------------------------------

/// Common service parameters, word 0 and the end of word 1, which all logins have alike.
struct CommonCredit {
    std::uint8_t highest_version = 0;  ///< obsolete
    std::uint8_t lowest_version = 0;   ///< obsolete
    std::uint16_t bb_credit = 0;
};
struct CommonSizes {
    std::uint8_t bb_sc_number = 0;              ///< 4 bits
    std::uint16_t receive_data_field_size = 0;  ///< 12 bits; octets
};

/// Common service parameters of PLOGI, PDISC and their LS_ACC. The bits of word 1 are 31 to 16.
struct PortServiceParameters {
    CommonCredit credit;
    /// 31. ISO/IEC 14165-331 5.6 calls this bit 30, against FC-PH, FC-FS and everybody's practice.
    bool continuously_increasing_relative_offset = false;
    bool random_relative_offset = false;           ///< 30
    bool valid_vendor_version = false;             ///< 29
    bool f_port = false;                           ///< 28
    bool alternate_bb_credit = false;              ///< 27
    bool e_d_tov_nanoseconds = false;              ///< 26, else `e_d_tov` is in milliseconds
    bool multicast = false;                        ///< 25
    bool broadcast = false;                        ///< 24
    bool hunt_group = false;                       ///< 23
    bool reserved_22 = false;                      ///< 22, dedicated simplex once
    bool security = false;                         ///< 21
    bool clock_sync_primitive = false;             ///< 20
    bool short_r_t_tov = false;                    ///< 19, 100 us instead of 100 ms
    bool dynamic_half_duplex = false;              ///< 18
    bool continuously_increasing_seq_cnt = false;  ///< 17, SEQ_CNT (S)
    bool payload_256 = false;                      ///< 16, the payload is 256 octets or more instead of 116
    CommonSizes sizes;
    std::uint16_t total_concurrent_sequences = 0;
    std::uint16_t relative_offset_categories = 0;  ///< a bit for each information category
    std::uint32_t e_d_tov = 0;
};

/// Common service parameters of FLOGI and FDISC.
struct FabricServiceRequest {
    CommonCredit credit;
    bool multiple_n_port_ids = false;  ///< 31
    bool reserved_30 = false;
    bool valid_vendor_version = false;  ///< 29
    bool f_port = false;                ///< 28
    bool alternate_bb_credit = false;   ///< 27
    std::uint8_t reserved_26_19 = 0;
    bool reserved_18 = false;
    bool reserved_17 = false;
    bool payload_256 = false;  ///< 16
    CommonSizes sizes;
    std::uint64_t reserved = 0;  ///< words 2 and 3
};

/// Common service parameters of the LS_ACC to FLOGI and FDISC.
struct FabricServiceAccept {
    CommonCredit credit;
    bool clean_address = false;  ///< 31
    bool reserved_30 = false;
    bool multiple_n_port_ids = false;  ///< 29
    bool f_port = false;               ///< 28, an N_Port answers in a point-to-point topology
    bool alternate_bb_credit = false;  ///< 27
    bool e_d_tov_nanoseconds = false;  ///< 26
    bool multicast = false;            ///< 25
    bool broadcast = false;            ///< 24
    bool hunt_group = false;           ///< 23
    bool reserved_22 = false;
    bool security = false;              ///< 21
    bool clock_sync_primitive = false;  ///< 20
    bool short_r_t_tov = false;         ///< 19
    bool dynamic_half_duplex = false;   ///< 18
    bool reserved_17 = false;
    bool payload_256 = false;  ///< 16
    CommonSizes sizes;
    std::uint32_t r_a_tov = 0;  ///< milliseconds
    std::uint32_t e_d_tov = 0;
};

struct LoginNames {
    std::uint64_t port_name = 0;
    std::uint64_t node_name = 0;  ///< of a fabric: its name
};

/// Service parameters of one class of service.
struct ClassServiceParameters {
    bool valid = false;                           ///< word 0, 31: the class is supported
    std::uint8_t obsolete_30_28 = 0;              ///< intermix, stacked connect requests
    bool sequential_delivery = false;             ///< 27
    std::uint8_t obsolete_26_24 = 0;              ///< dedicated simplex, camp-on, buffered class 1
    bool priority = false;                        ///< 23
    bool preference = false;                      ///< 22: CS_CTL's PREF may be set (FC-PH-3; FC-VI)
    std::uint8_t service_21_16 = 0;               ///< 21: differentiated services
    std::uint8_t x_id_reassignment = 0;           ///< 15-14, obsolete
    std::uint8_t initial_process_associator = 0;  ///< 13-12
    bool ack_0_initiator = false;                 ///< 11
    bool ack_n_initiator = false;                 ///< 10, obsolete
    bool ack_generation_assistance = false;       ///< 9
    std::uint8_t initiator_8_5 = 0;               ///< compression and encryption, obsolete
    bool clock_sync_els_initiator = false;        ///< 4
    std::uint8_t initiator_3_0 = 0;
    bool ack_0_recipient = false;              ///< word 1, 31
    bool ack_n_recipient = false;              ///< 30, obsolete
    bool x_id_interlock = false;               ///< 29
    std::uint8_t error_policy = 0;             ///< 28-27
    std::uint8_t recipient_26_22 = 0;          ///< reserved
    std::uint8_t categories_per_sequence = 0;  ///< 21-20: 0 one, 1 two, 3 more
    bool clock_sync_els_recipient = false;     ///< 19
    std::uint8_t recipient_18_16 = 0;
    std::uint16_t receive_data_field_size = 0;
    std::uint16_t concurrent_sequences = 0;
    std::uint16_t end_to_end_credit = 0;
    std::uint16_t open_sequences_per_exchange = 0;
    std::uint16_t class_6 = 0;  ///< multicast RX_ID
};

struct VendorVersion {
    Bytes<16> octets;
};

/// FLOGI, FDISC, PLOGI, PDISC and what accepts them: 116 octets, and more if payload_256 says so.
struct Login {
    ElsHeader header;
    std::variant<PortServiceParameters, FabricServiceRequest, FabricServiceAccept> common;
    LoginNames names;
    std::array<ClassServiceParameters, 4> classes;  ///< 1 and 6, 2, 3, 4
    VendorVersion vendor_version;
    ByteView extension;  ///< behind octet 116

    const ClassServiceParameters& of_class(int service_class) const {
        return classes.at(static_cast<std::size_t>(service_class - 1));
    }
};
inline constexpr std::size_t login_size = 116;

// ---- Process Login and Logout ------------------------------------------------------------------------

struct ProcessHeader {
    std::uint8_t command = els_prli;
    std::uint8_t page_length = 16;
    std::uint16_t payload_length = 0;  ///< octets, these four included
};
inline constexpr std::size_t process_page_size = 16;

/// Service parameter page of PRLI. What the parameters mean, TYPE's standard says.
struct PrliPage {
    std::uint8_t type = 0;
    std::uint8_t type_extension = 0;
    bool originator_process_valid = false;
    bool responder_process_valid = false;
    bool establish_image_pair = false;
    std::uint16_t reserved = 0;  ///< 13 bits
    std::uint32_t originator_process = 0;
    std::uint32_t responder_process = 0;
    std::uint32_t service_parameters = 0;
};
/// The same of its LS_ACC.
struct PrliAcceptPage {
    std::uint8_t type = 0;
    std::uint8_t type_extension = 0;
    bool originator_process_valid = false;
    bool responder_process_valid = false;
    bool image_pair_established = false;
    bool reserved_12 = false;
    std::uint8_t response = 0;  ///< 4 bits
    std::uint8_t reserved = 0;
    std::uint32_t originator_process = 0;
    std::uint32_t responder_process = 0;
    std::uint32_t service_parameters = 0;
};
inline constexpr std::array prli_response_names{
    ValueName{1, "request executed"},
    ValueName{2, "no resources for image pairs"},
    ValueName{3, "initialization not complete"},
    ValueName{4, "image does not exist"},
    ValueName{5, "image pair precluded by configuration"},
    ValueName{6, "executed conditionally"},
    ValueName{7, "unable to process multiple page request"},
    ValueName{8, "service parameters are invalid"}};

/// Logout parameter page of PRLO; of its LS_ACC with a response.
struct PrloPage {
    std::uint8_t type = 0;
    std::uint8_t type_extension = 0;
    bool originator_process_valid = false;
    bool responder_process_valid = false;
    std::uint8_t reserved_13_12 = 0;
    std::uint8_t response = 0;  ///< LS_ACC only
    std::uint8_t reserved = 0;
    std::uint32_t originator_process = 0;
    std::uint32_t responder_process = 0;
    std::uint32_t reserved_word = 0;
};

struct Prli {
    ProcessHeader header;
    layout::List<PrliPage> pages;
};
struct PrliAccept {
    ProcessHeader header;
    layout::List<PrliAcceptPage> pages;
};
struct Prlo {
    ProcessHeader header;
    layout::List<PrloPage> pages;
};

// ---- addresses -------------------------------------------------------------------------------------

struct Logo {
    std::uint8_t command = els_logo;
    Bytes<3> zero;
    std::uint8_t reserved = 0;
    std::uint32_t port_id = 0;
    std::uint64_t port_name = 0;
};

/// ADISC and its LS_ACC.
struct Adisc {
    std::uint8_t command = els_adisc;
    Bytes<3> zero;
    std::uint8_t reserved_1 = 0;
    std::uint32_t hard_address = 0;
    std::uint64_t port_name = 0;
    std::uint64_t node_name = 0;
    std::uint8_t reserved_2 = 0;
    std::uint32_t port_id = 0;
};

/// Fabric Address Notification, after a loop was initialized. Nobody answers.
struct Fan {
    std::uint8_t command = els_fan;
    Bytes<3> zero;
    std::uint8_t reserved = 0;
    std::uint32_t loop_fabric_address = 0;
    std::uint64_t fabric_port_name = 0;
    std::uint64_t fabric_name = 0;
};

/// FARP-REQ and FARP-REPLY: which N_Port has this address or name (RFC 2625 5.2; FC-LS).
struct Farp {
    std::uint8_t command = els_farp_request;
    Bytes<3> zero;
    std::uint8_t match = 0;  ///< Match Address Code Points: farp_match_...
    std::uint32_t requesting_port_id = 0;
    std::uint8_t action = 0;  ///< Responder Action: farp_...
    std::uint32_t responding_port_id = 0;
    std::uint64_t requesting_port_name = 0;
    std::uint64_t requesting_node_name = 0;
    std::uint64_t responding_port_name = 0;
    std::uint64_t responding_node_name = 0;
    Gid requesting_ip;  ///< IPv4 in the last 4 octets, the others 0
    Gid responding_ip;
};
enum FarpMatch : std::uint8_t { farp_match_port_name = 1, farp_match_node_name = 2, farp_match_ip = 4 };
enum FarpAction : std::uint8_t { farp_login = 1, farp_reply = 2 };
inline constexpr std::array farp_match_names{
    ValueName{1, "Port_Name"},
    ValueName{2, "Node_Name"},
    ValueName{3, "Port_Name and Node_Name"},
    ValueName{4, "IP address"},
    ValueName{5, "IP address and Port_Name"},
    ValueName{6, "IP address and Node_Name"},
    ValueName{7, "IP address, Port_Name and Node_Name"}};
inline constexpr std::array farp_action_names{
    ValueName{0, "none"}, ValueName{1, "log in to the requester"}, ValueName{2, "send FARP-REPLY"},
    ValueName{3, "log in and send FARP-REPLY"}};

// ---- status ----------------------------------------------------------------------------------------

struct RlsRequest {
    std::uint8_t command = els_rls;
    Bytes<3> zero;
    std::uint8_t reserved = 0;
    std::uint32_t port_id = 0;
};
/// LS_ACC to RLS: the Link Error Status Block.
struct RlsAccept {
    std::uint8_t command = els_ls_acc;
    Bytes<3> zero;
    std::uint32_t link_failures = 0;
    std::uint32_t losses_of_synchronization = 0;
    std::uint32_t losses_of_signal = 0;
    std::uint32_t primitive_sequence_errors = 0;
    std::uint32_t invalid_transmission_words = 0;
    std::uint32_t invalid_crcs = 0;
};
/// LS_ACC to RTV: the timeouts.
struct RtvAccept {
    std::uint8_t command = els_ls_acc;
    Bytes<3> zero;
    std::uint32_t r_a_tov = 0;  ///< milliseconds
    std::uint32_t e_d_tov = 0;
    std::uint8_t qualifier_31_27 = 0;
    bool e_d_tov_nanoseconds = false;  ///< else `e_d_tov` is in milliseconds
    std::uint8_t qualifier_25_20 = 0;
    bool short_r_t_tov = false;
    std::uint32_t qualifier_18_0 = 0;
};
/// Reinstate Recovery_Qualifier, after an ABTS.
struct Rrq {
    std::uint8_t command = els_rrq;
    Bytes<3> zero;
    std::uint8_t reserved = 0;
    std::uint32_t originator_s_id = 0;
    std::uint16_t ox_id = 0;
    std::uint16_t rx_id = 0;
};
/// Clock Synchronization Update.
struct Csu {
    std::uint8_t command = els_csu;
    Bytes<3> zero;
    std::uint64_t clock_count = 0;
};

/// A service that is known by name only, an LS_ACC without anything more, or CSR with its Quality of Service.
struct OtherEls {
    ElsHeader header;
    ByteView content;
};

// ---- messages --------------------------------------------------------------------------------------

struct ElsMessage {
    std::uint8_t command = 0;  ///< octet 0
    std::variant<
        OtherEls, LsRjt, Login, Prli, PrliAccept, Prlo, Logo, Adisc, Fan, Farp, RlsRequest, RlsAccept, RtvAccept, Rrq,
        Csu>
        body;
    ByteView padding;          ///< behind the last part
    layout::ParseError error;  ///< the parts before the error are filled in
};

/// Parses the payload of an ELS frame. `length` is its length on the wire; `request` is the command that an
/// LS_ACC answers.
ElsMessage parse_els(ByteView octets, std::size_t length, std::optional<std::uint8_t> request = std::nullopt);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for octets without a layout.
template <class Visitor> void walk(const ElsMessage& message, Visitor&& visit);

/// The payload as it stands on the wire.
std::vector<std::uint8_t> build(const ElsMessage& message);

}  // namespace fabricscope::fc

// ---- where the fields stand --------------------------------------------------------------------

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
