// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Ethernet frames on an interface, by libpcap. Needs CAP_NET_RAW.
#pragma once

#include "replay/transport/ip_hosts.h"

namespace fabricscope::replay {

/// Frames with the recorded addresses: FCoE, RoCE v1. `target.mac` or `port_name`: the host that stands for the
/// recorded one; nothing: that one itself. Nobody else is sent to, and of others nothing is taken if the peer is named.
/// Nothing at all is sent until a port that was named has told where it is. Throws TransportError; Unreachable if it
/// does not within the time.
std::unique_ptr<Transport> open_interface(const Target& target, Time timeout);

/// One host beside this one. Throws as IpHosts does.
std::unique_ptr<Transport> open_ip_host(const IpHostsConfig& host, std::optional<std::uint16_t> peer_port);

/// The interface whose network `peer` belongs to. Throws Unreachable.
std::string interface_towards(const Gid& peer);

}  // namespace fabricscope::replay
