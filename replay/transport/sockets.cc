// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/sockets.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "protocols/builders/frame_builder.h"

namespace fabricscope::replay {

std::string system_error(const std::string& what) { return what + ": " + std::strerror(errno); }

SocketAddress::SocketAddress(const std::string& ip) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (::getaddrinfo(ip.c_str(), nullptr, &hints, &found) != 0) throw TransportError(ip + " is no IP address");
    std::memcpy(&storage_, found->ai_addr, found->ai_addrlen);
    ::freeaddrinfo(found);
}

SocketAddress::SocketAddress(const sockaddr& address) {
    std::memcpy(&storage_, &address, address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
}

SocketAddress SocketAddress::with_port(std::uint16_t port) const {
    SocketAddress result = *this;
    // The port is at the same place in both versions.
    reinterpret_cast<sockaddr_in*>(result.get())->sin_port = htons(port);
    return result;
}

Gid SocketAddress::ip() const {
    if (family() == AF_INET6) {
        Gid ip;
        std::memcpy(ip.octets.data(), &reinterpret_cast<const sockaddr_in6*>(get())->sin6_addr, ip.octets.size());
        return ip;
    }
    Ipv4 ip;
    std::memcpy(ip.octets.data(), &reinterpret_cast<const sockaddr_in*>(get())->sin_addr, ip.octets.size());
    return builders::gid_of(ip);
}

bool is_of_a_host(const Gid& ip) {
    if (!ip.is_ipv4()) return ip.octets[0] != 0xFF && ip != Gid{};
    const std::uint8_t first = ip.octets[12];
    return first != 0 && first < 224;  // RFC 1122, 3.2.1.3
}

bool is_own(const Gid& ip) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) throw TransportError(system_error("the addresses of this host"));
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, ::freeifaddrs);
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr) continue;
        const int family = one->ifa_addr->sa_family;
        if ((family == AF_INET || family == AF_INET6) && SocketAddress(*one->ifa_addr).ip() == ip) return true;
    }
    return false;
}

in_addr in_addr_of(const Gid& ipv4) {
    in_addr address{};
    std::memcpy(&address, ipv4.octets.data() + 12, sizeof address);
    return address;
}

SocketAddress own_address_towards(const SocketAddress& peer) {
    const FileDescriptor probe(::socket(peer.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    constexpr std::uint16_t discard = 9;
    const SocketAddress anywhere = peer.with_port(discard);
    SocketAddress own;
    socklen_t size = SocketAddress::capacity;
    if (::connect(probe.get(), anywhere.get(), anywhere.size()) != 0 ||
        ::getsockname(probe.get(), own.get(), &size) != 0)
        throw Unreachable(system_error("no way to " + short_text(peer.ip())));
    return own;
}

Mac made_up_mac(const Gid& ip) {
    Mac mac{{0x02, 0xFA}};
    std::copy_n(ip.octets.begin() + 12, 4, mac.octets.begin() + 2);
    return mac;
}

bool readable_within(int descriptor, Time wait) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    const timespec time{.tv_sec = wait / capture::second, .tv_nsec = wait % capture::second};
    return ::ppoll(&one, 1, &time, nullptr) > 0;
}

}  // namespace fabricscope::replay
