// SPDX-License-Identifier: GPL-2.0-or-later
// Link, network and transport headers below the protocols this project is about, with Wireshark's
// filter names. All fields are big-endian.
#pragma once

#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::net {

enum EtherType : std::uint16_t {
    ether_type_minimum = 0x0600,  ///< smaller values are IEEE 802.3 lengths
    ether_type_ipv4 = 0x0800,
    ether_type_vlan = 0x8100,  ///< IEEE 802.1Q
    ether_type_ipv6 = 0x86DD,
    ether_type_provider_vlan = 0x88A8,  ///< IEEE 802.1ad
    ether_type_old_double_vlan = 0x9100,
    ether_type_mac_control = 0x8808,  ///< IEEE 802.3, 31.4
};

enum IpProtocol : std::uint8_t {
    protocol_hop_by_hop = 0,
    protocol_tcp = 6,
    protocol_udp = 17,
    protocol_ipv6_routing = 43,
    protocol_ipv6_fragment = 44,
    protocol_ipv6_destination_options = 60,
    protocol_mobility = 135,
    protocol_hip = 139,
    protocol_shim6 = 140,
};

struct Ethernet {
    Mac destination;
    Mac source;
    std::uint16_t type;  ///< EtherType
};

/// What stands between an EtherType that announces a tag and the next EtherType.
struct VlanTag {
    std::uint8_t priority;
    bool drop_eligible;
    std::uint16_t identifier;  ///< 12 bits
    std::uint16_t type;        ///< EtherType of what follows
};

/// What follows the EtherType of a MAC control frame.
struct MacControl {
    std::uint16_t opcode;
};
inline constexpr std::uint16_t mac_control_pause = 0x0001;           ///< IEEE 802.3, annex 31B
inline constexpr std::uint16_t mac_control_priority_pause = 0x0101;  ///< IEEE 802.3, annex 31D; IEEE 802.1Qbb

/// What follows the opcode of a pause frame. A quantum is the time of 512 bits; 0: go on.
struct LinkPause {
    std::uint16_t quanta;
};

/// The same of each priority whose bit is set.
struct PriorityPause {
    std::uint16_t enabled;  ///< bits 0 to 7: the priorities that are meant
    Bytes<16> quanta;       ///< two octets each, priority 0 first

    bool is_enabled(unsigned priority) const { return (enabled >> priority & 1U) != 0; }
    std::uint16_t quanta_of(unsigned priority) const {
        return static_cast<std::uint16_t>(quanta.octets[2 * priority] << 8 | quanta.octets[2 * priority + 1]);
    }
};

/// Linux "cooked" capture header, DLT_LINUX_SLL.
struct LinuxCooked {
    std::uint16_t packet_type;
    std::uint16_t arphrd;
    std::uint16_t address_length;
    Bytes<8> address;
    std::uint16_t protocol;  ///< EtherType
};

/// Its second version, DLT_LINUX_SLL2.
struct LinuxCooked2 {
    std::uint16_t protocol;  ///< EtherType
    std::uint16_t reserved;
    std::uint32_t interface_index;
    std::uint16_t arphrd;
    std::uint8_t packet_type;
    std::uint8_t address_length;
    Bytes<8> address;
};

struct Ipv4Header {
    std::uint8_t version;        ///< 4
    std::uint8_t header_length;  ///< in 4-octet words, 5..15
    std::uint8_t dscp;
    std::uint8_t ecn;
    std::uint16_t total_length;  ///< header and payload
    std::uint16_t identification;
    bool reserved_flag;
    bool dont_fragment;
    bool more_fragments;
    std::uint16_t fragment_offset;  ///< in 8-octet units
    std::uint8_t time_to_live;
    std::uint8_t protocol;  ///< IpProtocol
    std::uint16_t checksum;
    Ipv4 source;
    Ipv4 destination;
};

struct Ipv6Header {
    std::uint8_t version;  ///< 6
    std::uint8_t traffic_class;
    std::uint32_t flow_label;
    std::uint16_t payload_length;  ///< octets after this header, extension headers included
    std::uint8_t next_header;      ///< IpProtocol
    std::uint8_t hop_limit;
    Gid source;
    Gid destination;
};

/// The beginning that IPv6 extension headers have in common, all but the fragment header.
struct Ipv6Extension {
    std::uint8_t next_header;
    std::uint8_t length;  ///< in 8-octet units, the first not counted

    std::size_t octets() const { return 8 * (std::size_t{length} + 1); }
};

struct Ipv6Fragment {
    std::uint8_t next_header;
    std::uint8_t reserved_8;
    std::uint16_t offset;  ///< in 8-octet units
    std::uint8_t reserved_2;
    bool more_fragments;
    std::uint32_t identification;
};

struct TcpHeader {
    std::uint16_t source_port;
    std::uint16_t destination_port;
    std::uint32_t sequence;
    std::uint32_t acknowledgment;
    std::uint8_t header_length;  ///< in 4-octet words, 5..15
    std::uint8_t reserved_4;     ///< with the accurate ECN bit
    std::uint8_t flags;          ///< CWR, ECE, URG, ACK, PSH, RST, SYN, FIN
    std::uint16_t window;
    std::uint16_t checksum;
    std::uint16_t urgent_pointer;
};

struct UdpHeader {
    std::uint16_t source_port;
    std::uint16_t destination_port;
    std::uint16_t length;  ///< header and payload
    std::uint16_t checksum;
};

}  // namespace fabricscope::net

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<net::Ethernet> = layout<net::Ethernet>(
    "Ethernet", "IEEE 802.3, 3.2", octets(0, 14), field<&net::Ethernet::destination>(at(0), "eth.dst", "Destination"),
    field<&net::Ethernet::source>(at(6), "eth.src", "Source"),
    field<&net::Ethernet::type>(at(12), "eth.type", "Type", hex));

template <>
inline constexpr auto layout_of<net::MacControl> = layout<net::MacControl>(
    "MAC control", "IEEE 802.3, 31.4", octets(0, 2),
    field<&net::MacControl::opcode>(at(0), "macc.opcode", "Opcode", hex));

template <>
inline constexpr auto layout_of<net::LinkPause> = layout<net::LinkPause>(
    "Pause", "IEEE 802.3, annex 31B", octets(0, 2),
    field<&net::LinkPause::quanta>(at(0), "macc.pause.pause_time", "Quanta"));

template <>
inline constexpr auto layout_of<net::PriorityPause> = layout<net::PriorityPause>(
    "Priority pause", "IEEE 802.3, annex 31D", octets(0, 18),
    field<&net::PriorityPause::enabled>(at(0), "macc.cbfc.enbv", "Priorities", hex),
    field<&net::PriorityPause::quanta>(at(2), "macc.cbfc.quanta", "Quanta of each"));

template <>
inline constexpr auto layout_of<net::VlanTag> = layout<net::VlanTag>(
    "VLAN tag", "IEEE 802.1Q, 9.6", octets(0, 4),
    field<&net::VlanTag::priority>(bits(0, 0xE000, 2), "vlan.priority", "Priority"),
    field<&net::VlanTag::drop_eligible>(bits(0, 0x1000, 2), "vlan.dei", "Drop eligible"),
    field<&net::VlanTag::identifier>(bits(0, 0x0FFF, 2), "vlan.id", "Identifier"),
    field<&net::VlanTag::type>(at(2), "vlan.etype", "Type", hex));

template <>
inline constexpr auto layout_of<net::LinuxCooked> = layout<net::LinuxCooked>(
    "Linux cooked capture", "LINKTYPE_LINUX_SLL", octets(0, 16),
    field<&net::LinuxCooked::packet_type>(at(0), "sll.pkttype", "Packet type"),
    field<&net::LinuxCooked::arphrd>(at(2), "sll.hatype", "Link-layer address type"),
    field<&net::LinuxCooked::address_length>(at(4), "sll.halen", "Link-layer address length"),
    field<&net::LinuxCooked::address>(at(6), "sll.src.other", "Source"),
    field<&net::LinuxCooked::protocol>(at(14), "sll.etype", "Protocol", hex));

template <>
inline constexpr auto layout_of<net::LinuxCooked2> = layout<net::LinuxCooked2>(
    "Linux cooked capture v2", "LINKTYPE_LINUX_SLL2", octets(0, 20),
    field<&net::LinuxCooked2::protocol>(at(0), "sll.etype", "Protocol", hex),
    field<&net::LinuxCooked2::reserved>(at(2), "sll.unused", "Reserved", reserved),
    field<&net::LinuxCooked2::interface_index>(at(4), "sll.ifindex", "Interface index"),
    field<&net::LinuxCooked2::arphrd>(at(8), "sll.hatype", "Link-layer address type"),
    field<&net::LinuxCooked2::packet_type>(at(10), "sll.pkttype", "Packet type"),
    field<&net::LinuxCooked2::address_length>(at(11), "sll.halen", "Link-layer address length"),
    field<&net::LinuxCooked2::address>(at(12), "sll.src.other", "Source"));

template <>
inline constexpr auto layout_of<net::Ipv4Header> = layout<net::Ipv4Header>(
    "IPv4", "RFC 791, 3.1", octets(0, 20), field<&net::Ipv4Header::version>(bits(0, 0xF0), "ip.version", "Version"),
    field<&net::Ipv4Header::header_length>(bits(0, 0x0F), "ip.hdr_len", "Header length"),
    field<&net::Ipv4Header::dscp>(bits(1, 0xFC), "ip.dsfield.dscp", "DSCP"),
    field<&net::Ipv4Header::ecn>(bits(1, 0x03), "ip.dsfield.ecn", "ECN"),
    field<&net::Ipv4Header::total_length>(at(2), "ip.len", "Total length"),
    field<&net::Ipv4Header::identification>(at(4), "ip.id", "Identification", hex),
    field<&net::Ipv4Header::reserved_flag>(bits(6, 0x8000, 2), "ip.flags.rb", "Reserved bit", reserved),
    field<&net::Ipv4Header::dont_fragment>(bits(6, 0x4000, 2), "ip.flags.df", "Don't fragment"),
    field<&net::Ipv4Header::more_fragments>(bits(6, 0x2000, 2), "ip.flags.mf", "More fragments"),
    field<&net::Ipv4Header::fragment_offset>(bits(6, 0x1FFF, 2), "ip.frag_offset", "Fragment offset"),
    field<&net::Ipv4Header::time_to_live>(at(8), "ip.ttl", "Time to live"),
    field<&net::Ipv4Header::protocol>(at(9), "ip.proto", "Protocol"),
    field<&net::Ipv4Header::checksum>(at(10), "ip.checksum", "Header checksum", hex),
    field<&net::Ipv4Header::source>(at(12), "ip.src", "Source address"),
    field<&net::Ipv4Header::destination>(at(16), "ip.dst", "Destination address"));

template <>
inline constexpr auto layout_of<net::Ipv6Header> = layout<net::Ipv6Header>(
    "IPv6", "RFC 8200, 3", octets(0, 40),
    field<&net::Ipv6Header::version>(bits(0, 0xF000'0000, 4), "ipv6.version", "Version"),
    field<&net::Ipv6Header::traffic_class>(bits(0, 0x0FF0'0000, 4), "ipv6.tclass", "Traffic class"),
    field<&net::Ipv6Header::flow_label>(bits(0, 0x000F'FFFF, 4), "ipv6.flow", "Flow label", hex),
    field<&net::Ipv6Header::payload_length>(at(4), "ipv6.plen", "Payload length"),
    field<&net::Ipv6Header::next_header>(at(6), "ipv6.nxt", "Next header"),
    field<&net::Ipv6Header::hop_limit>(at(7), "ipv6.hlim", "Hop limit"),
    field<&net::Ipv6Header::source>(at(8), "ipv6.src", "Source address"),
    field<&net::Ipv6Header::destination>(at(24), "ipv6.dst", "Destination address"));

template <>
inline constexpr auto layout_of<net::Ipv6Extension> = layout<net::Ipv6Extension>(
    "IPv6 extension header", "RFC 8200, 4", octets(0, 2),
    field<&net::Ipv6Extension::next_header>(at(0), "ipv6.opt.nxt", "Next header"),
    field<&net::Ipv6Extension::length>(at(1), "ipv6.opt.len", "Length"));

template <>
inline constexpr auto layout_of<net::Ipv6Fragment> = layout<net::Ipv6Fragment>(
    "IPv6 fragment header", "RFC 8200, 4.5", octets(0, 8),
    field<&net::Ipv6Fragment::next_header>(at(0), "ipv6.fraghdr.nxt", "Next header"),
    field<&net::Ipv6Fragment::reserved_8>(at(1), "ipv6.fraghdr.reserved_octet", "Reserved", reserved),
    field<&net::Ipv6Fragment::offset>(bits(2, 0xFFF8, 2), "ipv6.fraghdr.offset", "Offset"),
    field<&net::Ipv6Fragment::reserved_2>(bits(2, 0x0006, 2), "ipv6.fraghdr.reserved_bits", "Reserved", reserved),
    field<&net::Ipv6Fragment::more_fragments>(bits(2, 0x0001, 2), "ipv6.fraghdr.more", "More fragments"),
    field<&net::Ipv6Fragment::identification>(at(4), "ipv6.fraghdr.ident", "Identification", hex));

template <>
inline constexpr auto layout_of<net::TcpHeader> = layout<net::TcpHeader>(
    "TCP", "RFC 9293, 3.1", octets(0, 20), field<&net::TcpHeader::source_port>(at(0), "tcp.srcport", "Source port"),
    field<&net::TcpHeader::destination_port>(at(2), "tcp.dstport", "Destination port"),
    field<&net::TcpHeader::sequence>(at(4), "tcp.seq_raw", "Sequence number"),
    field<&net::TcpHeader::acknowledgment>(at(8), "tcp.ack_raw", "Acknowledgment number"),
    field<&net::TcpHeader::header_length>(bits(12, 0xF0), "tcp.hdr_len", "Header length"),
    field<&net::TcpHeader::reserved_4>(bits(12, 0x0F), "tcp.flags.res", "Reserved", reserved),
    field<&net::TcpHeader::flags>(at(13), "tcp.flags", "Flags", hex),
    field<&net::TcpHeader::window>(at(14), "tcp.window_size_value", "Window"),
    field<&net::TcpHeader::checksum>(at(16), "tcp.checksum", "Checksum", hex),
    field<&net::TcpHeader::urgent_pointer>(at(18), "tcp.urgent_pointer", "Urgent pointer"));

template <>
inline constexpr auto layout_of<net::UdpHeader> = layout<net::UdpHeader>(
    "UDP", "RFC 768", octets(0, 8), field<&net::UdpHeader::source_port>(at(0), "udp.srcport", "Source port"),
    field<&net::UdpHeader::destination_port>(at(2), "udp.dstport", "Destination port"),
    field<&net::UdpHeader::length>(at(4), "udp.length", "Length"),
    field<&net::UdpHeader::checksum>(at(6), "udp.checksum", "Checksum", hex));

}  // namespace fabricscope::layout
