// SPDX-License-Identifier: GPL-2.0-or-later
// The RDMA IP CM service: sockets' addresses in Communication Management's messages (InfiniBand
// Architecture Specification, Annex A11).
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::rdma_cm {

using layout::ValueName;

// ---- service ids (A11.5) -------------------------------------------------------------------------

/// What a service id says about a socket: 00 000000 01 PP DDDD.
struct SocketService {
    std::uint8_t protocol;  ///< IP protocol number, see protocol_names
    std::uint16_t port;     ///< destination port
};

inline constexpr std::uint64_t service_prefix = 0x0000'0000'01;  ///< of the 64-bit id, without its last 3 octets

/// librdmacm's port spaces are service ids, too. IPoIB's is outside the annex' range.
inline constexpr std::uint64_t ipoib_port_space = 0x0000'0000'0002;
/// Sockets Direct Protocol's: its ids end in the port (IBA Volume 1, A4.4).
inline constexpr std::uint64_t sdp_prefix = 0x0000'0000'0001;

inline constexpr std::array protocol_names{
    ValueName{6, "TCP"}, ValueName{17, "UDP"}, ValueName{63, "IB"}, ValueName{132, "SCTP"}};

/// Whether the id is in the range of the RDMA IP CM service, so that private data begin with addresses.
constexpr bool is_socket_service(std::uint64_t service_id) { return service_id >> 24 == service_prefix; }
/// librdmacm writes the same header for its IPoIB port space.
constexpr bool has_ip_header(std::uint64_t service_id) {
    return is_socket_service(service_id) || service_id >> 16 == ipoib_port_space;
}
constexpr SocketService socket_service(std::uint64_t service_id) {
    return {static_cast<std::uint8_t>(service_id >> 16), static_cast<std::uint16_t>(service_id)};
}

/// A ULP that has a service id of its own: ports as IANA or the ULP's own tools have them.
struct KnownService {
    std::uint64_t service_id;
    const char* ulp;
};
inline constexpr std::array known_services{
    KnownService{0x0000'0000'0106'01BD, "SMB Direct"}, KnownService{0x0000'0000'0106'03DB, "LNet"},
    KnownService{0x0000'0000'0106'0CBC, "iSER"},       KnownService{0x0000'0000'0106'1144, "NVMe-oF"},
    KnownService{0x0000'0000'0106'1C06, "rping"},      KnownService{0x0000'0000'0106'1D2F, "librdmacm examples"},
    KnownService{0x0000'0000'0106'4853, "perftest"},   KnownService{0x0000'0000'0106'48CA, "RDS"},
    KnownService{0x0000'0000'0106'4E51, "NFS/RDMA"},   KnownService{0x0000'0000'0111'1C06, "udaddy"},
    KnownService{0x0000'0000'0184'0801, "NFS/RDMA"}};

/// The ULP that a service id is known for; nullptr: none.
constexpr const char* ulp_of(std::uint64_t service_id) {
    for (const KnownService& known : known_services)
        if (known.service_id == service_id) return known.ulp;
    return service_id >> 16 == sdp_prefix ? "SDP" : nullptr;
}

// ---- the head of REQ's and SIDR_REQ's private data (A11.4, table 1) --------------------------------

struct IpVersions {
    std::uint8_t major_version = 0;
    std::uint8_t minor_version = 0;
    std::uint8_t ip_version = 4;
    std::uint8_t reserved = 0;
    std::uint16_t source_port = 0;
};

struct Ipv4Addresses {
    Bytes<12> source_padding;
    Ipv4 source;
    Bytes<12> destination_padding;
    Ipv4 destination;
};

struct Ipv6Addresses {
    Gid source;
    Gid destination;
};

// ---- why a server said no (A11.7) ----------------------------------------------------------------

inline constexpr std::uint8_t service_layer = 0;
inline constexpr std::array reject_layer_names{
    ValueName{service_layer, "RDMA IP CM service"}, ValueName{1, "RDMA-aware ULP"}};
/// Table 5
inline constexpr std::array reject_code_names{ValueName{0, "unspecified"},       ValueName{1, "major version"},
                                              ValueName{2, "minor version"},     ValueName{3, "IP version"},
                                              ValueName{4, "source IP address"}, ValueName{5, "destination IP address"},
                                              ValueName{6, "unknown IP address"}};

/// What the additional rejection information of a consumer reject begins with (table 3); the layer says what follows.
struct RejectLayer {
    std::uint8_t layer = 0;
};

/// The RDMA IP CM service's own, up to the suggested value (table 4).
struct RejectInformation {
    std::uint8_t layer = 0;
    std::uint8_t code = 0;
    std::uint8_t suggested_length = 0;  ///< octets of the suggested value; 0 = none
    std::uint8_t filler = 0;
};

}  // namespace fabricscope::rdma_cm

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fabricscope::rdma_cm::IpVersions> = layout<fabricscope::rdma_cm::IpVersions>(
    "IP CM header", "IBA A11.4", octets(0, 4),
    field<&fabricscope::rdma_cm::IpVersions::major_version>(
        bits(0, 0xF0), "rdma_ip_cm.ip.major_version", "Major version"),
    field<&fabricscope::rdma_cm::IpVersions::minor_version>(
        bits(0, 0x0F), "rdma_ip_cm.ip.minor_version", "Minor version"),
    field<&fabricscope::rdma_cm::IpVersions::ip_version>(bits(1, 0xF0), "rdma_ip_cm.ip.version", "IP version"),
    field<&fabricscope::rdma_cm::IpVersions::reserved>(
        bits(1, 0x0F), "rdma_ip_cm.ip.reserved", "Reserved", hex, reserved),
    field<&fabricscope::rdma_cm::IpVersions::source_port>(at(2), "rdma_ip_cm.ip.source_port", "Source port"));

template <>
inline constexpr auto layout_of<fabricscope::rdma_cm::Ipv4Addresses> = layout<fabricscope::rdma_cm::Ipv4Addresses>(
    "IPv4 addresses", "IBA A11.4.6", octets(4, 36),
    field<&fabricscope::rdma_cm::Ipv4Addresses::source_padding>(at(4), "rdma_ip_cm.ip.padding", "Zero"),
    field<&fabricscope::rdma_cm::Ipv4Addresses::source>(at(16), "rdma_ip_cm.ip.source", "Source IP address"),
    field<&fabricscope::rdma_cm::Ipv4Addresses::destination_padding>(at(20), "rdma_ip_cm.ip.padding", "Zero"),
    field<&fabricscope::rdma_cm::Ipv4Addresses::destination>(
        at(32), "rdma_ip_cm.ip.destination", "Destination IP address"));

template <>
inline constexpr auto layout_of<fabricscope::rdma_cm::Ipv6Addresses> = layout<fabricscope::rdma_cm::Ipv6Addresses>(
    "IPv6 addresses", "IBA A11.4.6", octets(4, 36),
    field<&fabricscope::rdma_cm::Ipv6Addresses::source>(at(4), "rdma_ip_cm.ip.source6", "Source IP address"),
    field<&fabricscope::rdma_cm::Ipv6Addresses::destination>(
        at(20), "rdma_ip_cm.ip.destination6", "Destination IP address"));

template <>
inline constexpr auto layout_of<fabricscope::rdma_cm::RejectLayer> = layout<fabricscope::rdma_cm::RejectLayer>(
    "Additional rejection information of the ULP", "IBA A11.7", octets(0, 1),
    field<&fabricscope::rdma_cm::RejectLayer::layer>(
        at(0), "rdma_ip_cm.ari.layer", "Rejection layer", names(fabricscope::rdma_cm::reject_layer_names)));

template <>
inline constexpr auto layout_of<fabricscope::rdma_cm::RejectInformation> =
    layout<fabricscope::rdma_cm::RejectInformation>(
        "Additional rejection information", "IBA A11.7", octets(0, 4),
        field<&fabricscope::rdma_cm::RejectInformation::layer>(
            at(0), "rdma_ip_cm.ari.layer", "Rejection layer", names(fabricscope::rdma_cm::reject_layer_names)),
        field<&fabricscope::rdma_cm::RejectInformation::code>(
            at(1), "rdma_ip_cm.ari.code", "Code", names(fabricscope::rdma_cm::reject_code_names)),
        field<&fabricscope::rdma_cm::RejectInformation::suggested_length>(
            at(2), "rdma_ip_cm.ari.suggested_length", "Suggested value length"),
        field<&fabricscope::rdma_cm::RejectInformation::filler>(
            at(3), "rdma_ip_cm.ari.filler", "Filler", hex, reserved));

}  // namespace fabricscope::layout
