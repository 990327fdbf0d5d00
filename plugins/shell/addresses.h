// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "capture/packet.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

/// Wireshark's form of an address; it lives as long as `from` does.
inline address address_of(const capture::Address& from) {
    address to;
    if (from.kind == capture::Address::Kind::ipv4) set_address(&to, AT_IPv4, 4, from.bytes.data() + 12);
    else set_address(&to, AT_IPv6, 16, from.bytes.data());
    return to;
}

}  // namespace fabricscope::plugin
