// SPDX-License-Identifier: GPL-2.0-or-later
// RoCEv2 through an ordinary UDP socket (IBA annex A17): no privileges, but nobody else on this host may use port 4791.
#pragma once

#include "replay/transport/sockets.h"

namespace fabricscope::replay {

/// Throws TransportError, Unreachable. `service_port`: of the RDMA CM service; nothing: the recorded one.
std::unique_ptr<Transport> open_udp(const SocketAddress& host, std::optional<std::uint16_t> service_port);

}  // namespace fabricscope::replay
