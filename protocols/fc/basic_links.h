// SPDX-License-Identifier: GPL-2.0-or-later
// Frames that are no data: Basic Link Services (FC-PH 21.2) and link control (FC-PH 20.3). Most of them say
// what they say in the Frame_Header; its Parameter is read with parameter_as<>().
#pragma once

#include "protocols/fc/frame_header.h"

namespace fabricscope::fc {

// ---- Basic Link Services -----------------------------------------------------------------------------

/// ABTS: bit 0 of Parameter chooses what is aborted (FC-FS-2; before, always the Sequence by procedure).
inline constexpr std::uint32_t abts_sequence_only = 1;

/// Payload of BA_ACC to ABTS.
struct BaAcc {
    std::uint8_t seq_id_validity = 0;  ///< 80h: `seq_id` is valid
    std::uint8_t seq_id = 0;           ///< the last deliverable Sequence
    std::uint16_t reserved = 0;
    std::uint16_t ox_id = 0;  ///< of the aborted Sequence or Exchange
    std::uint16_t rx_id = 0;
    std::uint16_t low_seq_cnt = 0;  ///< with `high_seq_cnt`, the frames that are given up: Recovery_Qualifier
    std::uint16_t high_seq_cnt = 0;
};
inline constexpr std::array seq_id_validity_names{ValueName{0x00, "invalid"}, ValueName{0x80, "valid"}};

/// Payload of BA_RJT.
struct BaRjt {
    std::uint8_t reserved = 0;
    std::uint8_t reason = 0;
    std::uint8_t explanation = 0;
    std::uint8_t vendor = 0;
};
inline constexpr std::array ba_rjt_reason_names{
    ValueName{0x01, "invalid command code"},
    ValueName{0x03, "logical error"},
    ValueName{0x05, "logical busy"},
    ValueName{0x07, "protocol error"},
    ValueName{0x09, "unable to perform command requested"},
    ValueName{0xFF, "vendor specific"}};
inline constexpr std::array ba_rjt_explanation_names{
    ValueName{0x00, "no additional explanation"}, ValueName{0x03, "invalid OX_ID-RX_ID combination"},
    ValueName{0x05, "Sequence aborted, no Sequence information provided"}};

// ---- link control ----------------------------------------------------------------------------------

/// Parameter of ACK_0 and ACK_1.
struct AckParameter {
    std::uint16_t reserved = 0;  ///< 15 bits
    bool history = false;        ///< not all earlier ACKs of the Sequence have been sent
    std::uint16_t count = 0;     ///< data frames acknowledged: 1 in ACK_1, 0 (all of the Sequence) in ACK_0
};

/// Parameter of P_RJT and F_RJT.
struct RejectParameter {
    std::uint8_t action = 0;
    std::uint8_t reason = 0;
    std::uint8_t reserved = 0;
    std::uint8_t vendor = 0;
};
inline constexpr std::array reject_action_names{ValueName{1, "may be retried"}, ValueName{2, "not to be retried"}};
inline constexpr std::array reject_reason_names{
    ValueName{0x01, "invalid D_ID"},
    ValueName{0x02, "invalid S_ID"},
    ValueName{0x03, "N_Port not available, temporarily"},
    ValueName{0x04, "N_Port not available, permanently"},
    ValueName{0x05, "class not supported"},
    ValueName{0x06, "delimiter usage error"},
    ValueName{0x07, "TYPE not supported"},
    ValueName{0x08, "invalid link control"},
    ValueName{0x09, "invalid R_CTL field"},
    ValueName{0x0A, "invalid F_CTL field"},
    ValueName{0x0B, "invalid OX_ID"},
    ValueName{0x0C, "invalid RX_ID"},
    ValueName{0x0D, "invalid SEQ_ID"},
    ValueName{0x0E, "invalid DF_CTL"},
    ValueName{0x0F, "invalid SEQ_CNT"},
    ValueName{0x10, "invalid Parameter field"},
    ValueName{0x11, "Exchange error"},
    ValueName{0x12, "protocol error"},
    ValueName{0x13, "incorrect length"},
    ValueName{0x14, "unexpected ACK"},
    ValueName{0x15, "class not supported by entity at FF FF FE"},
    ValueName{0x16, "login required"},
    ValueName{0x17, "excessive Sequences attempted"},
    ValueName{0x18, "unable to establish Exchange"},
    ValueName{0x1A, "fabric path not available"},
    ValueName{0x1B, "invalid VC_ID"},
    ValueName{0x1C, "invalid CS_CTL field"},
    ValueName{0x1D, "insufficient resources for VC"},
    ValueName{0x1F, "invalid class of service"},
    ValueName{0x20, "preemption request rejected"},
    ValueName{0x21, "preemption not enabled"},
    ValueName{0x22, "multicast error"},
    ValueName{0x23, "multicast error terminate"},
    ValueName{0x24, "Process Login required"},
    ValueName{0x25, "invalid attachment"},
    ValueName{0xFF, "vendor specific"}};

/// Parameter of P_BSY.
struct BusyParameter {
    std::uint8_t action = 0;
    std::uint8_t reason = 0;
    std::uint8_t reserved = 0;
    std::uint8_t vendor = 0;
};
inline constexpr std::array busy_action_names{
    ValueName{1, "Sequence terminated, Exchange stopped"}, ValueName{2, "Sequence remains active"}};
inline constexpr std::array busy_reason_names{
    ValueName{0x01, "physical N_Port busy"}, ValueName{0x03, "N_Port resource busy"},
    ValueName{0x07, "partial multicast busy"}, ValueName{0xFF, "vendor specific"}};

/// F_BSY says why in TYPE: its upper half is the reason; the lower half is that of the R_CTL of the link
/// control frame that found the fabric busy.
constexpr std::uint8_t fabric_busy_reason(const FrameHeader& header) { return header.type >> 4; }
inline constexpr std::array fabric_busy_reason_names{ValueName{1, "fabric busy"}, ValueName{3, "N_Port busy"}};

/// The Parameter of a link control frame, taken apart.
template <layout::WireFormat T> constexpr T parameter_as(const FrameHeader& header) {
    std::array<std::uint8_t, 4> octets{
        static_cast<std::uint8_t>(header.parameter >> 24), static_cast<std::uint8_t>(header.parameter >> 16),
        static_cast<std::uint8_t>(header.parameter >> 8), static_cast<std::uint8_t>(header.parameter)};
    T parameter;
    layout::parse_into(parameter, octets);
    return parameter;
}
/// The other way round.
template <layout::WireFormat T> constexpr std::uint32_t to_parameter(const T& parameter) {
    std::array<std::uint8_t, 4> octets{};
    layout::build_into(parameter, std::span<std::uint8_t>(octets));
    return static_cast<std::uint32_t>(octets[0]) << 24 | static_cast<std::uint32_t>(octets[1]) << 16 |
           static_cast<std::uint32_t>(octets[2]) << 8 | octets[3];
}

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::BaAcc> = layout<fc::BaAcc>(
    "BA_ACC", "FC-PH 21.2.2; FC-FS, ABTS", octets(0, 12),
    field<&fc::BaAcc::seq_id_validity>(
        at(0), "fabricscope.fc.ba_acc.seq_id_validity", "SEQ_ID validity", hex, names(fc::seq_id_validity_names)),
    field<&fc::BaAcc::seq_id>(at(1), "fabricscope.fc.ba_acc.seq_id", "Last deliverable SEQ_ID", hex),
    field<&fc::BaAcc::reserved>(at(2), "fabricscope.fc.ba_acc.reserved", "Reserved", hex, reserved),
    field<&fc::BaAcc::ox_id>(at(4), "fabricscope.fc.ba_acc.ox_id", "OX_ID", hex),
    field<&fc::BaAcc::rx_id>(at(6), "fabricscope.fc.ba_acc.rx_id", "RX_ID", hex),
    field<&fc::BaAcc::low_seq_cnt>(at(8), "fabricscope.fc.ba_acc.low_seq_cnt", "Low SEQ_CNT"),
    field<&fc::BaAcc::high_seq_cnt>(at(10), "fabricscope.fc.ba_acc.high_seq_cnt", "High SEQ_CNT"));

template <>
inline constexpr auto layout_of<fc::BaRjt> = layout<fc::BaRjt>(
    "BA_RJT", "FC-PH 21.2.4; FC-FS, BA_RJT", octets(0, 4),
    field<&fc::BaRjt::reserved>(at(0), "fabricscope.fc.ba_rjt.reserved", "Reserved", hex, reserved),
    field<&fc::BaRjt::reason>(
        at(1), "fabricscope.fc.ba_rjt.reason", "Reason code", hex, names(fc::ba_rjt_reason_names)),
    field<&fc::BaRjt::explanation>(
        at(2), "fabricscope.fc.ba_rjt.explanation", "Reason explanation", hex, names(fc::ba_rjt_explanation_names)),
    field<&fc::BaRjt::vendor>(at(3), "fabricscope.fc.ba_rjt.vendor", "Vendor specific", hex));

template <>
inline constexpr auto layout_of<fc::AckParameter> = layout<fc::AckParameter>(
    "ACK Parameter", "FC-PH 20.3.2; FC-FS, ACK", octets(0, 4),
    field<&fc::AckParameter::reserved>(bits(0, 0xFFFE, 2), "fabricscope.fc.ack.reserved", "Reserved", hex, reserved),
    field<&fc::AckParameter::history>(bits(0, 0x0001, 2), "fabricscope.fc.ack.history", "History"),
    field<&fc::AckParameter::count>(at(2), "fabricscope.fc.ack.count", "Data frames acknowledged"));

template <>
inline constexpr auto layout_of<fc::RejectParameter> = layout<fc::RejectParameter>(
    "P_RJT, F_RJT Parameter", "FC-PH 20.3.3.3; FC-FS, P_RJT, F_RJT", octets(0, 4),
    field<&fc::RejectParameter::action>(
        at(0), "fabricscope.fc.rjt.action", "Action code", hex, names(fc::reject_action_names)),
    field<&fc::RejectParameter::reason>(
        at(1), "fabricscope.fc.rjt.reason", "Reason code", hex, names(fc::reject_reason_names)),
    field<&fc::RejectParameter::reserved>(at(2), "fabricscope.fc.rjt.reserved", "Reserved", hex, reserved),
    field<&fc::RejectParameter::vendor>(at(3), "fabricscope.fc.rjt.vendor", "Vendor specific", hex));

template <>
inline constexpr auto layout_of<fc::BusyParameter> = layout<fc::BusyParameter>(
    "P_BSY Parameter", "FC-PH 20.3.3.2; FC-FS, P_BSY", octets(0, 4),
    field<&fc::BusyParameter::action>(
        at(0), "fabricscope.fc.bsy.action", "Action code", hex, names(fc::busy_action_names)),
    field<&fc::BusyParameter::reason>(
        at(1), "fabricscope.fc.bsy.reason", "Reason code", hex, names(fc::busy_reason_names)),
    field<&fc::BusyParameter::reserved>(at(2), "fabricscope.fc.bsy.reserved", "Reserved", hex, reserved),
    field<&fc::BusyParameter::vendor>(at(3), "fabricscope.fc.bsy.vendor", "Vendor specific", hex));

}  // namespace fabricscope::layout
