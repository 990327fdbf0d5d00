// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI: the Virtual Interface Architecture on Fibre Channel. Two versions are met, which differ in more
// than their numbers: draft revision 1.0 (NCITS, February 1999) and ISO/IEC 14165-331:2007.
// Here: Information Units and what their codes mean.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::fcvi {

using layout::ValueName;

enum class Version : std::uint8_t { rev_1_0, iso };
inline constexpr std::array versions{Version::rev_1_0, Version::iso};

inline constexpr std::uint8_t fc_type = 0x58;  ///< TYPE of every frame (5.8.3; rev 1.0, 5.6.3)
inline constexpr std::uint32_t unassigned_handle = 0xFFFF'FFFF;
inline constexpr std::uint32_t unassigned_connection_id = 0xFFFF'FFFF;  ///< ISO only

// ---- Information Units (table 1 of both) ---------------------------------------------------------

/// What an IU is, whichever opcode the version gives it.
enum class IuType : std::uint8_t {
    send_rqst,
    write_rqst,
    read_rqst,
    send_resp,
    write_resp,
    read_resp,
    connect_rqst,
    disconnect_rqst,
    connect_resp1,
    connect_resp2,
    connect_resp3,  ///< ISO only
    disconnect_resp,
};

enum class Category : std::uint8_t { message_request, message_response, connect_request, connect_response };
enum class Content : std::uint8_t { none, message_data, connect_info };

/// A row of table 1.
struct IuInfo {
    IuType type;
    const char* name;
    Category category;
    std::uint8_t r_ctl;
    std::uint8_t device_header;  ///< octets: 16 or 32
    std::uint8_t opcode;
    Content payload;
    bool ends_exchange;  ///< always the last of its Exchange; message IUs with data may or may not be
    bool mandatory;
};

inline constexpr std::array rev_1_0_ius{
    IuInfo{
        IuType::send_rqst, "FCVI_SEND_RQST", Category::message_request, 0x01, 16, 0x00, Content::message_data, false,
        true},
    IuInfo{
        IuType::write_rqst, "FCVI_WRITE_RQST", Category::message_request, 0x01, 32, 0x01, Content::message_data, false,
        true},
    IuInfo{IuType::read_rqst, "FCVI_READ_RQST", Category::message_request, 0x06, 32, 0x02, Content::none, false, false},
    IuInfo{IuType::send_resp, "FCVI_SEND_RESP", Category::message_response, 0x07, 16, 0x08, Content::none, true, false},
    IuInfo{
        IuType::write_resp, "FCVI_WRITE_RESP", Category::message_response, 0x07, 16, 0x09, Content::none, true, false},
    IuInfo{
        IuType::read_resp, "FCVI_READ_RESP", Category::message_response, 0x01, 16, 0x0A, Content::message_data, false,
        false},
    IuInfo{
        IuType::connect_rqst, "FCVI_CONNECT_RQST", Category::connect_request, 0x02, 16, 0x10, Content::connect_info,
        false, true},
    IuInfo{
        IuType::disconnect_rqst, "FCVI_DISCONNECT_RQST", Category::connect_request, 0x02, 16, 0x12, Content::none,
        false, true},
    IuInfo{
        IuType::connect_resp1, "FCVI_CONNECT_RESP1", Category::connect_response, 0x03, 16, 0x18, Content::connect_info,
        false, true},
    IuInfo{
        IuType::connect_resp2, "FCVI_CONNECT_RESP2", Category::connect_response, 0x03, 16, 0x19, Content::none, true,
        true},
    IuInfo{
        IuType::disconnect_resp, "FCVI_DISCONNECT_RESP", Category::connect_response, 0x03, 16, 0x1A, Content::none,
        true, true}};

inline constexpr std::array iso_ius{
    IuInfo{
        IuType::send_rqst, "FCVI_SEND_RQST", Category::message_request, 0x01, 32, 0x00, Content::message_data, false,
        true},
    IuInfo{
        IuType::write_rqst, "FCVI_WRITE_RQST", Category::message_request, 0x01, 32, 0x01, Content::message_data, false,
        true},
    IuInfo{IuType::read_rqst, "FCVI_READ_RQST", Category::message_request, 0x06, 32, 0x02, Content::none, false, false},
    IuInfo{IuType::send_resp, "FCVI_SEND_RESP", Category::message_response, 0x07, 16, 0x08, Content::none, true, false},
    IuInfo{
        IuType::write_resp, "FCVI_WRITE_RESP", Category::message_response, 0x07, 16, 0x09, Content::none, true, false},
    IuInfo{
        IuType::read_resp, "FCVI_READ_RESP", Category::message_response, 0x01, 32, 0x0A, Content::message_data, false,
        false},
    IuInfo{
        IuType::connect_rqst, "FCVI_CONNECT_RQST", Category::connect_request, 0x02, 32, 0x10, Content::connect_info,
        false, true},
    IuInfo{
        IuType::disconnect_rqst, "FCVI_DISCONNECT_RQST", Category::connect_request, 0x02, 32, 0x12, Content::none,
        false, true},
    IuInfo{
        IuType::connect_resp1, "FCVI_CONNECT_RESP1", Category::connect_response, 0x03, 32, 0x18, Content::connect_info,
        false, true},
    IuInfo{
        IuType::connect_resp2, "FCVI_CONNECT_RESP2", Category::connect_response, 0x03, 32, 0x19, Content::none, false,
        true},
    IuInfo{
        IuType::connect_resp3, "FCVI_CONNECT_RESP3", Category::connect_response, 0x03, 32, 0x1A, Content::none, true,
        true},
    IuInfo{
        IuType::disconnect_resp, "FCVI_DISCONNECT_RESP", Category::connect_response, 0x03, 32, 0x1B, Content::none,
        true, true}};

constexpr std::span<const IuInfo> ius(Version version) {
    if (version == Version::iso) return iso_ius;
    return rev_1_0_ius;
}
/// The version's IU with this opcode, or nullptr.
constexpr const IuInfo* find_iu(Version version, std::uint8_t opcode) {
    for (const IuInfo& iu : ius(version))
        if (iu.opcode == opcode) return &iu;
    return nullptr;
}
/// The row of an IU, or nullptr if the version has no such IU.
constexpr const IuInfo* find_iu(Version version, IuType type) {
    for (const IuInfo& iu : ius(version))
        if (iu.type == type) return &iu;
    return nullptr;
}

namespace detail {

template <std::size_t N> consteval std::array<ValueName, N> opcode_names(const std::array<IuInfo, N>& ius) {
    std::array<ValueName, N> names{};
    for (std::size_t i = 0; i < N; ++i) names[i] = {ius[i].opcode, ius[i].name};
    return names;
}

}  // namespace detail

inline constexpr std::array rev_1_0_opcode_names = detail::opcode_names(rev_1_0_ius);
inline constexpr std::array iso_opcode_names = detail::opcode_names(iso_ius);

// ---- connection modes ----------------------------------------------------------------------------

enum class ConnectMode : std::uint8_t { client_server = 1, peer_to_peer = 2 };
/// ISO, table 8
inline constexpr std::array iso_mode_names{ValueName{1, "Client-Server"}, ValueName{2, "Peer-to-Peer"}};
/// Revision 1.0, 5.7.2, says with the same bits who disconnects.
inline constexpr std::array rev_1_0_mode_names{
    ValueName{1, "Client-Server"}, ValueName{2, "Peer-to-Peer"}, ValueName{4, "Disconnect initiated by the kernel"},
    ValueName{5, "Disconnect initiated by the application"}};
inline constexpr std::uint8_t rev_1_0_kernel_disconnect = 4;
inline constexpr std::uint8_t rev_1_0_application_disconnect = 5;

// ---- reason codes --------------------------------------------------------------------------------

/// What a reason means, whichever code the version gives it.
enum class Reason : std::uint8_t {
    no_discriminator_match,
    connect_timeout,
    no_waiting_connectionpoint,
    connect_reject,
    concurrent_peer_requests,
    duplicate_addresses,  ///< revision 1.0 only
    invalid_service_parameter,
    reject_protocol_error,
    reject_transport_error,
    transport_error,
    rdma_protection_error,
    remote_descriptor_error,
    remote_write_protection_error,
    remote_write_data_error,
    remote_write_packet_abort,
    remote_rdma_transport_error,
    remote_read_protection_error,
    protocol_error,
    setup_timeout,
    connection_does_not_exist,
    disconnect_accept,
    vendor_unique,
    reserved,
};

/// Where a reason may be given (ISO, 5.9.7.1).
enum class ReasonClass : std::uint8_t { reserved, connect_non_error, connect_error, disconnect, vendor_unique };

struct ReasonInfo {
    std::uint8_t code;
    Reason reason;
    const char* name;
};

/// Revision 1.0, table 10. It prints 07h for "Duplicate Addresses" and again for the first reserved code; whichever
/// of 06h and 07h was meant, neither can mean anything else.
inline constexpr std::array rev_1_0_reasons{
    ReasonInfo{0x01, Reason::connect_reject, "Connect Reject"},
    ReasonInfo{0x02, Reason::no_discriminator_match, "No Discriminator Match"},
    ReasonInfo{0x03, Reason::connect_timeout, "Connect Timeout"},
    ReasonInfo{0x04, Reason::no_waiting_connectionpoint, "No Waiting Remote Endpoint"},
    ReasonInfo{0x05, Reason::concurrent_peer_requests, "Connect Reject - Concurrent Peer Requests"},
    ReasonInfo{0x06, Reason::duplicate_addresses, "Connect Reject - Duplicate Addresses"},
    ReasonInfo{0x07, Reason::duplicate_addresses, "Connect Reject - Duplicate Addresses"}};

/// ISO, table 12
inline constexpr std::array iso_reasons{
    ReasonInfo{0x01, Reason::no_discriminator_match, "No Discriminator Match"},
    ReasonInfo{0x02, Reason::connect_timeout, "Connect Timeout"},
    ReasonInfo{0x03, Reason::no_waiting_connectionpoint, "No Waiting Remote Connectionpoint"},
    ReasonInfo{0x04, Reason::connect_reject, "Connect Reject"},
    ReasonInfo{0x05, Reason::concurrent_peer_requests, "Connect Reject - Concurrent Matching Peer Requests"},
    ReasonInfo{0x20, Reason::invalid_service_parameter, "Connect Reject - Invalid Service Parm"},
    ReasonInfo{0x21, Reason::reject_protocol_error, "Connect Reject - Protocol Error"},
    ReasonInfo{0x22, Reason::reject_transport_error, "Connect Reject - Transport Error"},
    ReasonInfo{0x40, Reason::transport_error, "Transport Error"},
    ReasonInfo{0x41, Reason::rdma_protection_error, "RDMA Protection Error"},
    ReasonInfo{0x42, Reason::remote_descriptor_error, "Remote Descriptor Error"},
    ReasonInfo{0x43, Reason::remote_write_protection_error, "Remote RDMA Write Protection Error"},
    ReasonInfo{0x44, Reason::remote_write_data_error, "Remote RDMA Write Data Error"},
    ReasonInfo{0x45, Reason::remote_write_packet_abort, "Remote RDMA Write Packet Abort"},
    ReasonInfo{0x46, Reason::remote_rdma_transport_error, "Remote RDMA Transport Error"},
    ReasonInfo{0x47, Reason::remote_read_protection_error, "Remote RDMA Read Protection Error"},
    ReasonInfo{0x48, Reason::protocol_error, "Protocol Error"},
    ReasonInfo{0x49, Reason::setup_timeout, "Connection Setup Timeout"},
    ReasonInfo{0x4A, Reason::connection_does_not_exist, "Connection Does Not Exist"},
    ReasonInfo{0x4B, Reason::disconnect_accept, "Disconnect Accept"}};

inline constexpr std::uint8_t first_vendor_reason = 0xF0;  ///< ISO: F0h to FFh (table 12; its text says 60h to 6Fh)

constexpr std::span<const ReasonInfo> reasons(Version version) {
    if (version == Version::iso) return iso_reasons;
    return rev_1_0_reasons;
}

constexpr Reason reason_of(Version version, std::uint8_t code) {
    for (const ReasonInfo& reason : reasons(version))
        if (reason.code == code) return reason.reason;
    return version == Version::iso && code >= first_vendor_reason ? Reason::vendor_unique : Reason::reserved;
}

/// In words: "No Discriminator Match", "Vendor Unique Error", "Reserved".
constexpr const char* reason_name(Version version, std::uint8_t code) {
    for (const ReasonInfo& reason : reasons(version))
        if (reason.code == code) return reason.name;
    return version == Version::iso && code >= first_vendor_reason ? "Vendor Unique Error" : "Reserved";
}

/// The code of a reason, or 0 if the version has none.
constexpr std::uint8_t reason_code(Version version, Reason wanted) {
    std::uint8_t code = 0;
    for (const ReasonInfo& reason : reasons(version))
        if (reason.reason == wanted) code = reason.code;
    return code;
}

/// Revision 1.0 knows no classes: all its reasons are those of Connect Responses.
constexpr ReasonClass class_of(Version version, std::uint8_t code) {
    switch (reason_of(version, code)) {
        case Reason::reserved: return ReasonClass::reserved;
        case Reason::vendor_unique: return ReasonClass::vendor_unique;
        default: break;
    }
    if (code >= 0x40) return ReasonClass::disconnect;
    return code >= 0x20 ? ReasonClass::connect_error : ReasonClass::connect_non_error;
}

namespace detail {

template <std::size_t N> consteval std::array<ValueName, N> reason_names(const std::array<ReasonInfo, N>& reasons) {
    std::array<ValueName, N> names{};
    for (std::size_t i = 0; i < N; ++i) names[i] = {reasons[i].code, reasons[i].name};
    return names;
}

}  // namespace detail

inline constexpr std::array rev_1_0_reason_names = detail::reason_names(rev_1_0_reasons);
inline constexpr std::array iso_reason_names = detail::reason_names(iso_reasons);
/// Table 12: 00h says nothing more, all others are reserved.
inline constexpr std::array explanation_names{ValueName{0, "No additional explanation"}};

// ---- attributes ----------------------------------------------------------------------------------

enum class Reliability : std::uint8_t { unreliable_delivery, reliable_delivery, reliable_reception };

/// ISO, 7.3
inline constexpr std::array iso_reliability_names{
    ValueName{1, "Unreliable Delivery"}, ValueName{2, "Reliable Delivery"}, ValueName{3, "Reliable Reception"}};
/// VI Developer's Guide 4.6, which revision 1.0, 7.2, refers to
inline constexpr std::array rev_1_0_reliability_names{
    ValueName{1, "Unreliable Delivery"}, ValueName{2, "Reliable Delivery"}, ValueName{4, "Reliable Reception"}};

inline constexpr std::array iso_pref_names{ValueName{0x00, "No Preference"}, ValueName{0x80, "Preference Function"}};
inline constexpr std::array rev_1_0_precedence_names{ValueName{0, "Routine"}, ValueName{1, "Priority"}};

}  // namespace fabricscope::fcvi
