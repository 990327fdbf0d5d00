// SPDX-License-Identifier: GPL-2.0-or-later
// Instead of open_live.cc, where the sockets and interfaces of Linux are missing (FABRICSCOPE_LINUX).
#include "replay/transport/transport.h"

namespace fabricscope::replay {

std::unique_ptr<Transport> open_transport(const Target&, const TransportOptions&) {
    throw TransportError("this fabricscope was built without live targets: emulated and emulated:PROFILE are left");
}

}  // namespace fabricscope::replay
