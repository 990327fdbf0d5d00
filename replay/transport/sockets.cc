// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/sockets.h"

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
