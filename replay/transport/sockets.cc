// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/sockets.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "capture/frame_builder.h"

namespace fabricscope::replay {

std::string system_error(const std::string& what) { return what + ": " + std::strerror(errno); }

Gid parse_ip(const std::string& text) {
    Ipv4 address;
    if (::inet_pton(AF_INET, text.c_str(), address.octets.data()) != 1)
        throw TransportError(text + " is no IPv4 address");
    return capture::gid_of(address);
}

in_addr in_addr_of(const Gid& ipv4) {
    in_addr address{};
    std::memcpy(&address, ipv4.octets.data() + 12, sizeof address);
    return address;
}

Gid own_address_towards(const Gid& peer) {
    const FileDescriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr = in_addr_of(peer);
    socklen_t size = sizeof address;
    if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw Unreachable(system_error("no way to " + short_text(peer)));
    Ipv4 own;
    std::memcpy(own.octets.data(), &address.sin_addr, own.octets.size());
    return capture::gid_of(own);
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
