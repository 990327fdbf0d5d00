// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/raw.h"
#include "replay/transport/sockets.h"
#include "replay/transport/transport.h"
#include "replay/transport/udp.h"

namespace fabricscope::replay {
namespace {

void check_peer(const Gid& peer) {
    if (!is_of_a_host(peer)) throw TransportError(short_text(peer) + " is the address of many hosts, or of none");
    if (is_own(peer))
        throw TransportError(
            short_text(peer) +
            " is this host itself: the played side and its peer must be two hosts (or network "
            "namespaces)");
}

/// Of a played host beside this one.
void check_own(const Gid& own, const Gid& peer) {
    const std::string address = "--address " + short_text(own);
    if (!is_of_a_host(own)) throw TransportError(address + " is the address of many hosts, or of none");
    if (own == peer) throw TransportError(address + " is the peer's");
    if (is_own(own))
        throw TransportError(address + " is one of this host's own: its kernel would answer, too; name a free one");
}

}  // namespace

std::unique_ptr<Transport> open_transport(const Target& target, const TransportOptions& options) {
    if (target.kind == Target::Kind::interface) return open_interface(target.interface, target.mac);
    const SocketAddress host(target.host);
    check_peer(host.ip());
    if (target.kind == Target::Kind::rocev2) return open_udp(host, target.port);
    if (options.address.empty())
        throw TransportError("smc:// needs --address: an IP address for the played side that no other host has");
    const SocketAddress own(options.address);
    if (host.family() != AF_INET || own.family() != AF_INET)
        throw TransportError("smc:// is for IPv4: the played host knows ARP, and not Neighbor Discovery");
    check_own(own.ip(), host.ip());
    const std::string interface = options.interface.empty() ? interface_towards(host.ip()) : options.interface;
    return open_ip_host(interface, own.ip(), host.ip(), target.port, options.timeout);
}

}  // namespace fabricscope::replay
