// SPDX-License-Identifier: GPL-2.0-or-later
// The Fibre Channel Frame_Header (FC-PH clause 18; FC-FS, FC-2 frame format), F_CTL bit by bit, and
// the values of its fields. All fields are big-endian.
//
// Our filter names begin with "fabricscope.fc.", so that none is ever taken for one of Wireshark's own
// (fc.*, fcels.*, fcct.*), which stay what they are.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "protocols/layout/layout.h"

namespace fabricscope::fc {

using layout::ValueName;

// ---- addresses -----------------------------------------------------------------------------------

/// N_Port_IDs are 24-bit numbers, held in the low bits of a uint32_t.
inline constexpr std::uint32_t port_id_mask = 0xFF'FFFF;

enum WellKnownAddress : std::uint32_t {
    unidentified = 0x00'0000,  ///< S_ID of a port that has no address yet
    multicast_server = 0xFF'FFF5,
    clock_sync_server = 0xFF'FFF6,
    key_server = 0xFF'FFF7,
    alias_server = 0xFF'FFF8,
    qos_facilitator = 0xFF'FFF9,
    management_server = 0xFF'FFFA,
    time_server = 0xFF'FFFB,
    directory_server = 0xFF'FFFC,  ///< the Name Server
    fabric_controller = 0xFF'FFFD,
    f_port_server = 0xFF'FFFE,  ///< where FLOGI goes
    broadcast = 0xFF'FFFF,
};
inline constexpr std::array address_names{
    ValueName{multicast_server, "Multicast Server"},
    ValueName{clock_sync_server, "Clock Synchronization Server"},
    ValueName{key_server, "Security Key Server"},
    ValueName{alias_server, "Alias Server"},
    ValueName{qos_facilitator, "QoS Facilitator"},
    ValueName{management_server, "Management Server"},
    ValueName{time_server, "Time Server"},
    ValueName{directory_server, "Directory Server"},
    ValueName{fabric_controller, "Fabric Controller"},
    ValueName{f_port_server, "F_Port Server"},
    ValueName{broadcast, "Broadcast"}};

/// "01.02.03", as Wireshark writes it
std::string port_id_text(std::uint32_t port_id);
/// A 64-bit name: "20:00:00:00:5e:00:53:14"
std::string name_text(std::uint64_t name);

// ---- R_CTL and TYPE --------------------------------------------------------------------------------

/// The upper half of R_CTL.
enum class Routing : std::uint8_t {
    device_data = 0x0,
    extended_link_data = 0x2,
    fc4_link_data = 0x3,
    video_data = 0x4,
    extended_header = 0x5,
    basic_link_data = 0x8,
    link_control = 0xC,
};
constexpr Routing routing_of(std::uint8_t r_ctl) { return static_cast<Routing>(r_ctl >> 4); }

/// The lower half of R_CTL, of data.
enum class Category : std::uint8_t {
    uncategorized = 0,
    solicited_data = 1,
    unsolicited_control = 2,
    solicited_control = 3,
    unsolicited_data = 4,
    data_descriptor = 5,
    unsolicited_command = 6,
    command_status = 7,
};
constexpr Category category_of(std::uint8_t r_ctl) { return static_cast<Category>(r_ctl & 0x0F); }

/// Values of R_CTL that mean one thing only.
enum RCtl : std::uint8_t {
    r_ctl_els_request = 0x22,
    r_ctl_els_reply = 0x23,
    r_ctl_vft_header = 0x50,
    r_ctl_ifr_header = 0x51,
    r_ctl_enc_header = 0x52,
    r_ctl_nop = 0x80,
    r_ctl_abts = 0x81,
    r_ctl_ba_acc = 0x84,
    r_ctl_ba_rjt = 0x85,
    r_ctl_ack_1 = 0xC0,
    r_ctl_ack_0 = 0xC1,
    r_ctl_p_rjt = 0xC2,
    r_ctl_f_rjt = 0xC3,
    r_ctl_p_bsy = 0xC4,
    r_ctl_f_bsy_data = 0xC5,
    r_ctl_f_bsy_link_control = 0xC6,
    r_ctl_lcr = 0xC7,
    r_ctl_notify = 0xC8,
    r_ctl_end = 0xC9,
};
inline constexpr std::array r_ctl_names{
    ValueName{0x00, "uncategorized information"},
    ValueName{0x01, "solicited data"},
    ValueName{0x02, "unsolicited control"},
    ValueName{0x03, "solicited control"},
    ValueName{0x04, "unsolicited data"},
    ValueName{0x05, "data descriptor"},
    ValueName{0x06, "unsolicited command"},
    ValueName{0x07, "command status"},
    ValueName{r_ctl_els_request, "ELS request"},
    ValueName{r_ctl_els_reply, "ELS reply"},
    ValueName{0x32, "FC-4 link service request"},
    ValueName{0x33, "FC-4 link service reply"},
    ValueName{r_ctl_vft_header, "VFT_Header"},
    ValueName{r_ctl_ifr_header, "IFR_Header"},
    ValueName{r_ctl_enc_header, "Enc_Header"},
    ValueName{r_ctl_nop, "NOP"},
    ValueName{r_ctl_abts, "ABTS"},
    ValueName{0x82, "RMC"},
    ValueName{r_ctl_ba_acc, "BA_ACC"},
    ValueName{r_ctl_ba_rjt, "BA_RJT"},
    ValueName{0x86, "PRMT"},
    ValueName{r_ctl_ack_1, "ACK_1"},
    ValueName{r_ctl_ack_0, "ACK_0"},
    ValueName{r_ctl_p_rjt, "P_RJT"},
    ValueName{r_ctl_f_rjt, "F_RJT"},
    ValueName{r_ctl_p_bsy, "P_BSY"},
    ValueName{r_ctl_f_bsy_data, "F_BSY (data frame)"},
    ValueName{r_ctl_f_bsy_link_control, "F_BSY (link control frame)"},
    ValueName{r_ctl_lcr, "LCR"},
    ValueName{r_ctl_notify, "NTY"},
    ValueName{r_ctl_end, "END"}};

enum Type : std::uint8_t {
    type_bls = 0x00,
    type_els = 0x01,
    type_ip = 0x05,
    type_fcp = 0x08,
    type_ct = 0x20,
    type_fcvi = 0x58,
};
inline constexpr std::array type_names{
    ValueName{type_bls, "Basic Link Services"},
    ValueName{type_els, "Extended Link Services"},
    ValueName{0x04, "ISO/IEC 8802-2 LLC/SNAP"},
    ValueName{type_ip, "IP"},
    ValueName{type_fcp, "FCP"},
    ValueName{0x1B, "FC-SB to control unit"},
    ValueName{0x1C, "FC-SB to channel"},
    ValueName{type_ct, "FC-CT"},
    ValueName{0x22, "Switch Internal Link Services"},
    ValueName{0x28, "FC-NVMe"},
    ValueName{type_fcvi, "FC-VI"}};

// ---- F_CTL ---------------------------------------------------------------------------------------

enum class AckForm : std::uint8_t { none = 0, ack_1 = 1, reserved = 2, ack_0 = 3 };
inline constexpr std::array ack_form_names{
    ValueName{0, "no assistance"}, ValueName{1, "ACK_1 required"}, ValueName{2, "reserved"},
    ValueName{3, "ACK_0 required"}};
inline constexpr std::array continue_sequence_names{
    ValueName{0, "no information"}, ValueName{1, "next Sequence immediately"}, ValueName{2, "next Sequence soon"},
    ValueName{3, "next Sequence delayed"}};
/// In the first data frame of an Exchange the Originator's error policy; in an ACK what the recipient wants.
inline constexpr std::array abort_sequence_names{
    ValueName{0, "discard multiple Sequences (ACK: continue)"}, ValueName{1, "discard a single Sequence (ACK: abort)"},
    ValueName{2, "process with infinite buffers (ACK: stop)"},
    ValueName{3, "discard multiple Sequences, retransmit (ACK: retransmission requested)"}};

/// Frame control, bits 23 to 0 of word 2 (FC-PH 18.5).
struct FCtl {
    bool exchange_responder = false;       ///< 23, Exchange Context: sent by the Responder of the Exchange
    bool sequence_recipient = false;       ///< 22, Sequence Context: sent by the Recipient of the Sequence
    bool first_sequence = false;           ///< 21
    bool last_sequence = false;            ///< 20
    bool end_sequence = false;             ///< 19, the last data frame of the Sequence
    bool end_connection = false;           ///< 18, class 1 (obsolete)
    bool priority_enable = false;          ///< 17, word 1's first octet is Priority instead of CS_CTL
    bool sequence_initiative = false;      ///< 16, transferred; means something together with end_sequence
    bool x_id_reassigned = false;          ///< 15, obsolete
    bool invalidate_x_id = false;          ///< 14, obsolete
    AckForm ack_form = AckForm::none;      ///< 13-12
    bool data_compression = false;         ///< 11, obsolete
    bool data_encryption = false;          ///< 10, obsolete
    bool retransmitted_sequence = false;   ///< 9
    bool unidirectional = false;           ///< 8, class 1 (obsolete)
    std::uint8_t continue_sequence = 0;    ///< 7-6
    std::uint8_t abort_sequence = 0;       ///< 5-4
    bool relative_offset_present = false;  ///< 3, Parameter is the Relative Offset of the payload
    bool exchange_reassembly = false;      ///< 2
    std::uint8_t fill_bytes = 0;           ///< 1-0, how many octets at the payload's end are none of it
    bool operator==(const FCtl&) const = default;
};

// ---- DF_CTL --------------------------------------------------------------------------------------

/// Which optional headers follow, in this order (FC-PH 18.7 and 19; FC-FS for ESP).
struct DfCtl {
    bool reserved_7 = false;
    bool esp_header = false;  ///< what follows it is protected by it
    bool network_header = false;
    bool association_header = false;
    std::uint8_t reserved_3_2 = 0;
    std::uint8_t device_header = 0;  ///< code, see device_header_octets
    bool operator==(const DfCtl&) const = default;

    /// 0, 16, 32 or 64
    constexpr std::size_t device_header_octets() const {
        return device_header == 0 ? 0 : std::size_t{8} << device_header;
    }
    /// The code for a Device_Header of `octets`, which must be 0, 16, 32 or 64.
    static constexpr std::uint8_t device_header_code(std::size_t octets) {
        return static_cast<std::uint8_t>(octets == 64 ? 3 : octets / 16);
    }
};
inline constexpr std::array device_header_names{
    ValueName{0, "none"}, ValueName{1, "16 octets"}, ValueName{2, "32 octets"}, ValueName{3, "64 octets"}};

// ---- the header ------------------------------------------------------------------------------------

inline constexpr std::uint16_t unassigned_x_id = 0xFFFF;

struct FrameHeader {
    std::uint8_t r_ctl = 0;
    std::uint32_t d_id = 0;          ///< 24 bits
    bool preference = false;         ///< PREF (FC-PH-2 18.4); with priority_enable: the Priority's first bit
    std::uint8_t class_control = 0;  ///< the other 7 bits of CS_CTL or Priority
    std::uint32_t s_id = 0;          ///< 24 bits
    std::uint8_t type = 0;
    FCtl f_ctl;
    std::uint8_t seq_id = 0;
    DfCtl df_ctl;
    std::uint16_t seq_cnt = 0;
    std::uint16_t ox_id = 0;
    std::uint16_t rx_id = unassigned_x_id;
    std::uint32_t parameter = 0;  ///< Relative Offset, or what the kind of frame says
    bool operator==(const FrameHeader&) const = default;

    constexpr std::uint8_t cs_ctl() const { return static_cast<std::uint8_t>((preference ? 0x80 : 0) | class_control); }
    constexpr bool is_link_control() const { return routing_of(r_ctl) == Routing::link_control; }
    constexpr bool is_basic_link_service() const { return routing_of(r_ctl) == Routing::basic_link_data; }
    constexpr bool is_els() const { return type == type_els && routing_of(r_ctl) == Routing::extended_link_data; }
    /// A frame of an Information Unit: counted by SEQ_CNT, part of a Sequence.
    constexpr bool is_data() const { return !is_link_control() && !is_basic_link_service(); }
};

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::FrameHeader> = layout<fc::FrameHeader>(
    "Frame_Header", "FC-PH 18; FC-FS, Frame_Header", octets(0, 24),
    field<&fc::FrameHeader::r_ctl>(at(0), "fabricscope.fc.r_ctl", "R_CTL", hex, names(fc::r_ctl_names)),
    field<&fc::FrameHeader::d_id>(at(1, 3), "fabricscope.fc.d_id", "D_ID", hex, names(fc::address_names)),
    field<&fc::FrameHeader::preference>(
        bits(4, 0x80), "fabricscope.fc.cs_ctl.preference", "Preference (PREF)", clause("FC-PH-2 18.4")),
    field<&fc::FrameHeader::class_control>(bits(4, 0x7F), "fabricscope.fc.cs_ctl", "CS_CTL or Priority", hex),
    field<&fc::FrameHeader::s_id>(at(5, 3), "fabricscope.fc.s_id", "S_ID", hex, names(fc::address_names)),
    field<&fc::FrameHeader::type>(at(8), "fabricscope.fc.type", "TYPE", hex, names(fc::type_names)),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::exchange_responder>(
        bits(9, 0x80'0000, 3), "fabricscope.fc.f_ctl.exchange_responder", "Exchange Context: Responder"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::sequence_recipient>(
        bits(9, 0x40'0000, 3), "fabricscope.fc.f_ctl.sequence_recipient", "Sequence Context: Recipient"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::first_sequence>(
        bits(9, 0x20'0000, 3), "fabricscope.fc.f_ctl.first_sequence", "First_Sequence"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::last_sequence>(
        bits(9, 0x10'0000, 3), "fabricscope.fc.f_ctl.last_sequence", "Last_Sequence"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::end_sequence>(
        bits(9, 0x08'0000, 3), "fabricscope.fc.f_ctl.end_sequence", "End_Sequence"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::end_connection>(
        bits(9, 0x04'0000, 3), "fabricscope.fc.f_ctl.end_connection", "End_Connection (class 1)"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::priority_enable>(
        bits(9, 0x02'0000, 3), "fabricscope.fc.f_ctl.priority_enable", "CS_CTL/Priority enable"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::sequence_initiative>(
        bits(9, 0x01'0000, 3), "fabricscope.fc.f_ctl.sequence_initiative", "Sequence Initiative transferred"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::x_id_reassigned>(
        bits(9, 0x00'8000, 3), "fabricscope.fc.f_ctl.x_id_reassigned", "X_ID reassigned"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::invalidate_x_id>(
        bits(9, 0x00'4000, 3), "fabricscope.fc.f_ctl.invalidate_x_id", "Invalidate X_ID"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::ack_form>(
        bits(9, 0x00'3000, 3), "fabricscope.fc.f_ctl.ack_form", "ACK_Form", names(fc::ack_form_names)),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::data_compression>(
        bits(9, 0x00'0800, 3), "fabricscope.fc.f_ctl.data_compression", "Data compression"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::data_encryption>(
        bits(9, 0x00'0400, 3), "fabricscope.fc.f_ctl.data_encryption", "Data encryption"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::retransmitted_sequence>(
        bits(9, 0x00'0200, 3), "fabricscope.fc.f_ctl.retransmitted_sequence", "Retransmitted Sequence"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::unidirectional>(
        bits(9, 0x00'0100, 3), "fabricscope.fc.f_ctl.unidirectional", "Unidirectional transmit (class 1)"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::continue_sequence>(
        bits(9, 0x00'00C0, 3), "fabricscope.fc.f_ctl.continue_sequence", "Continue Sequence Condition",
        names(fc::continue_sequence_names)),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::abort_sequence>(
        bits(9, 0x00'0030, 3), "fabricscope.fc.f_ctl.abort_sequence", "Abort Sequence Condition",
        names(fc::abort_sequence_names)),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::relative_offset_present>(
        bits(9, 0x00'0008, 3), "fabricscope.fc.f_ctl.relative_offset_present", "Relative Offset present"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::exchange_reassembly>(
        bits(9, 0x00'0004, 3), "fabricscope.fc.f_ctl.exchange_reassembly", "Exchange reassembly"),
    field<&fc::FrameHeader::f_ctl, &fc::FCtl::fill_bytes>(
        bits(9, 0x00'0003, 3), "fabricscope.fc.f_ctl.fill_bytes", "Fill data bytes"),
    field<&fc::FrameHeader::seq_id>(at(12), "fabricscope.fc.seq_id", "SEQ_ID", hex),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::reserved_7>(
        bits(13, 0x80), "fabricscope.fc.df_ctl.reserved_7", "Reserved", reserved),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::esp_header>(
        bits(13, 0x40), "fabricscope.fc.df_ctl.esp_header", "ESP_Header"),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::network_header>(
        bits(13, 0x20), "fabricscope.fc.df_ctl.network_header", "Network_Header"),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::association_header>(
        bits(13, 0x10), "fabricscope.fc.df_ctl.association_header", "Association_Header"),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::reserved_3_2>(
        bits(13, 0x0C), "fabricscope.fc.df_ctl.reserved_3_2", "Reserved", hex, reserved),
    field<&fc::FrameHeader::df_ctl, &fc::DfCtl::device_header>(
        bits(13, 0x03), "fabricscope.fc.df_ctl.device_header", "Device_Header", names(fc::device_header_names)),
    field<&fc::FrameHeader::seq_cnt>(at(14), "fabricscope.fc.seq_cnt", "SEQ_CNT"),
    field<&fc::FrameHeader::ox_id>(at(16), "fabricscope.fc.ox_id", "OX_ID", hex),
    field<&fc::FrameHeader::rx_id>(at(18), "fabricscope.fc.rx_id", "RX_ID", hex),
    field<&fc::FrameHeader::parameter>(at(20), "fabricscope.fc.parameter", "Parameter", hex));

}  // namespace fabricscope::layout
