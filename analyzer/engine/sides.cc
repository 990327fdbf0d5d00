// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/sides.h"

namespace fabricscope::engine {

std::string to_string(const SocketAddress& address) {
    const std::string host = capture::to_string(address.address);
    const std::string port = std::to_string(address.port);
    return address.address.kind == Address::Kind::ipv6 ? "[" + host + "]:" + port : host + ":" + port;
}

}  // namespace fabricscope::engine
