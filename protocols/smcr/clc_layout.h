// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of the CLC messages' parts, and the order of the parts. Included by clc.h.
#pragma once

#include "protocols/smcr/clc.h"

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<smcr::ClcHeader> = layout<smcr::ClcHeader>(
    "CLC header", "RFC 7609, A.2", octets(0, 7),
    field<&smcr::ClcHeader::eye_catcher>(
        at(0), "smcr.clc.eye_catcher", "Eye catcher", hex, names(smcr::kEyeCatcherNames)),
    field<&smcr::ClcHeader::type>(at(4), "smcr.clc.type", "Message type", names(smcr::kClcTypeNames)),
    field<&smcr::ClcHeader::length>(at(5), "smcr.clc.length", "Message length"));

template <>
inline constexpr auto layout_of<smcr::ClcTrailer> = layout<smcr::ClcTrailer>(
    "CLC trailer", "RFC 7609, A.2", octets(0, 4),
    field<&smcr::ClcTrailer::eye_catcher>(
        at(0), "smcr.clc.trailer", "Trailing eye catcher", hex, names(smcr::kEyeCatcherNames)));

// ---- PROPOSAL ----

template <>
inline constexpr auto layout_of<smcr::ProposalVersion1> = layout<smcr::ProposalVersion1>(
    "Version", "RFC 7609, A.2.2", octets(7, 8),
    field<&smcr::ProposalVersion1::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::ProposalVersion1::reserved_flag>(bits(7, 0x08), "smcr.clc.proposal.flag", "Flag", reserved),
    field<&smcr::ProposalVersion1::reserved>(bits(7, 0x04), "smcr.clc.reserved", "Reserved", reserved),
    field<&smcr::ProposalVersion1::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::kSmcTypeNames)));

template <>
inline constexpr auto layout_of<smcr::ProposalVersion2> = layout<smcr::ProposalVersion2>(
    "Version", "IBM SMC v2, PROPOSAL", octets(7, 8),
    field<&smcr::ProposalVersion2::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::ProposalVersion2::type_v2>(
        bits(7, 0x0C), "smcr.clc.proposal.type_v2", "Offered in version 2", names(smcr::kSmcTypeNames)),
    field<&smcr::ProposalVersion2::type_v1>(
        bits(7, 0x03), "smcr.clc.proposal.type_v1", "Offered in version 1", names(smcr::kSmcTypeNames)));

template <>
inline constexpr auto layout_of<smcr::ProposalBody> = layout<smcr::ProposalBody>(
    "PROPOSAL", "RFC 7609, A.2.2", octets(8, 40),
    field<&smcr::ProposalBody::peer_id, &smcr::PeerId::instance>(
        at(8), "smcr.clc.peer_id.instance", "Peer ID, instance number"),
    field<&smcr::ProposalBody::peer_id, &smcr::PeerId::mac>(at(10), "smcr.clc.peer_id.mac", "Peer ID, RoCE MAC"),
    field<&smcr::ProposalBody::gid>(at(16), "smcr.clc.gid", "GID"),
    field<&smcr::ProposalBody::mac>(at(32), "smcr.clc.mac", "RoCE MAC"),
    field<&smcr::ProposalBody::ip_area_offset>(at(38), "smcr.clc.proposal.ip_area_offset", "IP area offset"));

template <>
inline constexpr auto layout_of<smcr::SmcdArea> = layout<smcr::SmcdArea>(
    "SMC-D and version 2 area", "IBM SMC v2, PROPOSAL", octets(0, 40),
    field<&smcr::SmcdArea::ism_gid>(at(0), "smcr.clc.proposal.ism_gid", "ISM GID", hex),
    field<&smcr::SmcdArea::ism_chid>(at(8), "smcr.clc.proposal.ism_chid", "ISM CHID", hex),
    field<&smcr::SmcdArea::v2_extension_offset>(
        at(10), "smcr.clc.proposal.v2_extension_offset", "Version 2 extension offset"),
    field<&smcr::SmcdArea::vendor_oui>(at(12), "smcr.clc.proposal.vendor_oui", "Vendor OUI"),
    field<&smcr::SmcdArea::vendor_options>(at(15), "smcr.clc.proposal.vendor_options", "Vendor options"),
    field<&smcr::SmcdArea::reserved>(at(20), "smcr.clc.proposal.smcd_reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::IpArea> = layout<smcr::IpArea>(
    "IP area", "RFC 7609, A.2.2", octets(0, 8),
    field<&smcr::IpArea::subnet>(at(0), "smcr.clc.proposal.subnet", "IPv4 subnet"),
    field<&smcr::IpArea::mask_length>(at(4), "smcr.clc.proposal.mask_length", "IPv4 mask length"),
    field<&smcr::IpArea::reserved>(at(5), "smcr.clc.proposal.ip_reserved", "Reserved", reserved),
    field<&smcr::IpArea::prefix_count>(at(7), "smcr.clc.proposal.prefix_count", "IPv6 prefix count"));

template <>
inline constexpr auto layout_of<smcr::Ipv6Prefix> = layout<smcr::Ipv6Prefix>(
    "IPv6 prefix", "RFC 7609, A.2.2", octets(0, 17),
    field<&smcr::Ipv6Prefix::prefix>(at(0), "smcr.clc.proposal.prefix", "IPv6 prefix"),
    field<&smcr::Ipv6Prefix::length>(at(16), "smcr.clc.proposal.prefix_length", "IPv6 prefix length"));

template <>
inline constexpr auto layout_of<smcr::ProposalV2Extension> = layout<smcr::ProposalV2Extension>(
    "Version 2 extension", "IBM SMC v2, PROPOSAL", octets(0, 40),
    field<&smcr::ProposalV2Extension::eid_count>(at(0), "smcr.clc.proposal.eid_count", "EID count"),
    field<&smcr::ProposalV2Extension::ism_gid_count>(at(1), "smcr.clc.proposal.ism_gid_count", "ISM GID count"),
    field<&smcr::ProposalV2Extension::reserved1>(at(2), "smcr.clc.proposal.v2_reserved1", "Reserved", reserved),
    field<&smcr::ProposalV2Extension::release>(bits(3, 0xF0), "smcr.clc.release", "Release"),
    field<&smcr::ProposalV2Extension::reserved2>(bits(3, 0x0E), "smcr.clc.proposal.v2_reserved2", "Reserved", reserved),
    field<&smcr::ProposalV2Extension::seid_present>(bits(3, 0x01), "smcr.clc.proposal.seid_present", "SEID present"),
    field<&smcr::ProposalV2Extension::reserved3>(at(4), "smcr.clc.proposal.v2_reserved3", "Reserved", reserved),
    field<&smcr::ProposalV2Extension::smcd_extension_offset>(
        at(6), "smcr.clc.proposal.smcd_extension_offset", "SMC-Dv2 extension offset"),
    field<&smcr::ProposalV2Extension::roce_gid>(at(8), "smcr.clc.proposal.roce_gid", "RoCEv2 GID"),
    field<&smcr::ProposalV2Extension::max_connections>(
        at(24), "smcr.clc.max_connections", "Maximum connections per link group"),
    field<&smcr::ProposalV2Extension::max_links>(at(25), "smcr.clc.max_links", "Maximum links per link group"),
    field<&smcr::ProposalV2Extension::features>(at(26), "smcr.clc.features", "Feature mask", hex),
    field<&smcr::ProposalV2Extension::reserved4>(at(28), "smcr.clc.proposal.v2_reserved4", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::Eid> = layout<smcr::Eid>(
    "EID", "IBM SMC v2", octets(0, 32), field<&smcr::Eid::text>(at(0), "smcr.clc.eid", "Enterprise ID"));

template <>
inline constexpr auto layout_of<smcr::SmcdV2Extension> = layout<smcr::SmcdV2Extension>(
    "SMC-Dv2 extension", "IBM SMC v2, PROPOSAL", octets(0, 48),
    field<&smcr::SmcdV2Extension::seid>(at(0), "smcr.clc.proposal.seid", "System EID"),
    field<&smcr::SmcdV2Extension::reserved>(at(32), "smcr.clc.proposal.smcd_v2_reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::IsmGid> = layout<smcr::IsmGid>(
    "ISM GID", "IBM SMC v2, PROPOSAL", octets(0, 10),
    field<&smcr::IsmGid::gid>(at(0), "smcr.clc.proposal.ism_gid", "ISM GID", hex),
    field<&smcr::IsmGid::chid>(at(8), "smcr.clc.proposal.ism_chid", "ISM CHID", hex));

// ---- ACCEPT and CONFIRM ----

template <>
inline constexpr auto layout_of<smcr::SmcrAcceptConfirmBody> = layout<smcr::SmcrAcceptConfirmBody>(
    "ACCEPT or CONFIRM", "RFC 7609, A.2.3 and A.2.4", octets(7, 64),
    field<&smcr::SmcrAcceptConfirmBody::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::SmcrAcceptConfirmBody::first_contact>(bits(7, 0x08), "smcr.clc.first_contact", "First contact"),
    field<&smcr::SmcrAcceptConfirmBody::reserved1>(bits(7, 0x04), "smcr.clc.reserved", "Reserved", reserved),
    field<&smcr::SmcrAcceptConfirmBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::kSmcTypeNames)),
    field<&smcr::SmcrAcceptConfirmBody::peer_id, &smcr::PeerId::instance>(
        at(8), "smcr.clc.peer_id.instance", "Peer ID, instance number"),
    field<&smcr::SmcrAcceptConfirmBody::peer_id, &smcr::PeerId::mac>(
        at(10), "smcr.clc.peer_id.mac", "Peer ID, RoCE MAC"),
    field<&smcr::SmcrAcceptConfirmBody::gid>(at(16), "smcr.clc.gid", "GID"),
    field<&smcr::SmcrAcceptConfirmBody::mac>(at(32), "smcr.clc.mac", "RoCE MAC"),
    field<&smcr::SmcrAcceptConfirmBody::qpn>(at(38, 3), "smcr.clc.qpn", "QP number", hex),
    field<&smcr::SmcrAcceptConfirmBody::rkey>(at(41), "smcr.clc.rkey", "RMB RKey", hex),
    field<&smcr::SmcrAcceptConfirmBody::rmb_index>(at(45), "smcr.clc.rmb_index", "RMB element index"),
    field<&smcr::SmcrAcceptConfirmBody::alert_token>(at(46), "smcr.clc.alert_token", "Alert token", hex),
    field<&smcr::SmcrAcceptConfirmBody::buffer_size>(
        bits(50, 0xF0), "smcr.clc.buffer_size", "RMB element size", names(smcr::kBufferSizeNames)),
    field<&smcr::SmcrAcceptConfirmBody::mtu>(bits(50, 0x0F), "smcr.clc.mtu", "Path MTU", names(ib::mtu_names)),
    field<&smcr::SmcrAcceptConfirmBody::reserved2>(at(51), "smcr.clc.reserved2", "Reserved", reserved),
    field<&smcr::SmcrAcceptConfirmBody::rmb_address>(at(52), "smcr.clc.rmb_address", "RMB virtual address", hex),
    field<&smcr::SmcrAcceptConfirmBody::reserved3>(at(60), "smcr.clc.reserved3", "Reserved", reserved),
    field<&smcr::SmcrAcceptConfirmBody::initial_psn>(at(61, 3), "smcr.clc.initial_psn", "Initial PSN", hex));

template <>
inline constexpr auto layout_of<smcr::SmcrAcceptConfirmV2> = layout<smcr::SmcrAcceptConfirmV2>(
    "Version 2 fields", "IBM SMC v2, ACCEPT and CONFIRM", octets(64, 104),
    field<&smcr::SmcrAcceptConfirmV2::eid, &smcr::Eid::text>(at(64), "smcr.clc.eid", "Enterprise ID"),
    field<&smcr::SmcrAcceptConfirmV2::reserved>(at(96), "smcr.clc.v2_reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::FirstContactExtension> = layout<smcr::FirstContactExtension>(
    "First contact extension", "IBM SMC v2, ACCEPT and CONFIRM", octets(0, 36),
    field<&smcr::FirstContactExtension::direct>(bits(0, 0x80), "smcr.clc.fce.direct", "Not routed (v2 direct)"),
    field<&smcr::FirstContactExtension::reserved1>(bits(0, 0x7F), "smcr.clc.fce.reserved1", "Reserved", reserved),
    field<&smcr::FirstContactExtension::os_type>(
        bits(1, 0xF0), "smcr.clc.os_type", "Operating system", names(smcr::kOsTypeNames)),
    field<&smcr::FirstContactExtension::release>(bits(1, 0x0F), "smcr.clc.release", "Release"),
    field<&smcr::FirstContactExtension::reserved2>(at(2), "smcr.clc.fce.reserved2", "Reserved", reserved),
    field<&smcr::FirstContactExtension::hostname>(at(4), "smcr.clc.hostname", "Host name"));

template <>
inline constexpr auto layout_of<smcr::FirstContactExtensionV2x> = layout<smcr::FirstContactExtensionV2x>(
    "First contact extension, release 1", "IBM SMC v2.1, ACCEPT and CONFIRM", octets(36, 52),
    field<&smcr::FirstContactExtensionV2x::max_connections>(
        at(36), "smcr.clc.max_connections", "Maximum connections per link group"),
    field<&smcr::FirstContactExtensionV2x::max_links>(at(37), "smcr.clc.max_links", "Maximum links per link group"),
    field<&smcr::FirstContactExtensionV2x::features>(at(38), "smcr.clc.features", "Feature mask", hex),
    field<&smcr::FirstContactExtensionV2x::vendor_options>(at(40), "smcr.clc.fce.vendor_options", "Vendor options"),
    field<&smcr::FirstContactExtensionV2x::reserved>(at(44), "smcr.clc.fce.reserved3", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::GidListHeader> = layout<smcr::GidListHeader>(
    "GID list", "IBM SMC v2, CONFIRM", octets(0, 4),
    field<&smcr::GidListHeader::count>(at(0), "smcr.clc.gid_list.count", "GID count"),
    field<&smcr::GidListHeader::reserved>(at(1), "smcr.clc.gid_list.reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::GidEntry> = layout<smcr::GidEntry>(
    "GID", "IBM SMC v2", octets(0, 16), field<&smcr::GidEntry::gid>(at(0), "smcr.gid_list.gid", "GID"));

template <>
inline constexpr auto layout_of<smcr::SmcdAcceptConfirmBody> = layout<smcr::SmcdAcceptConfirmBody>(
    "SMC-D ACCEPT or CONFIRM", "IBM SMC v2, SMC-D ACCEPT and CONFIRM", octets(7, 32),
    field<&smcr::SmcdAcceptConfirmBody::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::SmcdAcceptConfirmBody::first_contact>(bits(7, 0x08), "smcr.clc.first_contact", "First contact"),
    field<&smcr::SmcdAcceptConfirmBody::reserved1>(bits(7, 0x04), "smcr.clc.reserved", "Reserved", reserved),
    field<&smcr::SmcdAcceptConfirmBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::kSmcTypeNames)),
    field<&smcr::SmcdAcceptConfirmBody::gid>(at(8), "smcr.clc.smcd.gid", "ISM GID", hex),
    field<&smcr::SmcdAcceptConfirmBody::token>(at(16), "smcr.clc.smcd.token", "DMB token", hex),
    field<&smcr::SmcdAcceptConfirmBody::dmb_index>(at(24), "smcr.clc.smcd.dmb_index", "DMB element index"),
    field<&smcr::SmcdAcceptConfirmBody::buffer_size>(
        bits(25, 0xF0), "smcr.clc.smcd.buffer_size", "DMB element size", names(smcr::kBufferSizeNames)),
    field<&smcr::SmcdAcceptConfirmBody::reserved2>(bits(25, 0x0F), "smcr.clc.smcd.reserved2", "Reserved", reserved),
    field<&smcr::SmcdAcceptConfirmBody::reserved3>(at(26), "smcr.clc.smcd.reserved3", "Reserved", reserved),
    field<&smcr::SmcdAcceptConfirmBody::link_id>(at(28), "smcr.clc.smcd.link_id", "Link ID", hex));

template <>
inline constexpr auto layout_of<smcr::SmcdAcceptConfirmV1> = layout<smcr::SmcdAcceptConfirmV1>(
    "SMC-D version 1 fields", "IBM SMC v2, SMC-D ACCEPT and CONFIRM", octets(32, 44),
    field<&smcr::SmcdAcceptConfirmV1::reserved>(at(32), "smcr.clc.smcd.reserved4", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::SmcdAcceptConfirmV2> = layout<smcr::SmcdAcceptConfirmV2>(
    "SMC-D version 2 fields", "IBM SMC v2, SMC-D ACCEPT and CONFIRM", octets(32, 74),
    field<&smcr::SmcdAcceptConfirmV2::chid>(at(32), "smcr.clc.smcd.chid", "ISM CHID", hex),
    field<&smcr::SmcdAcceptConfirmV2::eid, &smcr::Eid::text>(at(34), "smcr.clc.eid", "Enterprise ID"),
    field<&smcr::SmcdAcceptConfirmV2::extended_gid>(at(66), "smcr.clc.smcd.extended_gid", "ISM GID extension"));

// ---- DECLINE ----

template <>
inline constexpr auto layout_of<smcr::DeclineBody> = layout<smcr::DeclineBody>(
    "DECLINE", "RFC 7609, A.2.5", octets(7, 24),
    field<&smcr::DeclineBody::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::DeclineBody::out_of_sync>(bits(7, 0x08), "smcr.clc.decline.out_of_sync", "Out of synchronization (S)"),
    field<&smcr::DeclineBody::reserved1>(bits(7, 0x04), "smcr.clc.reserved", "Reserved", reserved),
    field<&smcr::DeclineBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::kSmcTypeNames)),
    field<&smcr::DeclineBody::peer_id, &smcr::PeerId::instance>(
        at(8), "smcr.clc.peer_id.instance", "Peer ID, instance number"),
    field<&smcr::DeclineBody::peer_id, &smcr::PeerId::mac>(at(10), "smcr.clc.peer_id.mac", "Peer ID, RoCE MAC"),
    field<&smcr::DeclineBody::diagnosis>(
        at(16), "smcr.clc.decline.diagnosis", "Peer diagnosis", hex, names(smcr::kDeclineNames)),
    field<&smcr::DeclineBody::os_type>(
        bits(20, 0xF0), "smcr.clc.os_type", "Operating system", names(smcr::kOsTypeNames)),
    field<&smcr::DeclineBody::reserved2>(bits(20, 0x0F), "smcr.clc.decline.reserved2", "Reserved", reserved),
    field<&smcr::DeclineBody::reserved3>(at(21), "smcr.clc.decline.reserved3", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::DeclineV2> = layout<smcr::DeclineV2>(
    "Version 2 fields", "IBM SMC v2, DECLINE", octets(24, 40),
    field<&smcr::DeclineV2::diagnosis1>(at(24), "smcr.clc.decline.diagnosis1", "Peer diagnosis 1", hex),
    field<&smcr::DeclineV2::diagnosis2>(at(28), "smcr.clc.decline.diagnosis2", "Peer diagnosis 2", hex),
    field<&smcr::DeclineV2::diagnosis3>(at(32), "smcr.clc.decline.diagnosis3", "Peer diagnosis 3", hex),
    field<&smcr::DeclineV2::diagnosis4>(at(36), "smcr.clc.decline.diagnosis4", "Peer diagnosis 4", hex));

}  // namespace fabricscope::layout

namespace fabricscope::smcr {

namespace detail {

template <class V> void walk_body(Walker<V>& w, const UnknownClc& body) {
    w.octets(body.octets, {.label = "Unknown content"});
}

template <class V> void walk_body(Walker<V>& w, const Proposal& body) {
    std::visit([&](const auto& version) { w.part(version); }, body.version);
    w.part(body.body);
    w.part(body.smcd);
    w.octets(body.before_ip, {.label = "Growth area"});
    w.part(body.ip);
    w.list(body.prefixes);
    w.octets(body.before_v2, {.label = "Unknown content"});
    w.part(body.v2);
    w.list(body.eids);
    w.octets(body.before_smcd_v2, {.label = "Unknown content"});
    w.part(body.smcd_v2);
    w.list(body.ism_gids);
    w.octets(body.before_trailer, {.label = "Unknown content"});
}

template <class V> void walk_body(Walker<V>& w, const SmcrAcceptConfirm& body) {
    w.part(body.body);
    w.part(body.v2);
    w.part(body.first_contact);
    w.part(body.first_contact_v2x);
    w.part(body.gid_list);
    w.list(body.gids);
    w.octets(body.before_trailer, {.label = "Unknown content"});
}

template <class V> void walk_body(Walker<V>& w, const SmcdAcceptConfirm& body) {
    w.part(body.body);
    std::visit([&](const auto& tail) { w.part(tail); }, body.tail);
    w.part(body.first_contact);
    w.part(body.first_contact_v2x);
    w.octets(body.before_trailer, {.label = "Unknown content"});
}

template <class V> void walk_body(Walker<V>& w, const Decline& body) {
    w.part(body.body);
    w.part(body.v2);
    w.octets(body.before_trailer, {.label = "Unknown content"});
}

}  // namespace detail

template <class Visitor> void walk(const ClcMessage& message, Visitor&& visit) {
    Walker walker(visit);
    walker.part(message.header);
    std::visit([&](const auto& body) { detail::walk_body(walker, body); }, message.body);
    walker.part(message.trailer);
}

}  // namespace fabricscope::smcr
