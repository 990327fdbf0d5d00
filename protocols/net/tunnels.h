// SPDX-License-Identifier: GPL-2.0-or-later
// Headers that carry frames or packets of another network, with Wireshark's filter names. All fields are big-endian.
#pragma once

#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::net {

/// What a tunnel says that it carries, as an EtherType; some mean something in GRE only.
enum TunnelledType : std::uint16_t {
    tunnelled_ethernet = 0x6558,  ///< Transparent Ethernet Bridging; with a key: NVGRE
    tunnelled_erspan = 0x88BE,    ///< type I, or II if packets are numbered
    tunnelled_erspan_3 = 0x22EB,
    ether_type_mpls = 0x8847,
    ether_type_mpls_upstream = 0x8848,
    ether_type_vn_tag = 0x8926,
    ether_type_pppoe_session = 0x8864,
    ether_type_macsec = 0x88E5,
    ether_type_provider_backbone = 0x88E7,
};

enum TunnelProtocol : std::uint8_t {
    protocol_ipv4 = 4,
    protocol_ipv6 = 41,
    protocol_gre = 47,
    protocol_esp = 50,
};

enum TunnelPort : std::uint16_t {
    port_vxlan = 4789,
    port_geneve = 6081,
    port_gtp_u = 2152,
    port_l2tp = 1701,
};

struct Gre {
    bool checksum_present;
    bool routing_present;
    bool key_present;
    bool sequence_present;
    std::uint16_t reserved;
    std::uint8_t version;    ///< 0
    std::uint16_t protocol;  ///< EtherType
};
inline constexpr std::uint32_t gre_option_size = 4;  ///< of the checksum, the key, and the sequence number

struct Vxlan {
    std::uint8_t flags;
    std::uint32_t reserved_24;
    std::uint32_t vni;
    std::uint8_t reserved_8;
};
inline constexpr std::uint8_t vxlan_has_vni = 0x08;

struct Geneve {
    std::uint8_t version;         ///< 0
    std::uint8_t options_length;  ///< in 4-octet words
    std::uint8_t flags;
    std::uint16_t protocol;  ///< EtherType
    std::uint32_t vni;
    std::uint8_t reserved;
};

struct MplsLabel {
    std::uint32_t label;
    std::uint8_t traffic_class;
    bool bottom_of_stack;
    std::uint8_t time_to_live;
};

/// Cisco's tag of a virtual interface, behind its EtherType.
struct VnTag {
    std::uint32_t tag;
    std::uint16_t type;  ///< EtherType of what follows
};

inline constexpr std::uint32_t erspan_2_size = 8;
struct Erspan3 {
    std::uint32_t session;
    std::uint32_t timestamp;
    std::uint32_t group;  ///< security group, kind of frame, hardware, direction, granularity
    bool subheader_present;
};
inline constexpr std::uint32_t erspan_3_subheader_size = 8;

}  // namespace fabricscope::net

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<net::Gre> = layout<net::Gre>(
    "GRE", "RFC 2784, RFC 2890", octets(0, 4),
    field<&net::Gre::checksum_present>(bits(0, 0x8000, 2), "gre.flags.checksum", "Checksum present"),
    field<&net::Gre::routing_present>(bits(0, 0x4000, 2), "gre.flags.routing", "Routing present"),
    field<&net::Gre::key_present>(bits(0, 0x2000, 2), "gre.flags.key", "Key present"),
    field<&net::Gre::sequence_present>(bits(0, 0x1000, 2), "gre.flags.sequence_number", "Sequence number present"),
    field<&net::Gre::reserved>(bits(0, 0x0FF8, 2), "gre.flags.reserved", "Reserved", reserved),
    field<&net::Gre::version>(bits(0, 0x0007, 2), "gre.flags.version", "Version"),
    field<&net::Gre::protocol>(at(2), "gre.proto", "Protocol type", hex));

template <>
inline constexpr auto layout_of<net::Vxlan> = layout<net::Vxlan>(
    "VXLAN", "RFC 7348", octets(0, 8), field<&net::Vxlan::flags>(at(0), "vxlan.flags", "Flags", hex),
    field<&net::Vxlan::reserved_24>(at(1, 3), "vxlan.reserved_24", "Reserved", reserved),
    field<&net::Vxlan::vni>(at(4, 3), "vxlan.vni", "VXLAN network identifier"),
    field<&net::Vxlan::reserved_8>(at(7), "vxlan.reserved8", "Reserved", reserved));

template <>
inline constexpr auto layout_of<net::Geneve> = layout<net::Geneve>(
    "Geneve", "RFC 8926", octets(0, 8), field<&net::Geneve::version>(bits(0, 0xC0), "geneve.version", "Version"),
    field<&net::Geneve::options_length>(bits(0, 0x3F), "geneve.option.length", "Length of the options"),
    field<&net::Geneve::flags>(at(1), "geneve.flags", "Flags", hex),
    field<&net::Geneve::protocol>(at(2), "geneve.proto_type", "Protocol type", hex),
    field<&net::Geneve::vni>(at(4, 3), "geneve.vni", "Virtual network identifier"),
    field<&net::Geneve::reserved>(at(7), "geneve.reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<net::MplsLabel> = layout<net::MplsLabel>(
    "MPLS label", "RFC 3032", octets(0, 4),
    field<&net::MplsLabel::label>(bits(0, 0xFFFF'F000, 4), "mpls.label", "Label"),
    field<&net::MplsLabel::traffic_class>(bits(0, 0x0000'0E00, 4), "mpls.exp", "Traffic class"),
    field<&net::MplsLabel::bottom_of_stack>(bits(0, 0x0000'0100, 4), "mpls.bottom", "Bottom of stack"),
    field<&net::MplsLabel::time_to_live>(bits(0, 0x0000'00FF, 4), "mpls.ttl", "Time to live"));

template <>
inline constexpr auto layout_of<net::VnTag> = layout<net::VnTag>(
    "VN-Tag", "VN-Tag", octets(0, 6), field<&net::VnTag::tag>(at(0), "vntag.tag", "Tag", hex),
    field<&net::VnTag::type>(at(4), "vntag.etype", "Type", hex));

template <>
inline constexpr auto layout_of<net::Erspan3> = layout<net::Erspan3>(
    "ERSPAN type III", "draft-foschiano-erspan-03, 4.3", octets(0, 12),
    field<&net::Erspan3::session>(at(0), "erspan.session", "Version, VLAN, class of service, session", hex),
    field<&net::Erspan3::timestamp>(at(4), "erspan.timestamp", "Timestamp"),
    field<&net::Erspan3::group>(bits(8, 0xFFFF'FFFE, 4), "erspan.group", "Group and kind of frame", hex),
    field<&net::Erspan3::subheader_present>(bits(8, 0x0000'0001, 4), "erspan.o", "Platform subheader present"));

}  // namespace fabricscope::layout
