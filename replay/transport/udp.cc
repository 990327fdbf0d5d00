// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/udp.h"

#include <netinet/udp.h>
#include <sys/socket.h>
// <linux/errqueue.h> wants struct timespec.
#include <ctime>

#include <linux/errqueue.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "protocols/builders/frame_builder.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/icrc.h"
#include "protocols/net/headers.h"
#include "replay/transport/sockets.h"

namespace fabricscope::replay {

namespace {

constexpr std::size_t ip_offset = layout::size_of<net::Ethernet>;
constexpr std::size_t least_packet = layout::size_of<ib::Bth> + layout::size_of<ib::Icrc>;
constexpr std::size_t most_packet = 65'507;

/// The frame of a RoCEv2 packet. The ICRC covers IP and UDP headers, of which a socket neither decides nor tells all:
/// the sender's kernel leaves the identification of what may not be fragmented 0.
class RoceFrame {
public:
    RoceFrame(const Mac& from_mac, const Gid& from, const Mac& to_mac, const Gid& to)
        : is_ipv4_(from.is_ipv4()),
          udp_offset_(ip_offset + (is_ipv4_ ? layout::size_of<net::Ipv4Header> : layout::size_of<net::Ipv6Header>)) {
        octets_.resize(bth_offset());
        const std::uint16_t type = is_ipv4_ ? net::ether_type_ipv4 : net::ether_type_ipv6;
        layout::build_into(net::Ethernet{to_mac, from_mac, type}, std::span(octets_));
        ipv4_.version = 4;
        ipv4_.header_length = layout::size_of<net::Ipv4Header> / 4;
        ipv4_.dont_fragment = true;
        ipv4_.time_to_live = hops;
        ipv4_.protocol = net::protocol_udp;
        std::copy_n(from.octets.begin() + 12, 4, ipv4_.source.octets.begin());
        std::copy_n(to.octets.begin() + 12, 4, ipv4_.destination.octets.begin());
        ipv6_.version = 6;
        ipv6_.next_header = net::protocol_udp;
        ipv6_.hop_limit = hops;
        ipv6_.source = from;
        ipv6_.destination = to;
    }

    std::size_t bth_offset() const { return udp_offset_ + layout::size_of<net::UdpHeader>; }

    /// `packet`: from the BTH to the ICRC, which is computed anew.
    ByteView with(ByteView packet) {
        const auto datagram = static_cast<std::uint16_t>(layout::size_of<net::UdpHeader> + packet.size());
        octets_.resize(udp_offset_ + datagram);
        build_ip(datagram);
        const net::UdpHeader udp{ib::roce_v2_udp_port, ib::roce_v2_udp_port, datagram, 0};
        layout::build_into(udp, std::span(octets_).subspan(udp_offset_));
        std::ranges::copy(packet, octets_.begin() + static_cast<std::ptrdiff_t>(bth_offset()));
        const ByteView covered = ByteView(octets_).subspan(ip_offset).first(octets_.size() - ip_offset - 4);
        const ib::IcrcStart start = is_ipv4_ ? ib::IcrcStart::ipv4 : ib::IcrcStart::ipv6;
        const std::uint32_t icrc = ib::icrc(start, covered, bth_offset() - ip_offset).value_or(0);
        for (std::size_t i = 0; i < 4; ++i)
            octets_[octets_.size() - 4 + i] = static_cast<std::uint8_t>(icrc >> (8 * i));
        return octets_;
    }

private:
    void build_ip(std::uint16_t datagram) {
        const std::span<std::uint8_t> header = std::span(octets_).subspan(ip_offset);
        if (is_ipv4_) {
            ipv4_.total_length = static_cast<std::uint16_t>(layout::size_of<net::Ipv4Header> + datagram);
            layout::build_into(ipv4_, header);
        } else {
            ipv6_.payload_length = datagram;
            layout::build_into(ipv6_, header);
        }
    }

    static constexpr std::uint8_t hops = 64;

    bool is_ipv4_;
    std::size_t udp_offset_;
    net::Ipv4Header ipv4_{};
    net::Ipv6Header ipv6_{};
    std::vector<std::uint8_t> octets_;
};

class UdpTransport final : public Transport {
public:
    UdpTransport(const SocketAddress& host, std::optional<std::uint16_t> service_port)
        : own_(own_address_towards(host).with_port(ib::roce_v2_udp_port)),
          peer_(host.with_port(ib::roce_v2_udp_port)),
          service_port_(service_port),
          socket_(::socket(host.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)),
          out_(made_up_mac(own_.ip()), own_.ip(), made_up_mac(peer_.ip()), peer_.ip()),
          in_(made_up_mac(peer_.ip()), peer_.ip(), made_up_mac(own_.ip()), own_.ip()) {
        if (host.family() == AF_INET) set(IPPROTO_IP, IP_RECVERR, 1);
        else set(IPPROTO_IPV6, IPV6_RECVERR, 1);
        if (host.family() == AF_INET) set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
        // RoCE has its ICRC, and its devices leave the checksum of UDP 0 (IBA annex A17), which IPv6 does not allow
        // without having been told so (RFC 6935).
        else set(IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
        if (::bind(socket_.get(), own_.get(), own_.size()) == 0) return;
        std::string problem = system_error("UDP port 4791 of " + short_text(own_.ip()));
        if (errno == EADDRINUSE) problem += "; is a soft-RoCE device (rdma_rxe) active on this host?";
        throw TransportError(problem);
    }

    std::optional<LiveAddresses> addresses() const override {
        return LiveAddresses{made_up_mac(own_.ip()), made_up_mac(peer_.ip()), own_.ip(), peer_.ip(), std::nullopt,
                             service_port_};
    }

    void send(ByteView frame) override {
        if (!is_for_peer(frame)) return;
        const ByteView built = out_.with(frame.subspan(out_.bth_offset())).subspan(out_.bth_offset());
        packet_.assign(built.begin(), built.end());
        // What was damaged on the way is to be found out.
        if (capture::icrc_is_good(capture::decode(stack::ethernet_frame(frame))) == false) packet_.back() ^= 0xFF;
        const ByteView packet = packet_;
        // What became of an earlier datagram is told by the next call, which then does nothing else.
        for (unsigned attempts = 0; attempts < 3; ++attempts) {
            if (::sendto(socket_.get(), packet.data(), packet.size(), 0, peer_.get(), peer_.size()) >= 0) return;
            if (note_errors() == 0) throw TransportError(system_error("sending to " + short_text(peer_.ip())));
        }
    }

    ByteView receive(Time wait) override {
        if (!readable_within(socket_.get(), wait)) return {};
        SocketAddress from;
        socklen_t size = SocketAddress::capacity;
        const auto length = ::recvfrom(socket_.get(), buffer_.data(), buffer_.size(), 0, from.get(), &size);
        if (length < 0) note_errors();
        if (length < static_cast<ssize_t>(least_packet) || from.ip() != peer_.ip()) return {};
        return in_.with(ByteView(buffer_).first(static_cast<std::size_t>(length)));
    }

    bool is_refused() const override { return refusal_ != 0; }

    std::string why_silent() const override {
        const std::string peer = short_text(peer_.ip());
        switch (refusal_) {
            case 0: return {};
            case ECONNREFUSED:
                return peer + " is there, but not RDMA capable: it has closed UDP port 4791 (connection refused)";
            case EHOSTUNREACH:
                return by_router_ ? "a router says that " + peer + " is unreachable"
                                  : "nobody has the address " + peer + " (host unreachable)";
            default: return peer + " is unreachable: " + std::strerror(refusal_);
        }
    }

private:
    /// What ICMP, ARP and Neighbor Discovery have told of datagrams that were sent; how much that was.
    unsigned note_errors() {
        const int first = errno;
        unsigned count = 0;
        for (;; ++count) {
            std::array<std::uint8_t, 512> control{}, datagram{};
            iovec octets{datagram.data(), datagram.size()};
            msghdr message{};
            message.msg_iov = &octets;
            message.msg_iovlen = 1;
            message.msg_control = control.data();
            message.msg_controllen = control.size();
            if (::recvmsg(socket_.get(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) break;
            for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
                sock_extended_err error{};
                if (one->cmsg_len < CMSG_LEN(sizeof error)) continue;
                std::memcpy(&error, CMSG_DATA(one), sizeof error);
                if (error.ee_errno == EMSGSIZE) continue;
                refusal_ = static_cast<int>(error.ee_errno);
                // This host's own kernel tells by ICMP, too, that nobody answers ARP.
                sockaddr_in6 offender{};
                if (one->cmsg_len >= CMSG_LEN(sizeof error + sizeof(sockaddr_in)))
                    std::memcpy(
                        &offender, CMSG_DATA(one) + sizeof error,
                        std::min(sizeof offender, one->cmsg_len - CMSG_LEN(sizeof error)));
                const auto* const sender = reinterpret_cast<const sockaddr*>(&offender);
                const bool known = sender->sa_family == AF_INET || sender->sa_family == AF_INET6;
                by_router_ = known && SocketAddress(*sender).ip() != own_.ip();
            }
        }
        errno = first;
        return count;
    }

    void set(int level, int option, int value) const {
        ::setsockopt(socket_.get(), level, option, &value, sizeof value);
    }

    bool is_for_peer(ByteView frame) const {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        return packet.transport == capture::Transport::ib && packet.ib.carrier == capture::IbCarrier::roce_v2 &&
               packet.ib.bth_offset == out_.bth_offset() && packet.destination == capture::Address::of(peer_.ip());
    }

    SocketAddress own_, peer_;
    std::optional<std::uint16_t> service_port_;
    FileDescriptor socket_;
    RoceFrame out_, in_;
    std::vector<std::uint8_t> packet_;
    int refusal_ = 0;  ///< as errno has it; 0: none
    bool by_router_ = false;
    std::array<std::uint8_t, most_packet> buffer_{};
};

}  // namespace

std::unique_ptr<Transport> open_udp(const SocketAddress& host, std::optional<std::uint16_t> service_port) {
    return std::make_unique<UdpTransport>(host, service_port);
}

}  // namespace fabricscope::replay
