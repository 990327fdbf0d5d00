// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/ip_hosts.h"
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
void check_own(const Gid& own, const std::optional<Gid>& peer) {
    const std::string address = "--address " + short_text(own);
    if (!is_of_a_host(own)) throw TransportError(address + " is the address of many hosts, or of none");
    if (own == peer) throw TransportError(address + " is the peer's");
    if (is_own(own))
        throw TransportError(address + " is one of this host's own: its kernel would answer, too; name a free one");
}

}  // namespace

std::unique_ptr<Transport> open_transport(const Target& target, const TransportOptions& options) {
    if (target.kind == Target::Kind::interface) return open_interface(target, options.timeout);
    if (target.kind == Target::Kind::rocev2) {
        const SocketAddress host(target.host);
        check_peer(host.ip());
        return open_udp(host, target.port);
    }
    return open_ip_host(hosts_towards(target.host, options, 1), target.port);
}

IpHostsConfig hosts_towards(const std::string& peer, const TransportOptions& options, unsigned count) {
    const SocketAddress host(peer);
    check_peer(host.ip());
    IpHostsConfig config = hosts_at(options, count, host.ip());
    config.peer = host.ip();
    return config;
}

IpHostsConfig hosts_at(const TransportOptions& options, unsigned count, const std::optional<Gid>& peer) {
    if (options.address.empty())
        throw TransportError("--address is needed: an IP address for the played side that no other host has");
    const SocketAddress own(options.address);
    if (own.family() != AF_INET || (peer && !peer->is_ipv4()))
        throw TransportError("this is for IPv4: the played host knows ARP, and not Neighbor Discovery");
    IpHostsConfig config{.interface = options.interface, .first = own.ip(), .count = count, .timeout = options.timeout};
    for (unsigned host = 0; host < count; ++host) check_own(ip_behind(config.first, host), peer);
    if (config.interface.empty()) config.interface = interface_towards(peer.value_or(config.first));
    return config;
}

}  // namespace fabricscope::replay
