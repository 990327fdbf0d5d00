// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/variants/ways.h"

#include <algorithm>

#include "protocols/net/headers.h"
#include "protocols/net/tunnels.h"

namespace fabricscope::variants {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::size_t network_offset = layout::size_of<net::Ethernet>;
constexpr Mac router{{0x02, 0, 0, 0, 0, 1}}, mirror{{0x02, 0, 0, 0, 0, 2}};

template <layout::WireFormat T> void put(Octets& octets, const T& header) {
    octets.resize(octets.size() + layout::size_of<T>);
    layout::build_into(header, std::span(octets).last(layout::size_of<T>));
}

/// Changes a header in place.
template <layout::WireFormat T, class Change> void change(Octets& octets, std::size_t offset, Change how) {
    T header;
    if (layout::parse_into(header, ByteView(octets).subspan(offset))) return;
    how(header);
    layout::build_into(header, std::span(octets).subspan(offset));
}

Octets routed(ByteView frame) {
    Octets octets(frame.begin(), frame.end());
    net::Ethernet ethernet{};
    change<net::Ethernet>(octets, 0, [&](net::Ethernet& header) {
        header.destination = header.source = router;
        ethernet = header;
    });
    if (ethernet.type == net::ether_type_ipv4)
        change<net::Ipv4Header>(octets, network_offset, [](net::Ipv4Header& header) { --header.time_to_live; });
    if (ethernet.type == net::ether_type_ipv6)
        change<net::Ipv6Header>(octets, network_offset, [](net::Ipv6Header& header) { --header.hop_limit; });
    return octets;
}

bool stays_on_its_link(ByteView frame) {
    net::Ethernet ethernet;
    return !layout::parse_into(ethernet, frame) && ethernet.type == net::ether_type_mac_control;
}

Octets tagged(ByteView frame) {
    net::Ethernet ethernet;
    if (layout::parse_into(ethernet, frame)) return {frame.begin(), frame.end()};
    Octets octets;
    put(octets, net::Ethernet{ethernet.destination, ethernet.source, net::ether_type_vlan});
    put(octets, net::VlanTag{0, false, 7, ethernet.type});
    octets.insert(octets.end(), frame.begin() + network_offset, frame.end());
    return octets;
}

Octets begin_tunnel(std::uint8_t protocol, std::size_t payload) {
    Octets octets;
    put(octets, net::Ethernet{mirror, mirror, net::ether_type_ipv4});
    net::Ipv4Header header{};
    header.version = 4;
    header.header_length = layout::size_of<net::Ipv4Header> / 4;
    header.total_length = static_cast<std::uint16_t>(layout::size_of<net::Ipv4Header> + payload);
    header.time_to_live = 64;
    header.protocol = protocol;
    put(octets, header);
    return octets;
}

Octets in_vxlan(ByteView frame) {
    constexpr std::size_t headers = layout::size_of<net::UdpHeader> + layout::size_of<net::Vxlan>;
    Octets octets = begin_tunnel(net::protocol_udp, headers + frame.size());
    put(octets, net::UdpHeader{49152, net::port_vxlan, static_cast<std::uint16_t>(headers + frame.size()), 0});
    put(octets, net::Vxlan{net::vxlan_has_vni, 0, 7, 0});
    octets.insert(octets.end(), frame.begin(), frame.end());
    return octets;
}

Octets in_erspan(ByteView frame) {
    constexpr std::size_t headers = layout::size_of<net::Gre> + net::gre_option_size + net::erspan_2_size;
    Octets octets = begin_tunnel(net::protocol_gre, headers + frame.size());
    net::Gre gre{};
    gre.sequence_present = true;
    gre.protocol = net::tunnelled_erspan;
    put(octets, gre);
    octets.resize(octets.size() + net::gre_option_size + net::erspan_2_size);
    octets.insert(octets.end(), frame.begin(), frame.end());
    return octets;
}

}  // namespace

bool is_seen_by(Way way, ByteView frame) { return way != Way::routed || !stays_on_its_link(frame); }

std::vector<std::uint8_t> seen_by(Way way, ByteView frame) {
    switch (way) {
        case Way::as_sent: break;
        case Way::routed: return routed(frame);
        case Way::tagged: return tagged(frame);
        case Way::vxlan: return in_vxlan(frame);
        case Way::erspan: return in_erspan(frame);
    }
    return {frame.begin(), frame.end()};
}

}  // namespace fabricscope::variants
