// SPDX-License-Identifier: GPL-2.0-or-later
// What transports need of the operating system: addresses, waiting.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "capture/file_descriptor.h"
#include "protocols/layout/types.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {

using capture::FileDescriptor;

/// An IP address and a port, of either version, as the system's calls want it.
class SocketAddress {
public:
    SocketAddress() = default;
    /// IPv4, or IPv6 with the interface of a link-local address ("fe80::1%eth0"). Throws TransportError if it is none.
    explicit SocketAddress(const std::string& ip);
    /// AF_INET or AF_INET6.
    explicit SocketAddress(const sockaddr& address);

    SocketAddress with_port(std::uint16_t port) const;
    int family() const { return storage_.ss_family; }
    /// IPv4 as ::ffff:a.b.c.d.
    Gid ip() const;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
    static constexpr socklen_t capacity = sizeof(sockaddr_storage);
    socklen_t size() const { return family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6); }

private:
    sockaddr_storage storage_{};
};

/// The address that this host uses towards `peer`. Throws Unreachable.
SocketAddress own_address_towards(const SocketAddress& peer);
/// Whether one host can have it: neither multicast nor broadcast, and not "any".
bool is_of_a_host(const Gid& ip);
/// Whether one of this host's interfaces has the address.
bool is_own(const Gid& ip);
in_addr in_addr_of(const Gid& ipv4);
/// A locally administered address for somebody who has this IP address; from its last octets.
Mac made_up_mac(const Gid& ip);
/// Whether something can be read before `wait` nanoseconds are over.
bool readable_within(int descriptor, Time wait);
/// "what: why", with errno's text.
std::string system_error(const std::string& what);

}  // namespace fabricscope::replay
