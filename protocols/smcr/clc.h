// SPDX-License-Identifier: GPL-2.0-or-later
// Connection Layer Control: the messages on the TCP connection (RFC 7609, A.2; version 2: IBM SMC v2
// as Linux net/smc/smc_clc.h has it).
//
// A message is a chain of parts: a header, a body by type and version, optional extensions and a
// trailer. Each part is a struct with a layout; parse() finds the parts, walk() visits them in order
// with their offsets, build() puts them back.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/smcr/names.h"

namespace fabricscope::smcr {

enum class ClcType : std::uint8_t { proposal = 1, accept = 2, confirm = 3, decline = 4 };
inline constexpr std::array clc_type_names{
    ValueName{1, "PROPOSAL"}, ValueName{2, "ACCEPT"}, ValueName{3, "CONFIRM"}, ValueName{4, "DECLINE"}};

/// A DECLINE's peer diagnosis code, as Linux uses them (RFC 7609 leaves them open).
inline constexpr std::array decline_names{
    ValueName{0x01010000, "out of memory"},
    ValueName{0x02010000, "timeout waiting for CONFIRM LINK"},
    ValueName{0x02020000, "timeout waiting for ADD LINK"},
    ValueName{0x03000000, "configuration error"},
    ValueName{0x03010000, "peer does not do SMC"},
    ValueName{0x03020000, "IPsec in use"},
    ValueName{0x03030000, "no SMC device found"},
    ValueName{0x03030001, "no SMC-D device found"},
    ValueName{0x03030002, "no SMC-R device found"},
    ValueName{0x03030003, "no ISMv2 support"},
    ValueName{0x03030004, "peer sent no version 2 extension"},
    ValueName{0x03030005, "peer sent no SMC-Dv2 extension"},
    ValueName{0x03030006, "peer sent no SEID"},
    ValueName{0x03030007, "no SMC-Dv2 device found"},
    ValueName{0x03030008, "peer sent no user defined EID"},
    ValueName{0x03030009, "release cannot be negotiated"},
    ValueName{0x0303000A, "maximum connections cannot be negotiated"},
    ValueName{0x0303000B, "maximum links cannot be negotiated"},
    ValueName{0x03040000, "mode mismatch (SMC-R versus SMC-D)"},
    ValueName{0x03050000, "peer has RMBE eye catchers"},
    ValueName{0x03060000, "unsupported socket option"},
    ValueName{0x03070000, "IP subnet or prefix differs"},
    ValueName{0x03080000, "VLAN error"},
    ValueName{0x03090000, "VLAN registration error"},
    ValueName{0x030A0000, "no active link in the link group"},
    ValueName{0x030B0000, "the server's link was not found"},
    ValueName{0x030C0000, "version mismatch"},
    ValueName{0x030D0000, "too many DMBs for the SMC-D connection"},
    ValueName{0x030E0000, "no route to the peer"},
    ValueName{0x030F0000, "direct and indirect routing mismatch"},
    ValueName{0x04000000, "out of synchronization"},
    ValueName{0x05000000, "peer declined"},
    ValueName{0x09990000, "internal error"},
    ValueName{0x09990001, "internal error: RToken"},
    ValueName{0x09990002, "internal error: link could not be made ready"},
    ValueName{0x09990003, "internal error: buffer registration"}};

/// Octets of a CLC message that must be known to know its length.
inline constexpr std::size_t clc_header_size = 7;
/// No CLC message of any known version is longer: PROPOSAL with 8 prefixes, 8 EIDs and 8 ISM GIDs has 648.
inline constexpr std::size_t clc_max_length = 2048;

struct ClcHeader {
    std::uint32_t eye_catcher = eye_catcher_smc_r;
    ClcType type{};
    std::uint16_t length = 0;  ///< octets of the whole message, trailer included
};

struct ClcTrailer {
    std::uint32_t eye_catcher = eye_catcher_smc_r;
};

struct PeerId {
    std::uint16_t instance = 0;  ///< changes when the peer restarts
    Mac mac;                     ///< of one of the peer's RNICs
    auto operator<=>(const PeerId&) const = default;
};

// ---- PROPOSAL (A.2.2) ----------------------------------------------------------------------------

struct ProposalVersion1 {
    std::uint8_t version = 1;
    bool reserved_flag = false;
    bool reserved = false;
    std::uint8_t path = 0;
};

struct ProposalVersion2 {
    std::uint8_t version = 2;
    std::uint8_t type_v2 = 0;  ///< what is offered as version 2
    std::uint8_t type_v1 = 0;  ///< what is offered as version 1
};

struct ProposalBody {
    PeerId peer_id;
    Gid gid;                           ///< preferred
    Mac mac;                           ///< preferred
    std::uint16_t ip_area_offset = 0;  ///< of the IP area, counted from octet 40
};

/// What Linux and z/OS put into the growth area since SMC-D exists.
struct SmcdArea {
    std::uint64_t ism_gid = 0;
    std::uint16_t ism_chid = 0;
    std::uint16_t v2_extension_offset = 0;  ///< counted from octet 52; 0 = no extension
    Bytes<3> vendor_oui;
    Bytes<5> vendor_options;
    Bytes<20> reserved;
};

struct IpArea {
    Ipv4 subnet;                   ///< the RFC calls it a mask and uses it as the subnet's number
    std::uint8_t mask_length = 0;  ///< bits
    Bytes<2> reserved;
    std::uint8_t prefix_count = 0;  ///< of the IPv6 prefixes that follow, at most 8
};

struct Ipv6Prefix {
    Gid prefix;
    std::uint8_t length = 0;  ///< bits
};

struct ProposalV2Extension {
    std::uint8_t eid_count = 0;
    std::uint8_t ism_gid_count = 0;
    std::uint8_t reserved1 = 0;
    std::uint8_t release = 0;
    std::uint8_t reserved2 = 0;
    bool seid_present = false;
    Bytes<2> reserved3;
    std::uint16_t smcd_extension_offset = 0;  ///< counted from octet 8 of this part; 0 = none
    Gid roce_gid;                             ///< an IPv4 address is in the last four octets
    std::uint8_t max_connections = 0;
    std::uint8_t max_links = 0;
    std::uint16_t features = 0;
    Bytes<12> reserved4;
};

/// An Enterprise ID: peers with none in common do not do SMC version 2.
struct Eid {
    Text<32> text;
};

struct SmcdV2Extension {
    Text<32> seid;
    Bytes<16> reserved;
};

struct IsmGid {
    std::uint64_t gid = 0;
    std::uint16_t chid = 0;
};

struct Proposal {
    std::variant<ProposalVersion1, ProposalVersion2> version;
    ProposalBody body;
    std::optional<SmcdArea> smcd;
    std::optional<IpArea> ip;
    layout::List<Ipv6Prefix> prefixes;
    std::optional<ProposalV2Extension> v2;
    layout::List<Eid> eids;
    std::optional<SmcdV2Extension> smcd_v2;
    layout::List<IsmGid> ism_gids;
    // Octets between the parts above that no known version gives a meaning to.
    ByteView before_ip, before_v2, before_smcd_v2, before_trailer;
};

// ---- ACCEPT and CONFIRM (A.2.3, A.2.4) -----------------------------------------------------------

struct SmcrAcceptConfirmBody {
    std::uint8_t version = 1;
    bool first_contact = false;
    bool reserved1 = false;
    std::uint8_t path = 0;
    PeerId peer_id;
    Gid gid;
    Mac mac;
    std::uint32_t qpn = 0;       ///< 24 bits
    std::uint32_t rkey = 0;      ///< of the RMB
    std::uint8_t rmb_index = 0;  ///< of the element, from 1
    std::uint32_t alert_token = 0;
    std::uint8_t buffer_size = 0;  ///< compressed, see buffer_size()
    std::uint8_t mtu = 0;          ///< coded, see mtu_octets()
    std::uint8_t reserved2 = 0;
    std::uint64_t rmb_address = 0;  ///< virtual address of the RMB
    std::uint8_t reserved3 = 0;
    std::uint32_t initial_psn = 0;  ///< 24 bits
};

struct SmcrAcceptConfirmV2 {
    Eid eid;
    Bytes<8> reserved;
};

struct FirstContactExtension {
    bool direct = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t os_type = 0;
    std::uint8_t release = 0;
    Bytes<2> reserved2;
    Text<32> hostname;
};

/// Follows FirstContactExtension in SMC-R and, from release 1, in SMC-D; release 0 sends zeros here.
struct FirstContactExtensionV2x {
    std::uint8_t max_connections = 0;
    std::uint8_t max_links = 0;
    std::uint16_t features = 0;
    Bytes<4> vendor_options;
    Bytes<8> reserved;
};

struct GidListHeader {
    std::uint8_t count = 0;
    Bytes<3> reserved;
};

struct GidEntry {
    Gid gid;
};

struct SmcrAcceptConfirm {
    SmcrAcceptConfirmBody body;
    std::optional<SmcrAcceptConfirmV2> v2;
    std::optional<FirstContactExtension> first_contact;
    std::optional<FirstContactExtensionV2x> first_contact_v2x;
    std::optional<GidListHeader> gid_list;  ///< CONFIRM only: the client's RoCEv2 GIDs
    layout::List<GidEntry> gids;
    ByteView before_trailer;
};

struct SmcdAcceptConfirmBody {
    std::uint8_t version = 1;
    bool first_contact = false;
    bool reserved1 = false;
    std::uint8_t path = 1;
    std::uint64_t gid = 0;
    std::uint64_t token = 0;  ///< of the DMB
    std::uint8_t dmb_index = 0;
    std::uint8_t buffer_size = 0;
    std::uint8_t reserved2 = 0;
    Bytes<2> reserved3;
    std::uint32_t link_id = 0;
};

struct SmcdAcceptConfirmV1 {
    Bytes<12> reserved;
};

struct SmcdAcceptConfirmV2 {
    std::uint16_t chid = 0;
    Eid eid;
    Bytes<8> extended_gid;
};

struct SmcdAcceptConfirm {
    SmcdAcceptConfirmBody body;
    std::variant<SmcdAcceptConfirmV1, SmcdAcceptConfirmV2> tail;
    std::optional<FirstContactExtension> first_contact;
    std::optional<FirstContactExtensionV2x> first_contact_v2x;
    ByteView before_trailer;
};

// ---- DECLINE (A.2.5) -----------------------------------------------------------------------------

struct DeclineBody {
    std::uint8_t version = 1;
    bool out_of_sync = false;  ///< S: the receiver must forget the link group
    bool reserved1 = false;
    std::uint8_t path = 0;
    PeerId peer_id;
    std::uint32_t diagnosis = 0;
    std::uint8_t os_type = 0;  ///< version 2; reserved in version 1
    std::uint8_t reserved2 = 0;
    Bytes<3> reserved3;
};

/// More codes of the sender's own choosing.
struct DeclineV2 {
    std::uint32_t diagnosis1 = 0;
    std::uint32_t diagnosis2 = 0;
    std::uint32_t diagnosis3 = 0;
    std::uint32_t diagnosis4 = 0;
};

struct Decline {
    DeclineBody body;
    std::optional<DeclineV2> v2;
    ByteView before_trailer;
};

// ---- any message ---------------------------------------------------------------------------------

struct UnknownClc {
    ByteView octets;  ///< between header and trailer
};

struct ClcMessage {
    ClcHeader header;
    std::variant<UnknownClc, Proposal, SmcrAcceptConfirm, SmcdAcceptConfirm, Decline> body;
    std::optional<ClcTrailer> trailer;
    layout::ParseError error;  ///< the parts before the error are filled in

    std::uint8_t version() const;  ///< 1 or 2; 0 if unknown
};

/// The length that a message beginning with `stream` claims, if `stream` can be the begin of a CLC
/// message at all: eye catcher, type and a length that the type can have. Fewer than clc_header_size
/// octets: clc_header_size while they agree with an eye catcher. 0 = this is not CLC.
std::size_t clc_length(ByteView stream);

/// Parses one message. `octets` is what was captured of it (at most header.length are read). The
/// views in the result point into `octets`.
ClcMessage parse_clc(ByteView octets);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for octets without a layout.
template <class Visitor> void walk(const ClcMessage& message, Visitor&& visit);

/// The message as it stands on the wire.
std::vector<std::uint8_t> build(const ClcMessage& message);

}  // namespace fabricscope::smcr

// ---- where the fields stand --------------------------------------------------------------------

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<smcr::ClcHeader> = layout<smcr::ClcHeader>(
    "CLC header", "RFC 7609, A.2", octets(0, 7),
    field<&smcr::ClcHeader::eye_catcher>(
        at(0), "smcr.clc.eye_catcher", "Eye catcher", hex, names(smcr::eye_catcher_names)),
    field<&smcr::ClcHeader::type>(at(4), "smcr.clc.type", "Message type", names(smcr::clc_type_names)),
    field<&smcr::ClcHeader::length>(at(5), "smcr.clc.length", "Message length"));

template <>
inline constexpr auto layout_of<smcr::ClcTrailer> = layout<smcr::ClcTrailer>(
    "CLC trailer", "RFC 7609, A.2", octets(0, 4),
    field<&smcr::ClcTrailer::eye_catcher>(
        at(0), "smcr.clc.trailer", "Trailing eye catcher", hex, names(smcr::eye_catcher_names)));

// ---- PROPOSAL ----

template <>
inline constexpr auto layout_of<smcr::ProposalVersion1> = layout<smcr::ProposalVersion1>(
    "Version", "RFC 7609, A.2.2", octets(7, 8),
    field<&smcr::ProposalVersion1::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::ProposalVersion1::reserved_flag>(bits(7, 0x08), "smcr.clc.proposal.flag", "Flag", reserved),
    field<&smcr::ProposalVersion1::reserved>(bits(7, 0x04), "smcr.clc.reserved", "Reserved", reserved),
    field<&smcr::ProposalVersion1::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::smc_type_names)));

template <>
inline constexpr auto layout_of<smcr::ProposalVersion2> = layout<smcr::ProposalVersion2>(
    "Version", "IBM SMC v2, PROPOSAL", octets(7, 8),
    field<&smcr::ProposalVersion2::version>(bits(7, 0xF0), "smcr.clc.version", "Version"),
    field<&smcr::ProposalVersion2::type_v2>(
        bits(7, 0x0C), "smcr.clc.proposal.type_v2", "Offered in version 2", names(smcr::smc_type_names)),
    field<&smcr::ProposalVersion2::type_v1>(
        bits(7, 0x03), "smcr.clc.proposal.type_v1", "Offered in version 1", names(smcr::smc_type_names)));

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
    field<&smcr::SmcrAcceptConfirmBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::smc_type_names)),
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
        bits(50, 0xF0), "smcr.clc.buffer_size", "RMB element size", names(smcr::buffer_size_names)),
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
        bits(1, 0xF0), "smcr.clc.os_type", "Operating system", names(smcr::os_type_names)),
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
    field<&smcr::SmcdAcceptConfirmBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::smc_type_names)),
    field<&smcr::SmcdAcceptConfirmBody::gid>(at(8), "smcr.clc.smcd.gid", "ISM GID", hex),
    field<&smcr::SmcdAcceptConfirmBody::token>(at(16), "smcr.clc.smcd.token", "DMB token", hex),
    field<&smcr::SmcdAcceptConfirmBody::dmb_index>(at(24), "smcr.clc.smcd.dmb_index", "DMB element index"),
    field<&smcr::SmcdAcceptConfirmBody::buffer_size>(
        bits(25, 0xF0), "smcr.clc.smcd.buffer_size", "DMB element size", names(smcr::buffer_size_names)),
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
    field<&smcr::DeclineBody::path>(bits(7, 0x03), "smcr.clc.path", "Path", names(smcr::smc_type_names)),
    field<&smcr::DeclineBody::peer_id, &smcr::PeerId::instance>(
        at(8), "smcr.clc.peer_id.instance", "Peer ID, instance number"),
    field<&smcr::DeclineBody::peer_id, &smcr::PeerId::mac>(at(10), "smcr.clc.peer_id.mac", "Peer ID, RoCE MAC"),
    field<&smcr::DeclineBody::diagnosis>(
        at(16), "smcr.clc.decline.diagnosis", "Peer diagnosis", hex, names(smcr::decline_names)),
    field<&smcr::DeclineBody::os_type>(
        bits(20, 0xF0), "smcr.clc.os_type", "Operating system", names(smcr::os_type_names)),
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
