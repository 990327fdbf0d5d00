// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of the connect payload's parts.
#pragma once

#include "protocols/fcvi/connect.h"

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
