// SPDX-License-Identifier: GPL-2.0-or-later
// The payload of FCVI_CONNECT_RQST and FCVI_CONNECT_RESP1: who wants to be connected with whom, and how
// (ISO/IEC 14165-331, 6.8.3, 6.9.3, 7.2, 7.3; revision 1.0, 6.7, 6.8, 7.1, 7.2, annex B). Big-endian throughout.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocols/fcvi/names.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fcvi {

inline constexpr std::size_t rev_1_0_connect_size = 332;
inline constexpr std::size_t iso_connect_size = 340;
inline constexpr std::size_t connect_info_size = 256;
inline constexpr std::size_t iso_connect_size_with_info = iso_connect_size + connect_info_size;

inline constexpr std::uint16_t revision = 1;  ///< of both documents
inline constexpr std::size_t host_address_length = 16;
inline constexpr std::size_t discriminator_field_length = 128;
inline constexpr std::uint8_t min_discriminator_length = 0x10;  ///< ISO, 7.2
inline constexpr std::uint8_t max_discriminator_length = 0x80;

// ---- what stands before the addresses ------------------------------------------------------------

/// The handle is that of the sender's endpoint: FCVI_RQST_HANDLE of a request, FCVI_RESP_HANDLE of a response.
struct ConnectHead {
    std::uint32_t reserved1 = 0;
    std::uint16_t reserved2 = 0;
    std::uint16_t revision = fcvi::revision;
    std::uint32_t handle = unassigned_handle;
};
struct ConnectHeadRev10 {
    std::uint32_t revision = fcvi::revision;
    std::uint32_t handle = unassigned_handle;
};

// ---- FCVI_NET_ADDRESS ----------------------------------------------------------------------------

/// Of a Connectionpoint: IPv6 address (IPv4: 96 leading zero bits in revision 1.0) and discriminator.
struct NetAddress {
    std::uint16_t reserved = 0;                       ///< ISO only
    std::uint16_t host_length = host_address_length;  ///< octets
    std::uint16_t discriminator_length = 0;           ///< octets that count
    Gid host;
    Bytes<discriminator_field_length> discriminator;

    /// The octets of the discriminator that count, 128 at most.
    ByteView used_discriminator() const {
        return ByteView(discriminator.octets)
            .first(std::min<std::size_t>(discriminator_length, discriminator_field_length));
    }
};
struct LocalAddress : NetAddress {};
struct RemoteAddress : NetAddress {};
struct LocalAddressRev10 : NetAddress {};
struct RemoteAddressRev10 : NetAddress {};

/// Discriminators are equal if length and octets are (VI Developer's Guide 6.7).
bool same_discriminator(const NetAddress& a, const NetAddress& b);
/// "2001:db8::1#printer" or, if the discriminator is no text, "2001:db8::1#00112233...".
std::string to_string(const NetAddress& address);

// ---- FCVI_ATTRIBUTES -----------------------------------------------------------------------------

/// FCVI_QOS. Bandwidths in octets per second, delay in microseconds; all three shall be 0 for now.
struct Qos {
    std::uint8_t preference = 0;  ///< ISO: 80h or 00h; revision 1.0: precedence, 3 bits
    std::uint8_t reserved_bits = 0;
    std::uint32_t reserved = 0;  ///< 3 octets
    std::uint32_t max_bandwidth = 0;
    std::uint32_t min_bandwidth = 0;
    std::uint32_t max_delay = 0;
    std::uint32_t pipeline_depth = 0;  ///< ISO only: at most this many Messages and one more may be open
};

struct CommonAttributes {
    std::uint8_t reliability_level = 1;  ///< coded as the version does
    std::uint8_t reserved_flags = 0;
    bool en_rdma_wr = false;           ///< the peer may write
    bool en_rdma_rd = false;           ///< the peer may read
    std::uint32_t max_trans_size = 0;  ///< octets of the largest Message
    Qos qos;
};
struct Attributes : CommonAttributes {
    std::uint16_t reserved = 0;
    std::uint32_t undefined = 0;  ///< word 84 of tables 13 and 14, which table 16 does not define
};
struct AttributesRev10 : CommonAttributes {
    std::uint32_t reserved1 = 0;  ///< 3 octets
    std::uint32_t reserved2 = 0;  ///< 3 octets
};

/// Between the FC-VI Providers; its contents are theirs.
struct ConnectInfo {
    Bytes<connect_info_size> octets;
};

// ---- the payload ---------------------------------------------------------------------------------

struct ConnectIso {
    ConnectHead head;
    LocalAddress local;
    RemoteAddress remote;
    Attributes attributes;
    std::optional<ConnectInfo> info;
};
struct ConnectRev10 {
    ConnectHeadRev10 head;
    LocalAddressRev10 local;
    RemoteAddressRev10 remote;
    AttributesRev10 attributes;
};

struct ConnectPayload {
    std::variant<ConnectIso, ConnectRev10> body;
    ByteView rest;             ///< behind what the version defines
    layout::ParseError error;  ///< the parts before the error are filled in

    Version version() const { return body.index() == 0 ? Version::iso : Version::rev_1_0; }
    std::uint32_t revision() const;
    std::uint32_t handle() const;
    /// Nothing if it was cut off.
    std::optional<std::uint32_t> captured_handle() const;
    /// Of the Connectionpoint that the IU's sender asks from, or answers for.
    const NetAddress& local() const;
    const NetAddress& remote() const;
    const CommonAttributes& attributes() const;
    const ConnectInfo* info() const;
    /// Nothing if the code is reserved.
    std::optional<Reliability> reliability() const;
};

/// The version's code of a level.
std::uint8_t reliability_code(Version version, Reliability level);
/// Whether the sender asks for the Preference Function; nothing if the code is reserved.
std::optional<bool> wants_preference(Version version, const Qos& qos);

/// Parses a payload. `length` is its length on the wire, `octets` what was captured. Connect Info is taken to be
/// there if the length leaves room for it.
ConnectPayload parse_connect(ByteView octets, std::size_t length, Version version);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for what is behind them.
template <class Visitor> void walk(const ConnectPayload& payload, Visitor&& visit) {
    layout::Walker walker(visit);
    std::visit(
        [&](const auto& body) {
            walker.part(body.head);
            walker.part(body.local, {.label = "Local address"});
            walker.part(body.remote, {.label = "Remote address"});
            walker.part(body.attributes);
            if constexpr (requires { body.info; }) walker.part(body.info);
        },
        payload.body);
    walker.octets(payload.rest, {.label = "Beyond the payload"});
}

/// The payload as it stands on the wire.
std::vector<std::uint8_t> build(const ConnectPayload& payload);

struct ConnectVersion {
    Version version{};
    bool certain = false;  ///< two of the three below say so
};
/// The version of a FCVI_CONNECT_RQST or RESP1, by the size of its Device_Header, the length of its payload and
/// where it has its revision: two of three decide, so that a sender that gets one wrong is still understood.
ConnectVersion version_of_connect(std::size_t device_header_size, std::size_t payload_length, ByteView payload);

}  // namespace fabricscope::fcvi

// ---- where the fields stand --------------------------------------------------------------------

namespace fabricscope::layout {

namespace detail {

/// The filter names of an address.
struct FcviAddressNames {
    const char* host_length;
    const char* discriminator_length;
    const char* host;
    const char* discriminator;
};
inline constexpr FcviAddressNames fcvi_local_names{
    "fcvi.connect.local.host_len", "fcvi.connect.local.discriminator_len", "fcvi.connect.local.host",
    "fcvi.connect.local.discriminator"};
inline constexpr FcviAddressNames fcvi_remote_names{
    "fcvi.connect.remote.host_len", "fcvi.connect.remote.discriminator_len", "fcvi.connect.remote.host",
    "fcvi.connect.remote.discriminator"};

/// ISO, table 15
template <class T> consteval auto fcvi_address(const char* name, const FcviAddressNames& filters) {
    return layout<T>(
        name, "ISO/IEC 14165-331, 7.2", octets(0, 148),
        field<&T::reserved>(at(0), "fcvi.connect.address.reserved", "Reserved", hex, reserved),
        field<&T::host_length>(at(2, 1), filters.host_length, "Host address length"),
        field<&T::discriminator_length>(at(3, 1), filters.discriminator_length, "Discriminator length"),
        field<&T::host>(at(4), filters.host, "Host address"),
        field<&T::discriminator>(at(20), filters.discriminator, "Discriminator"));
}

/// Revision 1.0, table 13
template <class T> consteval auto fcvi_address_rev_1_0(const char* name, const FcviAddressNames& filters) {
    return layout<T>(
        name, "FC-VI rev 1.0, 7.1", octets(0, 148),
        field<&T::host_length>(at(0), filters.host_length, "Host address length"),
        field<&T::discriminator_length>(at(2), filters.discriminator_length, "Discriminator length"),
        field<&T::host>(at(4), filters.host, "Host address"),
        field<&T::discriminator>(at(20), filters.discriminator, "Discriminator"));
}

}  // namespace detail

template <>
inline constexpr auto layout_of<fcvi::ConnectHead> = layout<fcvi::ConnectHead>(
    "Connect payload", "ISO/IEC 14165-331, 6.8.3 and 6.9.3", octets(0, 12),
    field<&fcvi::ConnectHead::reserved1>(at(0), "fcvi.connect.reserved", "Reserved", hex, reserved),
    field<&fcvi::ConnectHead::reserved2>(at(4), "fcvi.connect.reserved", "Reserved", hex, reserved),
    field<&fcvi::ConnectHead::revision>(at(6), "fcvi.connect.revision", "Revision"),
    field<&fcvi::ConnectHead::handle>(at(8), "fcvi.connect.handle", "Sender's handle", hex));

template <>
inline constexpr auto layout_of<fcvi::ConnectHeadRev10> = layout<fcvi::ConnectHeadRev10>(
    "Connect payload", "FC-VI rev 1.0, 6.7 and 6.8", octets(0, 8),
    field<&fcvi::ConnectHeadRev10::revision>(at(0), "fcvi.connect.revision", "Revision"),
    field<&fcvi::ConnectHeadRev10::handle>(at(4), "fcvi.connect.handle", "Sender's handle", hex));

template <>
inline constexpr auto layout_of<fcvi::LocalAddress> =
    detail::fcvi_address<fcvi::LocalAddress>("Local address", detail::fcvi_local_names);
template <>
inline constexpr auto layout_of<fcvi::RemoteAddress> =
    detail::fcvi_address<fcvi::RemoteAddress>("Remote address", detail::fcvi_remote_names);
template <>
inline constexpr auto layout_of<fcvi::LocalAddressRev10> =
    detail::fcvi_address_rev_1_0<fcvi::LocalAddressRev10>("Local address", detail::fcvi_local_names);
template <>
inline constexpr auto layout_of<fcvi::RemoteAddressRev10> =
    detail::fcvi_address_rev_1_0<fcvi::RemoteAddressRev10>("Remote address", detail::fcvi_remote_names);

/// Tables 16 to 18
template <>
inline constexpr auto layout_of<fcvi::Attributes> = layout<fcvi::Attributes>(
    "VI attributes", "ISO/IEC 14165-331, 7.3", octets(0, 32),
    field<&fcvi::Attributes::reserved>(at(0), "fcvi.attributes.reserved", "Reserved", hex, reserved),
    field<&fcvi::Attributes::reliability_level>(
        at(2), "fcvi.attributes.reliability", "Reliability Level", names(fcvi::iso_reliability_names)),
    field<&fcvi::Attributes::reserved_flags>(
        bits(3, 0xFC), "fcvi.attributes.flags.reserved", "Reserved flags", hex, reserved),
    field<&fcvi::Attributes::en_rdma_wr>(bits(3, 0x02), "fcvi.attributes.en_rdma_wr", "RDMA Write enabled (EnRdmaWr)"),
    field<&fcvi::Attributes::en_rdma_rd>(bits(3, 0x01), "fcvi.attributes.en_rdma_rd", "RDMA Read enabled (EnRdmaRd)"),
    field<&fcvi::Attributes::max_trans_size>(at(4), "fcvi.attributes.max_trans_size", "Maximum transfer size"),
    field<&fcvi::Attributes::qos, &fcvi::Qos::preference>(
        at(8), "fcvi.attributes.qos.pref", "Preference", hex, names(fcvi::iso_pref_names)),
    field<&fcvi::Attributes::qos, &fcvi::Qos::reserved>(
        at(9, 3), "fcvi.attributes.qos.reserved", "Reserved", hex, reserved),
    field<&fcvi::Attributes::qos, &fcvi::Qos::max_bandwidth>(
        at(12), "fcvi.attributes.qos.max_bandwidth", "Maximum bandwidth"),
    field<&fcvi::Attributes::qos, &fcvi::Qos::min_bandwidth>(
        at(16), "fcvi.attributes.qos.min_bandwidth", "Minimum bandwidth"),
    field<&fcvi::Attributes::qos, &fcvi::Qos::max_delay>(at(20), "fcvi.attributes.qos.max_delay", "Maximum delay"),
    field<&fcvi::Attributes::qos, &fcvi::Qos::pipeline_depth>(
        at(24), "fcvi.attributes.qos.pipeline_depth", "Pipeline depth"),
    field<&fcvi::Attributes::undefined>(at(28), "fcvi.attributes.undefined", "Not defined", hex, reserved));

/// Tables 14 and 15, annex B table 2
template <>
inline constexpr auto layout_of<fcvi::AttributesRev10> = layout<fcvi::AttributesRev10>(
    "VI attributes", "FC-VI rev 1.0, 7.2", octets(0, 28),
    field<&fcvi::AttributesRev10::reliability_level>(
        at(0), "fcvi.attributes.reliability", "Reliability Level", names(fcvi::rev_1_0_reliability_names)),
    field<&fcvi::AttributesRev10::reserved1>(at(1, 3), "fcvi.attributes.reserved", "Reserved", hex, reserved),
    field<&fcvi::AttributesRev10::max_trans_size>(at(4), "fcvi.attributes.max_trans_size", "Maximum transfer size"),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::reserved_bits>(
        bits(8, 0xF8), "fcvi.attributes.qos.reserved", "Reserved", hex, reserved, clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::preference>(
        bits(8, 0x07), "fcvi.attributes.qos.precedence", "Precedence", names(fcvi::rev_1_0_precedence_names),
        clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::reserved>(
        at(9, 3), "fcvi.attributes.qos.reserved", "Reserved", hex, reserved, clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::max_bandwidth>(
        at(12), "fcvi.attributes.qos.max_bandwidth", "Maximum bandwidth", clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::min_bandwidth>(
        at(16), "fcvi.attributes.qos.min_bandwidth", "Minimum bandwidth", clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::qos, &fcvi::Qos::max_delay>(
        at(20), "fcvi.attributes.qos.max_delay", "Maximum delay", clause("FC-VI rev 1.0, annex B")),
    field<&fcvi::AttributesRev10::reserved_flags>(
        bits(24, 0xFC), "fcvi.attributes.flags.reserved", "Reserved flags", hex, reserved),
    field<&fcvi::AttributesRev10::en_rdma_wr>(
        bits(24, 0x02), "fcvi.attributes.en_rdma_wr", "RDMA Write enabled (EnRdmaWr)"),
    field<&fcvi::AttributesRev10::en_rdma_rd>(
        bits(24, 0x01), "fcvi.attributes.en_rdma_rd", "RDMA Read enabled (EnRdmaRd)"),
    field<&fcvi::AttributesRev10::reserved2>(at(25, 3), "fcvi.attributes.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<fcvi::ConnectInfo> = layout<fcvi::ConnectInfo>(
    "Connect Info", "ISO/IEC 14165-331, 6.8.3 and 6.9.3", octets(0, 256),
    field<&fcvi::ConnectInfo::octets>(at(0), "fcvi.connect.info", "Connect Info"));

}  // namespace fabricscope::layout
