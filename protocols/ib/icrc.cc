// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/ib/icrc.h"

#include <algorithm>
#include <array>

#include "protocols/ib/headers.h"
#include "protocols/net/crc32.h"
#include "protocols/net/headers.h"

namespace fabricscope::ib {
namespace {

constexpr std::size_t lrh_size = layout::size_of<Lrh>;
constexpr std::size_t bth_size = layout::size_of<Bth>;
/// LRH, GRH and BTH, or an IPv4 header with all options, UDP and BTH.
constexpr std::size_t longest_headers = lrh_size + 60 + layout::size_of<net::UdpHeader> + bth_size;

/// The CRC of an LRH that is not there: eight octets 0xFF (annexes A16.5.1, A17.3.3).
constexpr std::uint32_t of_absent_lrh = 0x2144DF1C;

/// Parses the T at the beginning of `octets`, lets `change` at it and builds it again.
template <class T> void mask(std::span<std::uint8_t> octets, void (*change)(T&)) {
    T header{};
    layout::parse_into(header, octets);
    change(header);
    layout::build_into(header, octets);
}

void mask_lrh(Lrh& header) { header.virtual_lane = 0xF; }

void mask_grh(Grh& header) {
    header.traffic_class = 0xFF;
    header.flow_label = 0xF'FFFF;
    header.hop_limit = 0xFF;
}

void mask_ipv4(net::Ipv4Header& header) {
    header.dscp = 0x3F;
    header.ecn = 0x3;
    header.time_to_live = 0xFF;
    header.checksum = 0xFFFF;
}

void mask_ipv6(net::Ipv6Header& header) {
    header.traffic_class = 0xFF;
    header.flow_label = 0xF'FFFF;
    header.hop_limit = 0xFF;
}

void mask_udp(net::UdpHeader& header) { header.checksum = 0xFFFF; }

void mask_bth(Bth& header) {  // "resv8a", in which congestion is marked
    header.fecn = true;
    header.becn = true;
    header.reserved_6 = 0x3F;
}

constexpr std::size_t shortest_headers(IcrcStart start) {
    switch (start) {
        case IcrcStart::lrh: return lrh_size;
        case IcrcStart::grh: return layout::size_of<Grh>;
        case IcrcStart::ipv4: return layout::size_of<net::Ipv4Header> + layout::size_of<net::UdpHeader>;
        case IcrcStart::ipv6: return layout::size_of<net::Ipv6Header> + layout::size_of<net::UdpHeader>;
    }
    return 0;
}

void mask_headers(IcrcStart start, std::span<std::uint8_t> headers, std::size_t bth) {
    const auto udp = [&] { return headers.subspan(bth - layout::size_of<net::UdpHeader>); };
    switch (start) {
        case IcrcStart::lrh:
            mask(headers, mask_lrh);
            if (bth >= lrh_size + layout::size_of<Grh>) mask(headers.subspan(lrh_size), mask_grh);
            break;
        case IcrcStart::grh: mask(headers, mask_grh); break;
        case IcrcStart::ipv4:
            mask(headers, mask_ipv4);
            mask(udp(), mask_udp);
            break;
        case IcrcStart::ipv6:
            mask(headers, mask_ipv6);
            mask(udp(), mask_udp);
            break;
    }
    mask(headers.subspan(bth), mask_bth);
}

}  // namespace

std::optional<std::uint32_t> icrc(IcrcStart start, ByteView packet, std::size_t bth) {
    const std::size_t headers_end = bth + bth_size;
    if (bth < shortest_headers(start) || headers_end > longest_headers || headers_end > packet.size())
        return std::nullopt;

    std::array<std::uint8_t, longest_headers> headers;
    std::copy_n(packet.begin(), headers_end, headers.begin());
    mask_headers(start, headers, bth);

    const std::uint32_t before = start == IcrcStart::lrh ? 0 : of_absent_lrh;
    const std::uint32_t crc = net::crc32(before, ByteView(headers).first(headers_end));
    return net::crc32(crc, packet.subspan(headers_end));
}

bool icrc_is_good(IcrcStart start, ByteView packet, std::size_t bth) {
    if (packet.size() < layout::size_of<Icrc>) return false;
    const std::size_t end = packet.size() - layout::size_of<Icrc>;
    Icrc found{};
    layout::parse_into(found, packet.subspan(end));
    return icrc(start, packet.first(end), bth) == found.value;
}

}  // namespace fabricscope::ib
