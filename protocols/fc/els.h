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

#include "protocols/fc/els_layout.h"
