// SPDX-License-Identifier: GPL-2.0-or-later
// ARP for IPv4 over Ethernet (RFC 826).
#pragma once

#include "protocols/layout/layout.h"

namespace fabricscope::replay {

inline constexpr std::uint16_t ether_type_arp = 0x0806;

enum class ArpOperation : std::uint16_t { request = 1, reply = 2 };

struct Arp {
    std::uint16_t hardware = 1;  ///< Ethernet
    std::uint16_t protocol = 0x0800;
    std::uint8_t hardware_length = 6, protocol_length = 4;
    ArpOperation operation = ArpOperation::request;
    Mac sender_mac;
    Ipv4 sender_ip;
    Mac target_mac;
    Ipv4 target_ip;
};

}  // namespace fabricscope::replay

namespace fabricscope::layout {
template <>
inline constexpr auto layout_of<replay::Arp> = layout<replay::Arp>(
    "ARP", "RFC 826", octets(0, 28), field<&replay::Arp::hardware>(at(0), "arp.hw.type", "Hardware type"),
    field<&replay::Arp::protocol>(at(2), "arp.proto.type", "Protocol type", hex),
    field<&replay::Arp::hardware_length>(at(4), "arp.hw.size", "Hardware size"),
    field<&replay::Arp::protocol_length>(at(5), "arp.proto.size", "Protocol size"),
    field<&replay::Arp::operation>(at(6), "arp.opcode", "Opcode"),
    field<&replay::Arp::sender_mac>(at(8), "arp.src.hw_mac", "Sender MAC address"),
    field<&replay::Arp::sender_ip>(at(14), "arp.src.proto_ipv4", "Sender IP address"),
    field<&replay::Arp::target_mac>(at(18), "arp.dst.hw_mac", "Target MAC address"),
    field<&replay::Arp::target_ip>(at(24), "arp.dst.proto_ipv4", "Target IP address"));
}  // namespace fabricscope::layout
