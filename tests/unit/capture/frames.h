// SPDX-License-Identifier: GPL-2.0-or-later
// Frames for tests, built layer upon layer: ethernet(0x0800, ipv4({}, udp({}, bth(...)))).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "capture/packet.h"
#include "protocols/ib/icrc.h"
#include "protocols/layout/parts.h"
#include "protocols/net/headers.h"

namespace fabricscope::capture::test {

using Octets = std::vector<std::uint8_t>;

inline Octets octets_of(ByteView view) { return {view.begin(), view.end()}; }

// Opcodes of the reliable connection (IBA volume 1, table 38).
inline constexpr std::uint8_t send_first = 0x00, send_middle = 0x01, send_last = 0x02, send_only = 0x04;
inline constexpr std::uint8_t write_first = 0x06, write_middle = 0x07, write_last = 0x08, write_only = 0x0A,
                              write_only_immediate = 0x0B;
inline constexpr std::uint8_t read_request = 0x0C, response_first = 0x0D, response_middle = 0x0E, response_last = 0x0F,
                              response_only = 0x10, acknowledge = 0x11, fetch_add = 0x14;

inline Octets join(std::initializer_list<Octets> parts) {
    Octets all;
    for (const Octets& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// `size` octets that differ from their neighbours.
inline Octets counting(std::size_t size, unsigned from = 0) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(from + i);
    return octets;
}

template <layout::WireFormat T> Octets built(const T& header) { return layout::octets_of(header); }

inline const Mac mac_a{{0x00, 0x00, 0x5E, 0x00, 0x53, 0x0A}};
inline const Mac mac_b{{0x00, 0x00, 0x5E, 0x00, 0x53, 0x14}};
inline const Ipv4 ipv4_a{{192, 0, 2, 10}};
inline const Ipv4 ipv4_b{{192, 0, 2, 20}};
inline const Gid gid_a{{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0A}};
inline const Gid gid_b{{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14}};

inline Octets ethernet(std::uint16_t type, const Octets& payload) {
    return join({built(net::Ethernet{mac_b, mac_a, type}), payload});
}
inline Octets vlan(std::uint16_t identifier, std::uint16_t type, const Octets& payload) {
    return join({built(net::VlanTag{0, false, identifier, type}), payload});
}
inline Octets cooked(std::uint16_t type, const Octets& payload) {
    return join({built(net::LinuxCooked{0, 1, 6, {}, type}), payload});
}
inline Octets cooked2(std::uint16_t type, const Octets& payload) {
    return join({built(net::LinuxCooked2{type, 0, 2, 1, 0, 6, {}}), payload});
}

inline net::Ipv4Header ipv4_header(std::uint8_t protocol) {
    net::Ipv4Header header{};
    header.version = 4;
    header.header_length = 5;
    header.time_to_live = 64;
    header.protocol = protocol;
    header.source = ipv4_a;
    header.destination = ipv4_b;
    return header;
}
/// With `options` (a multiple of 4 octets); lengths are filled in.
inline Octets ipv4(net::Ipv4Header header, const Octets& payload, const Octets& options = {}) {
    header.header_length = static_cast<std::uint8_t>(5 + options.size() / 4);
    header.total_length = static_cast<std::uint16_t>(20 + options.size() + payload.size());
    return join({built(header), options, payload});
}
inline Octets ipv6(std::uint8_t next_header, const Octets& payload) {
    return join(
        {built(net::Ipv6Header{6, 0, 0, static_cast<std::uint16_t>(payload.size()), next_header, 64, gid_a, gid_b}),
         payload});
}
inline Octets udp(std::uint16_t port, const Octets& payload) {
    return join({built(net::UdpHeader{0xC000, port, static_cast<std::uint16_t>(8 + payload.size()), 0}), payload});
}
inline Octets tcp(std::uint32_t sequence, std::uint8_t flags, const Octets& payload, const Octets& options = {}) {
    net::TcpHeader header{};
    header.source_port = 40000;
    header.destination_port = 18001;
    header.sequence = sequence;
    header.header_length = static_cast<std::uint8_t>(5 + options.size() / 4);
    header.flags = flags;
    return join({built(header), options, payload});
}

/// A BTH and what stands behind it, up to the padding; `extended` are the headers the opcode asks for.
inline Octets bth(std::uint8_t opcode, std::uint32_t psn, const Octets& extended, const Octets& payload) {
    ib::Bth header{};
    header.opcode = opcode;
    header.pad_count = static_cast<std::uint8_t>(-payload.size() & 3);
    header.p_key = 0xFFFF;
    header.destination_qpn = 0x112233;
    header.psn = psn;
    return join({built(header), extended, payload, Octets(header.pad_count)});
}
inline Octets grh(const Octets& packet) {
    const auto length = static_cast<std::uint16_t>(packet.size() + layout::size_of<ib::Icrc>);
    return join({built(ib::Grh{6, 0, 0, length, ib::next_header_bth, 64, gid_a, gid_b}), packet});
}
inline Octets lrh(ib::LinkNextHeader next, const Octets& packet) {
    ib::Lrh header{};
    header.link_next_header = static_cast<std::uint8_t>(next);
    header.destination_lid = 0x0102;
    header.source_lid = 0x0304;
    header.packet_length = static_cast<std::uint16_t>(
        (layout::size_of<ib::Lrh> + packet.size() + layout::size_of<ib::Icrc>) / 4);
    return join({built(header), packet});
}
/// Appends the right ICRC to a packet that begins with what `start` names.
inline Octets with_icrc(ib::IcrcStart start, const Octets& packet, std::size_t bth_offset) {
    return join({packet, built(ib::Icrc{ib::icrc(start, packet, bth_offset).value_or(0)})});
}

/// RoCEv2 over IPv4 over Ethernet.
inline Octets roce_v2(const Octets& packet) {
    const Octets datagram = ipv4(ipv4_header(net::protocol_udp), udp(ib::roce_v2_udp_port, join({packet, Octets(4)})));
    const Octets covered(datagram.begin(), datagram.end() - 4);
    return ethernet(net::ether_type_ipv4, with_icrc(ib::IcrcStart::ipv4, covered, 28));
}

inline Octets reth(std::uint64_t address, std::uint32_t r_key, std::uint32_t length) {
    return built(ib::Reth{address, r_key, length});
}

/// A frame whose first `captured` octets were captured.
inline Frame frame_of(const Octets& octets, LinkType link = LinkType::ethernet, std::size_t captured = SIZE_MAX) {
    const auto wire_length = static_cast<std::uint32_t>(octets.size());
    return {1, 0, wire_length, ByteView(octets).first(std::min(captured, octets.size())), link, 0};
}

inline std::string sample(const std::string& name) { return std::string(FABRICSCOPE_SAMPLES "/") + name; }

}  // namespace fabricscope::capture::test
