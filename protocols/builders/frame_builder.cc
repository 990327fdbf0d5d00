// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/builders/frame_builder.h"

#include <algorithm>
#include <array>

#include "protocols/ib/icrc.h"
#include "protocols/net/headers.h"
#include "protocols/net/internet_checksum.h"

namespace fabricscope::builders {
namespace {

constexpr std::size_t network_offset = layout::size_of<net::Ethernet>;
constexpr std::size_t ip_checksum_offset = network_offset + 10;
constexpr std::size_t tcp_checksum_offset = 16;  // in the TCP header
constexpr std::size_t udp_checksum_offset = 6;   // in the UDP header

Ipv4 ipv4_of(const Gid& address) {
    Ipv4 result;
    std::copy(address.octets.begin() + ipv4_mapped_prefix.size(), address.octets.end(), result.octets.begin());
    return result;
}

}  // namespace

Gid gid_of(const Ipv4& address) {
    Gid gid;
    std::ranges::copy(ipv4_mapped_prefix, gid.octets.begin());
    std::ranges::copy(address.octets, gid.octets.begin() + ipv4_mapped_prefix.size());
    return gid;
}

void FrameBuilder::begin(std::size_t size) {
    frame_.resize(size);
    end_ = 0;
}

template <layout::WireFormat T> void FrameBuilder::put(const T& header) {
    layout::build_into(header, std::span(frame_).subspan(end_));
    end_ += layout::size_of<T>;
}

void FrameBuilder::put(ByteView octets) {
    std::ranges::copy(octets, frame_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += octets.size();
}

void FrameBuilder::put_checksum(std::size_t offset, std::uint16_t value) {
    frame_[offset] = static_cast<std::uint8_t>(value >> 8);
    frame_[offset + 1] = static_cast<std::uint8_t>(value);
}

void FrameBuilder::begin_ip(const FrameEnds& ends, std::uint8_t protocol, std::size_t payload) {
    if (!ends.source.is_ipv4()) {
        begin(network_offset + layout::size_of<net::Ipv6Header> + payload);
        put(net::Ethernet{ends.destination_mac, ends.source_mac, net::ether_type_ipv6});
        put(net::Ipv6Header{
            6, ends.traffic_class, 0, static_cast<std::uint16_t>(payload), protocol, ends.hop_limit, ends.source,
            ends.destination});
        transport_ = end_;
        return;
    }
    begin(network_offset + layout::size_of<net::Ipv4Header> + payload);
    put(net::Ethernet{ends.destination_mac, ends.source_mac, net::ether_type_ipv4});
    net::Ipv4Header header{};
    header.version = 4;
    header.header_length = layout::size_of<net::Ipv4Header> / 4;
    header.total_length = static_cast<std::uint16_t>(layout::size_of<net::Ipv4Header> + payload);
    header.dscp = ends.traffic_class >> 2;
    header.ecn = ends.traffic_class & 3;
    header.identification = ends.identification;
    header.dont_fragment = true;
    header.time_to_live = ends.hop_limit;
    header.protocol = protocol;
    header.source = ipv4_of(ends.source);
    header.destination = ipv4_of(ends.destination);
    put(header);
    transport_ = end_;
    const ByteView covered = ByteView(frame_).subspan(network_offset, layout::size_of<net::Ipv4Header>);
    put_checksum(ip_checksum_offset, net::checksum_of(net::checksum_sum(covered)));
}

void FrameBuilder::begin_grh(const FrameEnds& ends, std::size_t payload) {
    begin(network_offset + layout::size_of<ib::Grh> + payload);
    put(net::Ethernet{ends.destination_mac, ends.source_mac, ib::roce_v1_ether_type});
    put(ib::Grh{
        6, ends.traffic_class, 0, static_cast<std::uint16_t>(payload), ib::next_header_bth, ends.hop_limit, ends.source,
        ends.destination});
    transport_ = end_;
}

/// Over the pseudo header and everything from the transport header on. IPv4's pseudo header has the last four octets of
/// the addresses; the rest of an IPv4-mapped address must not be summed.
std::uint16_t FrameBuilder::transport_checksum(const FrameEnds& ends, std::uint8_t protocol) const {
    const std::size_t skipped = ends.source.is_ipv4() ? ipv4_mapped_prefix.size() : 0;
    const ByteView covered = ByteView(frame_).subspan(transport_);
    std::uint32_t pseudo_header = protocol + static_cast<std::uint32_t>(covered.size());
    pseudo_header = net::checksum_sum(ByteView(ends.source.octets).subspan(skipped), pseudo_header);
    pseudo_header = net::checksum_sum(ByteView(ends.destination.octets).subspan(skipped), pseudo_header);
    return net::checksum_of(net::checksum_sum(covered, pseudo_header));
}

ByteView FrameBuilder::tcp(const FrameEnds& ends, const TcpFields& fields, ByteView options, ByteView payload) {
    const std::size_t header_size = layout::size_of<net::TcpHeader> + options.size();
    begin_ip(ends, net::protocol_tcp, header_size + payload.size());
    put(net::TcpHeader{
        fields.source_port, fields.destination_port, fields.sequence, fields.acknowledgment,
        static_cast<std::uint8_t>(header_size / 4), 0, fields.flags, fields.window, 0, 0});
    put(options);
    put(payload);
    put_checksum(transport_ + tcp_checksum_offset, transport_checksum(ends, net::protocol_tcp));
    return frame_;
}

/// Over IPv4 the UDP checksum is 0, not computed, as adapters send it: the ICRC protects the packet. IPv6 demands it.
ByteView FrameBuilder::roce(
    const FrameEnds& ends, RoceVersion version, ib::Bth bth, ByteView extended, ByteView payload) {
    bth.pad_count = static_cast<std::uint8_t>(-payload.size() & 3);
    const std::size_t packet = layout::size_of<ib::Bth> + extended.size() + payload.size() + bth.pad_count +
                               layout::size_of<ib::Icrc>;
    const bool over_ip = version == RoceVersion::v2;
    if (over_ip) {
        const std::size_t datagram = layout::size_of<net::UdpHeader> + packet;
        begin_ip(ends, net::protocol_udp, datagram);
        const auto source_port = static_cast<std::uint16_t>(0xC000 | (bth.destination_qpn & 0x3FFF));
        put(net::UdpHeader{source_port, ib::roce_v2_udp_port, static_cast<std::uint16_t>(datagram), 0});
    } else {
        begin_grh(ends, packet);
    }
    const std::size_t bth_offset = end_ - network_offset;
    put(bth);
    put(extended);
    put(payload);
    constexpr std::array<std::uint8_t, 3> padding{};
    put(ByteView(padding).first(bth.pad_count));
    const ib::IcrcStart start = !over_ip                ? ib::IcrcStart::grh
                                : ends.source.is_ipv4() ? ib::IcrcStart::ipv4
                                                        : ib::IcrcStart::ipv6;
    const ByteView covered = ByteView(frame_).first(end_).subspan(network_offset);
    put(ib::Icrc{ib::icrc(start, covered, bth_offset).value_or(0)});
    if (start == ib::IcrcStart::ipv6)
        put_checksum(transport_ + udp_checksum_offset, transport_checksum(ends, net::protocol_udp));
    return frame_;
}

}  // namespace fabricscope::builders
