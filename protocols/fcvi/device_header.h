// SPDX-License-Identifier: GPL-2.0-or-later
// The Device_Header that every FC-VI frame carries (ISO/IEC 14165-331, 5.9; revision 1.0, 5.7): a chain of
// three parts. The head's flags depend on the IU and the version, the parameter on the flags, and the last
// part is there in the 32-octet form only. Big-endian throughout.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/fcvi/names.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fcvi {

inline constexpr std::size_t short_device_header = 16;
inline constexpr std::size_t long_device_header = 32;

// ---- words 0 to 2 --------------------------------------------------------------------------------

/// What all heads have.
struct Head {
    std::uint32_t handle = unassigned_handle;  ///< the receiver's, as it announced it
    std::uint8_t opcode = 0;
    std::uint16_t reserved = 0;
    std::uint32_t msg_id = 0;
    std::uint8_t reserved_flags = 0;
};

/// An opcode that the version does not have.
struct UnknownHead : Head {
    std::uint8_t flags = 0;
};

struct MessageRequestFlags {
    bool imm_data = false;  ///< the parameter is Immediate Data
};
struct MessageRequestHead : Head, MessageRequestFlags {};
struct MessageRequestHeadRev10 : Head, MessageRequestFlags {};

struct MessageResponseHead : Head {
    bool trans_err = false;
    bool prot_err = false;
    bool desc_err = false;
    bool resp_err = false;  ///< the Message failed; the bits above say why
};

struct ConnectRequestHead : Head {
    bool retry = false;
    bool conn_info = false;  ///< 256 octets of Connect Info end the payload
    std::uint8_t mode = static_cast<std::uint8_t>(ConnectMode::client_server);
};
/// Also that of FCVI_DISCONNECT_RQST.
struct ConnectRequestHeadRev10 : Head {
    std::uint8_t mode = static_cast<std::uint8_t>(ConnectMode::client_server);
};

struct ConnectResponseHead : Head {
    bool retry = false;
    bool conn_info = false;
    bool conn_sts = false;  ///< the parameter tells a status
};
/// Also that of FCVI_DISCONNECT_RESP.
struct ConnectResponseHeadRev10 : Head {
    bool conn_err = false;  ///< the parameter tells a reason
};

/// Both Disconnect IUs of ISO.
struct DisconnectHead : Head {
    bool conn_setup_abort = false;  ///< a setup is aborted, not an established connection
    bool vi_app_discon = false;     ///< the VI Application asked for it
    bool conn_sts = false;
};

// ---- word 3 --------------------------------------------------------------------------------------

/// Shall be zero.
struct Parameter {
    std::uint32_t value = 0;
};
struct ImmediateData {
    std::uint32_t value = 0;
};
struct Status {
    std::uint8_t reserved = 0;
    std::uint8_t reason = 0;
    std::uint8_t explanation = 0;
    std::uint8_t vendor_unique = 0;
};
struct ConnectionStatus : Status {};
struct ConnectionStatusRev10 : Status {};

// ---- words 4 to 7 --------------------------------------------------------------------------------

/// FCVI_WRITE_RQST, FCVI_READ_RQST; FCVI_READ_RESP in ISO.
struct RdmaTarget {
    std::uint64_t rmt_va = 0;
    std::uint32_t rmt_va_handle = 0;
    std::uint32_t tot_len = 0;  ///< octets of the whole Message
};
/// FCVI_SEND_RQST in ISO.
struct SendTarget {
    std::uint64_t rmt_va = 0;
    std::uint32_t rmt_va_handle = 0;
    std::uint32_t tot_len = 0;
};
/// Connection IUs in ISO.
struct ConnectionTarget {
    std::uint64_t rmt_va = 0;
    std::uint32_t rmt_va_handle = 0;
    std::uint32_t connection_id = 0;
};

// ---- the whole header ----------------------------------------------------------------------------

struct DeviceHeader {
    Version version = Version::iso;
    std::variant<
        UnknownHead, MessageRequestHead, MessageRequestHeadRev10, MessageResponseHead, ConnectRequestHead,
        ConnectRequestHeadRev10, ConnectResponseHead, ConnectResponseHeadRev10, DisconnectHead>
        head;
    std::variant<Parameter, ImmediateData, ConnectionStatus, ConnectionStatusRev10> parameter;
    /// Nothing in a Device_Header that has none, or of which it was not captured.
    std::variant<std::monostate, RdmaTarget, SendTarget, ConnectionTarget> target;
    ByteView rest;             ///< of a Device_Header of 64 octets, which FC-VI does not use
    layout::ParseError error;  ///< the parts before the error are filled in

    const Head& common() const;
    Head& common();
    std::uint32_t handle() const { return common().handle; }
    std::uint8_t opcode() const { return common().opcode; }
    std::uint32_t msg_id() const { return common().msg_id; }
    /// The IU's row of table 1; nullptr if the version has no such opcode.
    const IuInfo* iu() const { return find_iu(version, opcode()); }
    /// CONN_STS or CONN_ERR is set.
    bool tells_status() const { return status() != nullptr; }
    /// What a response or Disconnect IU tells, or nullptr.
    const Status* status() const;
    std::optional<std::uint32_t> immediate_data() const;
    std::optional<std::uint32_t> connection_id() const;
    /// TOT_LEN of a request or response that has one.
    std::optional<std::uint32_t> tot_len() const;
    bool retry() const;
};

/// Parses a Device_Header of `size` octets (what DF_CTL says: 0, 16, 32 or 64), of which `octets` were captured.
DeviceHeader parse_device_header(ByteView octets, std::size_t size, Version version);

/// A header as the IU has it, all fields zero and the handle unassigned; the version must have the IU. Flags that
/// change the parameter's meaning (IMM_DATA, CONN_STS) are set together with it by whoever fills the header in.
DeviceHeader make_device_header(Version version, IuType type);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order.
template <class Visitor> void walk(const DeviceHeader& header, Visitor&& visit) {
    layout::Walker walker(visit);
    const auto walk_part = [&](const auto& part) {
        if constexpr (!std::is_same_v<decltype(part), const std::monostate&>) walker.part(part);
    };
    std::visit(walk_part, header.head);
    std::visit(walk_part, header.parameter);
    std::visit(walk_part, header.target);
    walker.octets(header.rest, {.label = "Unused"});
}

/// The header as it stands on the wire.
std::vector<std::uint8_t> build(const DeviceHeader& header);

/// Which version a message IU met without its setup must be of: SEND_RQST and READ_RESP differ in the size of
/// their Device_Header, CONNECT_RESP3 and DISCONNECT_RESP in their opcode and size. Nothing if both fit.
std::optional<Version> version_of(std::uint8_t opcode, std::size_t device_header_size);

}  // namespace fabricscope::fcvi

// ---- where the fields stand --------------------------------------------------------------------

namespace fabricscope::layout {

namespace detail {

/// Words 0 to 2 with the flags between them.
template <class T, class... Flags>
consteval auto fcvi_head(const char* name, const char* clause_text, ValueNames opcodes, Flags... flags) {
    return layout<T>(
        name, clause_text, octets(0, 12),
        field<&T::handle>(
            at(0), "fcvi.handle", "Handle", hex, clause("ISO/IEC 14165-331, 5.9.2; FC-VI rev 1.0, 5.7.4")),
        field<&T::opcode>(
            at(4), "fcvi.opcode", "Opcode", hex, names(opcodes),
            clause("ISO/IEC 14165-331, 5.1 and 5.9.3; FC-VI rev 1.0, 5.1 and 5.7.1")),
        flags...,
        field<&T::reserved>(
            at(6), "fcvi.reserved", "Reserved", hex, reserved,
            clause("ISO/IEC 14165-331, 5.9.5; FC-VI rev 1.0, 5.7.3")),
        field<&T::msg_id>(
            at(8), "fcvi.msg_id", "Message ID", clause("ISO/IEC 14165-331, 5.9.6; FC-VI rev 1.0, 5.7.5")));
}

template <class T> consteval auto fcvi_reserved_flags(std::uint8_t mask) {
    return field<&T::reserved_flags>(bits(5, mask), "fcvi.flags.reserved", "Reserved flags", hex, reserved);
}

template <class T> consteval auto fcvi_status(const char* clause_text, ValueNames reasons) {
    return layout<T>(
        "Connection status", clause_text, octets(12, 16),
        field<&T::reserved>(at(12), "fcvi.status.reserved", "Reserved", hex, reserved),
        field<&T::reason>(at(13), "fcvi.reason", "Reason Code", hex, names(reasons)),
        field<&T::explanation>(at(14), "fcvi.explanation", "Reason Explanation", hex, names(fcvi::explanation_names)),
        field<&T::vendor_unique>(at(15), "fcvi.vendor_unique", "Vendor Unique", hex));
}

}  // namespace detail

// ---- words 0 to 2 --------------------------------------------------------------------------------

template <>
inline constexpr auto layout_of<fcvi::UnknownHead> = detail::fcvi_head<fcvi::UnknownHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.1; FC-VI rev 1.0, 5.7", {},
    field<&fcvi::UnknownHead::flags>(at(5), "fcvi.flags", "Flags", hex));

template <>
inline constexpr auto layout_of<fcvi::MessageRequestHead> = detail::fcvi_head<fcvi::MessageRequestHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.4.2", fcvi::iso_opcode_names,
    detail::fcvi_reserved_flags<fcvi::MessageRequestHead>(0xFE),
    field<&fcvi::MessageRequestHead::imm_data>(bits(5, 0x01), "fcvi.flags.imm_data", "Immediate Data (IMM_DATA)"));

template <>
inline constexpr auto layout_of<fcvi::MessageRequestHeadRev10> = detail::fcvi_head<fcvi::MessageRequestHeadRev10>(
    "Device_Header", "FC-VI rev 1.0, 5.7.2", fcvi::rev_1_0_opcode_names,
    field<&fcvi::MessageRequestHeadRev10::imm_data>(bits(5, 0x80), "fcvi.flags.imm_data", "Immediate Data (IMM_DATA)"),
    detail::fcvi_reserved_flags<fcvi::MessageRequestHeadRev10>(0x7F));

template <>
inline constexpr auto layout_of<fcvi::MessageResponseHead> = detail::fcvi_head<fcvi::MessageResponseHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.4.3; FC-VI rev 1.0, 5.7.2", fcvi::iso_opcode_names,
    detail::fcvi_reserved_flags<fcvi::MessageResponseHead>(0xF0),
    field<&fcvi::MessageResponseHead::trans_err>(bits(5, 0x08), "fcvi.flags.trans_err", "Transport Error (TRANS_ERR)"),
    field<&fcvi::MessageResponseHead::prot_err>(
        bits(5, 0x04), "fcvi.flags.prot_err", "RDMA Protection Error (PROT_ERR)"),
    field<&fcvi::MessageResponseHead::desc_err>(
        bits(5, 0x02), "fcvi.flags.desc_err", "Remote Descriptor Error (DESC_ERR)"),
    field<&fcvi::MessageResponseHead::resp_err>(bits(5, 0x01), "fcvi.flags.resp_err", "Message errored (RESP_ERR)"));

template <>
inline constexpr auto layout_of<fcvi::ConnectRequestHead> = detail::fcvi_head<fcvi::ConnectRequestHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.4.4", fcvi::iso_opcode_names,
    detail::fcvi_reserved_flags<fcvi::ConnectRequestHead>(0xE0),
    field<&fcvi::ConnectRequestHead::retry>(bits(5, 0x10), "fcvi.flags.retry", "Retried setup (RETRY)"),
    field<&fcvi::ConnectRequestHead::conn_info>(
        bits(5, 0x08), "fcvi.flags.conn_info", "Connect Info present (FCVI_CONN_INFO)"),
    field<&fcvi::ConnectRequestHead::mode>(
        bits(5, 0x07), "fcvi.flags.mode", "Connection Mode", names(fcvi::iso_mode_names)));

template <>
inline constexpr auto layout_of<fcvi::ConnectRequestHeadRev10> = detail::fcvi_head<fcvi::ConnectRequestHeadRev10>(
    "Device_Header", "FC-VI rev 1.0, 5.7.2", fcvi::rev_1_0_opcode_names,
    detail::fcvi_reserved_flags<fcvi::ConnectRequestHeadRev10>(0xF8),
    field<&fcvi::ConnectRequestHeadRev10::mode>(
        bits(5, 0x07), "fcvi.flags.mode", "Connection Mode", names(fcvi::rev_1_0_mode_names)));

template <>
inline constexpr auto layout_of<fcvi::ConnectResponseHead> = detail::fcvi_head<fcvi::ConnectResponseHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.4.5", fcvi::iso_opcode_names,
    detail::fcvi_reserved_flags<fcvi::ConnectResponseHead>(0xF8),
    field<&fcvi::ConnectResponseHead::retry>(bits(5, 0x04), "fcvi.flags.retry", "Retried setup (RETRY)"),
    field<&fcvi::ConnectResponseHead::conn_info>(
        bits(5, 0x02), "fcvi.flags.conn_info", "Connect Info present (FCVI_CONN_INFO)"),
    field<&fcvi::ConnectResponseHead::conn_sts>(bits(5, 0x01), "fcvi.flags.conn_sts", "Status present (CONN_STS)"));

template <>
inline constexpr auto layout_of<fcvi::ConnectResponseHeadRev10> = detail::fcvi_head<fcvi::ConnectResponseHeadRev10>(
    "Device_Header", "FC-VI rev 1.0, 5.7.2", fcvi::rev_1_0_opcode_names,
    detail::fcvi_reserved_flags<fcvi::ConnectResponseHeadRev10>(0xFE),
    field<&fcvi::ConnectResponseHeadRev10::conn_err>(
        bits(5, 0x01), "fcvi.flags.conn_err", "Connection Error (CONN_ERR)"));

template <>
inline constexpr auto layout_of<fcvi::DisconnectHead> = detail::fcvi_head<fcvi::DisconnectHead>(
    "Device_Header", "ISO/IEC 14165-331, 5.9.4.6", fcvi::iso_opcode_names,
    detail::fcvi_reserved_flags<fcvi::DisconnectHead>(0xF8),
    field<&fcvi::DisconnectHead::conn_setup_abort>(
        bits(5, 0x04), "fcvi.flags.conn_setup_abort", "Setup is aborted (CONN_SETUP_ABORT)"),
    field<&fcvi::DisconnectHead::vi_app_discon>(
        bits(5, 0x02), "fcvi.flags.vi_app_discon", "VI Application disconnects (VI_APP_DISCON)"),
    field<&fcvi::DisconnectHead::conn_sts>(bits(5, 0x01), "fcvi.flags.conn_sts", "Status present (CONN_STS)"));

// ---- word 3 --------------------------------------------------------------------------------------

template <>
inline constexpr auto layout_of<fcvi::Parameter> = layout<fcvi::Parameter>(
    "Parameter", "ISO/IEC 14165-331, 5.9.7; FC-VI rev 1.0, 5.7.6", octets(12, 16),
    field<&fcvi::Parameter::value>(at(12), "fcvi.parameter", "Parameter", hex));

template <>
inline constexpr auto layout_of<fcvi::ImmediateData> = layout<fcvi::ImmediateData>(
    "Immediate Data", "ISO/IEC 14165-331, 5.9.7.1; FC-VI rev 1.0, 5.7.6", octets(12, 16),
    field<&fcvi::ImmediateData::value>(at(12), "fcvi.immediate_data", "Immediate Data", hex));

template <>
inline constexpr auto layout_of<fcvi::ConnectionStatus> =
    detail::fcvi_status<fcvi::ConnectionStatus>("ISO/IEC 14165-331, 5.9.7", fcvi::iso_reason_names);

template <>
inline constexpr auto layout_of<fcvi::ConnectionStatusRev10> =
    detail::fcvi_status<fcvi::ConnectionStatusRev10>("FC-VI rev 1.0, 5.7.6", fcvi::rev_1_0_reason_names);

// ---- words 4 to 7 --------------------------------------------------------------------------------

template <>
inline constexpr auto layout_of<fcvi::RdmaTarget> = layout<fcvi::RdmaTarget>(
    "Remote memory", "ISO/IEC 14165-331, 5.9.8 to 5.9.10; FC-VI rev 1.0, 5.7.7 to 5.7.9", octets(16, 32),
    field<&fcvi::RdmaTarget::rmt_va>(at(16), "fcvi.rmt_va", "Remote virtual address", hex),
    field<&fcvi::RdmaTarget::rmt_va_handle>(at(24), "fcvi.rmt_va_handle", "Remote memory handle", hex),
    field<&fcvi::RdmaTarget::tot_len>(at(28), "fcvi.tot_len", "Total Message length"));

template <>
inline constexpr auto layout_of<fcvi::SendTarget> = layout<fcvi::SendTarget>(
    "Message length", "ISO/IEC 14165-331, 6.2.2", octets(16, 32),
    field<&fcvi::SendTarget::rmt_va>(at(16), "fcvi.rmt_va.reserved", "Reserved (FCVI_RMT_VA)", hex, reserved),
    field<&fcvi::SendTarget::rmt_va_handle>(
        at(24), "fcvi.rmt_va_handle.reserved", "Reserved (FCVI_RMT_VA_HANDLE)", hex, reserved),
    field<&fcvi::SendTarget::tot_len>(at(28), "fcvi.tot_len", "Total Message length"));

template <>
inline constexpr auto layout_of<fcvi::ConnectionTarget> = layout<fcvi::ConnectionTarget>(
    "Connection ID", "ISO/IEC 14165-331, 5.9.10", octets(16, 32),
    field<&fcvi::ConnectionTarget::rmt_va>(at(16), "fcvi.rmt_va.reserved", "Reserved (FCVI_RMT_VA)", hex, reserved),
    field<&fcvi::ConnectionTarget::rmt_va_handle>(
        at(24), "fcvi.rmt_va_handle.reserved", "Reserved (FCVI_RMT_VA_HANDLE)", hex, reserved),
    field<&fcvi::ConnectionTarget::connection_id>(at(28), "fcvi.connection_id", "Connection ID", hex));

}  // namespace fabricscope::layout
