// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Ethernet frames on an interface, by libpcap. Needs CAP_NET_RAW.
#pragma once

#include "replay/transport/ip_hosts.h"

namespace fabricscope::replay {

/// Frames with the recorded addresses: FCoE, RoCE v1. `peer`: the host that stands for the recorded one; nothing: that
/// one itself. Nobody else is sent to, and of others nothing is taken if the peer is named. Throws TransportError.
std::unique_ptr<Transport> open_interface(const std::string& interface, const std::optional<Mac>& peer);

/// One host beside this one. Throws as IpHosts does.
std::unique_ptr<Transport> open_ip_host(const IpHostsConfig& host, std::optional<std::uint16_t> peer_port);

/// The interface whose network `peer` belongs to. Throws Unreachable.
std::string interface_towards(const Gid& peer);

}  // namespace fabricscope::replay
