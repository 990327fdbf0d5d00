// SPDX-License-Identifier: GPL-2.0-or-later
// Which Fibre Channel port is where on an Ethernet: what ports tell of themselves in FIP and in logins.
#pragma once

#include <optional>

#include "protocols/layout/layout.h"

namespace fabricscope::replay {

/// Where FCoE frames reach the port of this Port_Name, or the switch of this Switch_Name, if the Ethernet frame tells:
/// one of FIP in which a port or switch says that it is there, or a login or the answer to one.
std::optional<Mac> mac_of_port(ByteView frame, std::uint64_t name);

}  // namespace fabricscope::replay
