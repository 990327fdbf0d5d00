// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/frame_builder.h"

#include <algorithm>

#include "protocols/ib/icrc.h"
#include "protocols/net/headers.h"

namespace fabricscope::traffic {
namespace {

constexpr std::size_t ip_offset = layout::size_of<net::Ethernet>;
constexpr std::size_t transport_offset = ip_offset + layout::size_of<net::Ipv4Header>;
constexpr std::size_t ip_checksum_offset = ip_offset + 10;
constexpr std::size_t tcp_checksum_offset = transport_offset + 16;

std::uint32_t sum(ByteView octets, std::uint32_t begin = 0) {
    for (std::size_t i = 0; i < octets.size(); ++i)
        begin += i % 2 == 0 ? static_cast<std::uint32_t>(octets[i] << 8) : octets[i];
    return begin;
}

std::uint16_t folded(std::uint32_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

void put_u16(std::uint8_t* at, std::uint16_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 8);
    at[1] = static_cast<std::uint8_t>(value);
}

}  // namespace

Gid Port::gid() const {
    Gid gid{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}};
    std::ranges::copy(ip.octets, gid.octets.begin() + 12);
    return gid;
}

template <layout::WireFormat T> void FrameBuilder::put(const T& header) {
    layout::build_into(header, std::span(buffer_).subspan(size_));
    size_ += layout::size_of<T>;
}

void FrameBuilder::put(ByteView octets) {
    std::ranges::copy(octets, buffer_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += octets.size();
}

void FrameBuilder::begin(Port& from, const Port& to, std::uint8_t protocol, std::size_t payload) {
    size_ = 0;
    put(net::Ethernet{to.mac, from.mac, net::ether_type_ipv4});
    net::Ipv4Header header{};
    header.version = 4;
    header.header_length = layout::size_of<net::Ipv4Header> / 4;
    header.total_length = static_cast<std::uint16_t>(layout::size_of<net::Ipv4Header> + payload);
    header.identification = ++from.identification;
    header.dont_fragment = true;
    header.time_to_live = 64;
    header.protocol = protocol;
    header.source = from.ip;
    header.destination = to.ip;
    put(header);
    put_u16(buffer_.data() + ip_checksum_offset, folded(sum(ByteView(buffer_).subspan(ip_offset, 20))));
}

ByteView FrameBuilder::ip_payload() const { return ByteView(buffer_).first(size_).subspan(transport_offset); }

ByteView FrameBuilder::tcp(Port& from, const Port& to, const TcpFields& fields, ByteView options, ByteView payload) {
    const std::size_t header_size = layout::size_of<net::TcpHeader> + options.size();
    begin(from, to, net::protocol_tcp, header_size + payload.size());
    put(net::TcpHeader{
        fields.source_port, fields.destination_port, fields.sequence, fields.acknowledgment,
        static_cast<std::uint8_t>(header_size / 4), 0, fields.flags, 64240, 0, 0});
    put(options);
    put(payload);
    const std::uint32_t pseudo_header = sum(from.ip.octets) + sum(to.ip.octets) + net::protocol_tcp +
                                        static_cast<std::uint32_t>(ip_payload().size());
    put_u16(buffer_.data() + tcp_checksum_offset, folded(sum(ip_payload(), pseudo_header)));
    return ByteView(buffer_).first(size_);
}

/// The UDP checksum is 0, not computed, as adapters send it; the ICRC protects the packet.
ByteView FrameBuilder::roce(Port& from, const Port& to, ib::Bth bth, ByteView extended, ByteView payload) {
    bth.pad_count = static_cast<std::uint8_t>(-payload.size() & 3);
    bth.p_key = 0xFFFF;
    const std::size_t datagram = layout::size_of<net::UdpHeader> + layout::size_of<ib::Bth> + extended.size() +
                                 payload.size() + bth.pad_count + layout::size_of<ib::Icrc>;
    begin(from, to, net::protocol_udp, datagram);
    const auto source_port = static_cast<std::uint16_t>(0xC000 | (bth.destination_qpn & 0x3FFF));
    put(net::UdpHeader{source_port, ib::roce_v2_udp_port, static_cast<std::uint16_t>(datagram), 0});
    const std::size_t bth_offset = size_ - ip_offset;
    put(bth);
    put(extended);
    put(payload);
    constexpr std::array<std::uint8_t, 3> padding{};
    put(ByteView(padding).first(bth.pad_count));
    const ByteView covered = ByteView(buffer_).first(size_).subspan(ip_offset);
    put(ib::Icrc{ib::icrc(ib::IcrcStart::ipv4, covered, bth_offset).value_or(0)});
    return ByteView(buffer_).first(size_);
}

}  // namespace fabricscope::traffic
