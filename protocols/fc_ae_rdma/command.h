// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA: remote direct memory access in avionics networks, by means of FCP (ISO/IEC TR 14165-314; the
// layouts are those of X3.269-1996). Here: what an FCP_CMND IU asks for. Big-endian throughout.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::fc_ae_rdma {

using layout::ValueName;

inline constexpr std::uint8_t fc_type = 0x08;  ///< FCP's

/// R_CTL of the IUs.
enum class Iu : std::uint8_t { data = 0x01, xfer_rdy = 0x05, command = 0x06, response = 0x07 };
inline constexpr std::array iu_names{
    ValueName{0x01, "FCP_DATA"}, ValueName{0x05, "FCP_XFER_RDY"}, ValueName{0x06, "FCP_CMND"},
    ValueName{0x07, "FCP_RSP"}};

// ---- word 5 of the frame header (4.2.3, figure 1) --------------------------------------------------

inline constexpr std::uint8_t code_with_notification = 0xA6;
inline constexpr std::uint8_t code_without_notification = 0xA7;
inline constexpr std::array code_names{
    ValueName{code_with_notification, "FC-AE-RDMA with Target Notification"},
    ValueName{code_without_notification, "FC-AE-RDMA without Target Notification"}};

/// The Parameter field of an FCP_CMND IU's frame header.
struct CommandParameter {
    std::uint8_t code = code_with_notification;
    std::uint32_t base_address = 0;  ///< 24 bits: octets from the start of the Logical Unit's memory region

    /// Whether the Target application is told.
    bool notifies() const { return (code & 1) == 0; }
};

/// Whether a frame header's Parameter field says that its FCP_CMND begins an FC-AE-RDMA message.
constexpr bool is_rdma(std::uint32_t parameter) { return parameter >> 25 == code_with_notification >> 1; }
CommandParameter parse_parameter(std::uint32_t parameter);
std::uint32_t build_parameter(const CommandParameter& parameter);

// ---- FCP_CMND (4.2.4.4) ----------------------------------------------------------------------------

inline constexpr std::size_t command_size = 32;

inline constexpr std::array task_attribute_names{
    ValueName{0, "SIMPLE_Q"}, ValueName{1, "HEAD_OF_Q"}, ValueName{2, "ORDERED_Q"}, ValueName{4, "ACA_Q"},
    ValueName{5, "UNTAGGED"}};

/// FCP_LUN: hex '00 xx 00 00 00 00 00 00'.
struct Lun {
    std::uint8_t address_method = 0;  ///< octet 0, shall be 0
    std::uint8_t number = 0;          ///< the Logical Unit: a memory region
    Bytes<6> lower_levels;            ///< shall be 0

    bool is_well_formed() const { return address_method == 0 && lower_levels == Bytes<6>{}; }
};

/// FCP_CNTL
struct Control {
    std::uint8_t reserved0 = 0;
    std::uint8_t reserved1 = 0;
    std::uint8_t task_attribute = 0;
    bool terminate_task = false;
    bool clear_aca = false;
    bool target_reset = false;
    std::uint8_t reserved2 = 0;  ///< 2 bits
    bool clear_task_set = false;
    bool abort_task_set = false;
    bool reserved3 = false;
    std::uint8_t reserved4 = 0;
    bool read_data = false;   ///< the Initiator reads
    bool write_data = false;  ///< the Initiator writes

    bool manages_tasks() const {
        return terminate_task || clear_aca || target_reset || clear_task_set || abort_task_set;
    }
};

/// Where parts of an FCP_CMND end: an IU that is shorter does not have them.
inline constexpr std::size_t lun_number_end = 2, lun_end = 8, control_end = 12;

struct Command {
    Lun lun;
    Control control;
    Bytes<16> cdb;                  ///< not defined by FC-AE-RDMA
    std::uint32_t data_length = 0;  ///< FCP_DL: octets in all FCP_DATA IUs
};

}  // namespace fabricscope::fc_ae_rdma

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc_ae_rdma::CommandParameter> = layout<fc_ae_rdma::CommandParameter>(
    "Parameter", "ISO/IEC TR 14165-314, 4.2.3", octets(20, 24),
    field<&fc_ae_rdma::CommandParameter::code>(at(20), "fcaerdma.code", "Code", hex, names(fc_ae_rdma::code_names)),
    field<&fc_ae_rdma::CommandParameter::base_address>(at(21, 3), "fcaerdma.base_address", "Base Address", hex));

template <>
inline constexpr auto layout_of<fc_ae_rdma::Command> = layout<fc_ae_rdma::Command>(
    "FCP_CMND", "ISO/IEC TR 14165-314, 4.2.4.4", octets(0, 32),
    field<&fc_ae_rdma::Command::lun, &fc_ae_rdma::Lun::address_method>(
        at(0), "fcaerdma.lun.method", "LUN addressing (zero)", hex, clause("ISO/IEC TR 14165-314, 4.2.2")),
    field<&fc_ae_rdma::Command::lun, &fc_ae_rdma::Lun::number>(
        at(1), "fcaerdma.lun", "Logical Unit", clause("ISO/IEC TR 14165-314, 4.2.2")),
    field<&fc_ae_rdma::Command::lun, &fc_ae_rdma::Lun::lower_levels>(
        at(2), "fcaerdma.lun.lower", "LUN lower levels (zero)", clause("ISO/IEC TR 14165-314, 4.2.2")),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::reserved0>(
        at(8), "fcaerdma.cntl.reserved", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::reserved1>(
        bits(9, 0xF8), "fcaerdma.cntl.reserved", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::task_attribute>(
        bits(9, 0x07), "fcaerdma.cntl.task_attribute", "Task Attribute", names(fc_ae_rdma::task_attribute_names)),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::terminate_task>(
        bits(10, 0x80), "fcaerdma.cntl.terminate_task", "Terminate Task"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::clear_aca>(
        bits(10, 0x40), "fcaerdma.cntl.clear_aca", "Clear ACA"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::target_reset>(
        bits(10, 0x20), "fcaerdma.cntl.target_reset", "Target Reset"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::reserved2>(
        bits(10, 0x18), "fcaerdma.cntl.reserved", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::clear_task_set>(
        bits(10, 0x04), "fcaerdma.cntl.clear_task_set", "Clear Task Set"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::abort_task_set>(
        bits(10, 0x02), "fcaerdma.cntl.abort_task_set", "Abort Task Set"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::reserved3>(
        bits(10, 0x01), "fcaerdma.cntl.reserved_bit", "Reserved", reserved),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::reserved4>(
        bits(11, 0xFC), "fcaerdma.cntl.reserved", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::read_data>(
        bits(11, 0x02), "fcaerdma.cntl.read_data", "Read Data"),
    field<&fc_ae_rdma::Command::control, &fc_ae_rdma::Control::write_data>(
        bits(11, 0x01), "fcaerdma.cntl.write_data", "Write Data"),
    field<&fc_ae_rdma::Command::cdb>(at(12), "fcaerdma.cdb", "Command Descriptor Block (not defined)"),
    field<&fc_ae_rdma::Command::data_length>(at(28), "fcaerdma.data_length", "Data Length (FCP_DL)"));

}  // namespace fabricscope::layout
