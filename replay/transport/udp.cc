// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/udp.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "capture/frame_builder.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/icrc.h"
#include "protocols/net/headers.h"
#include "replay/transport/sockets.h"

namespace fabricscope::replay {

namespace {

constexpr std::size_t ip_offset = layout::size_of<net::Ethernet>;
constexpr std::size_t udp_offset = ip_offset + layout::size_of<net::Ipv4Header>;
constexpr std::size_t bth_offset = udp_offset + layout::size_of<net::UdpHeader>;
constexpr std::size_t least_packet = layout::size_of<ib::Bth> + layout::size_of<ib::Icrc>;
constexpr std::size_t most_packet = 65'507;

/// The frame of a RoCEv2 packet. The ICRC covers IP and UDP headers, of which a socket neither decides nor tells all:
/// the sender's kernel leaves the identification of what may not be fragmented 0.
class RoceFrame {
public:
    RoceFrame(const Mac& from_mac, const Gid& from, const Mac& to_mac, const Gid& to) {
        layout::build_into(net::Ethernet{to_mac, from_mac, net::ether_type_ipv4}, std::span(octets_));
        ip_.version = 4;
        ip_.header_length = layout::size_of<net::Ipv4Header> / 4;
        ip_.dont_fragment = true;
        ip_.time_to_live = 64;
        ip_.protocol = net::protocol_udp;
        std::copy_n(from.octets.begin() + 12, 4, ip_.source.octets.begin());
        std::copy_n(to.octets.begin() + 12, 4, ip_.destination.octets.begin());
    }

    /// `packet`: from the BTH to the ICRC, which is computed anew.
    ByteView with(ByteView packet) {
        const std::size_t datagram = layout::size_of<net::UdpHeader> + packet.size();
        octets_.resize(udp_offset + datagram);
        ip_.total_length = static_cast<std::uint16_t>(layout::size_of<net::Ipv4Header> + datagram);
        layout::build_into(ip_, std::span(octets_).subspan(ip_offset));
        const net::UdpHeader udp{ib::roce_v2_udp_port, ib::roce_v2_udp_port, static_cast<std::uint16_t>(datagram), 0};
        layout::build_into(udp, std::span(octets_).subspan(udp_offset));
        std::ranges::copy(packet, octets_.begin() + bth_offset);
        const ByteView covered = ByteView(octets_).subspan(ip_offset).first(octets_.size() - ip_offset - 4);
        const std::uint32_t icrc = ib::icrc(ib::IcrcStart::ipv4, covered, bth_offset - ip_offset).value_or(0);
        for (std::size_t i = 0; i < 4; ++i)
            octets_[octets_.size() - 4 + i] = static_cast<std::uint8_t>(icrc >> (8 * i));
        return octets_;
    }

private:
    net::Ipv4Header ip_{};
    std::vector<std::uint8_t> octets_ = std::vector<std::uint8_t>(bth_offset);
};

class UdpTransport final : public Transport {
public:
    UdpTransport(const Gid& host, std::optional<std::uint16_t> service_port)
        : own_(own_address_towards(host)),
          peer_(host),
          service_port_(service_port),
          socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
          out_(made_up_mac(own_), own_, made_up_mac(peer_), peer_),
          in_(made_up_mac(peer_), peer_, made_up_mac(own_), own_) {
        const int never_fragment = IP_PMTUDISC_DO;
        ::setsockopt(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, &never_fragment, sizeof never_fragment);
        const sockaddr_in address = address_of(own_);
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
        std::string problem = system_error("UDP port 4791 of " + short_text(own_));
        if (errno == EADDRINUSE) problem += "; is a soft-RoCE device (rdma_rxe) active on this host?";
        throw TransportError(problem);
    }

    std::optional<LiveAddresses> addresses() const override {
        return LiveAddresses{made_up_mac(own_), made_up_mac(peer_), own_, peer_, std::nullopt, service_port_};
    }

    void send(ByteView frame) override {
        if (!is_for_peer(frame)) return;
        const ByteView packet = out_.with(frame.subspan(bth_offset)).subspan(bth_offset);
        const sockaddr_in address = address_of(peer_);
        const auto sent = ::sendto(
            socket_.get(), packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&address),
            sizeof address);
        // A refused datagram is told of by the next call: the peer's port is closed, which patience will notice.
        if (sent < 0 && errno != ECONNREFUSED) throw TransportError(system_error("sending to " + short_text(peer_)));
    }

    ByteView receive(Time wait) override {
        if (!readable_within(socket_.get(), wait)) return {};
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const auto length = ::recvfrom(
            socket_.get(), buffer_.data(), buffer_.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
        const in_addr peer = in_addr_of(peer_);
        if (length < static_cast<ssize_t>(least_packet) || from.sin_addr.s_addr != peer.s_addr) return {};
        return in_.with(ByteView(buffer_).first(static_cast<std::size_t>(length)));
    }

private:
    static sockaddr_in address_of(const Gid& ip) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(ib::roce_v2_udp_port);
        address.sin_addr = in_addr_of(ip);
        return address;
    }

    bool is_for_peer(ByteView frame) const {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        return packet.transport == capture::Transport::ib && packet.ib.carrier == capture::IbCarrier::roce_v2 &&
               packet.ib.bth_offset == bth_offset && packet.destination == capture::Address::of(peer_);
    }

    Gid own_, peer_;
    std::optional<std::uint16_t> service_port_;
    FileDescriptor socket_;
    RoceFrame out_, in_;
    std::array<std::uint8_t, most_packet> buffer_{};
};

}  // namespace

std::unique_ptr<Transport> open_udp(const Gid& host, std::optional<std::uint16_t> service_port) {
    return std::make_unique<UdpTransport>(host, service_port);
}

}  // namespace fabricscope::replay
