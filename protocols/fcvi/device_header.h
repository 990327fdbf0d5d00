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

#include "protocols/fcvi/device_header_layout.h"
