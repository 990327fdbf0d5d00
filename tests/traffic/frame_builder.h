// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces of made-up hosts, for builders::FrameBuilder.
#pragma once

#include "protocols/builders/frame_builder.h"
#include "protocols/layout/parts.h"

namespace fabricscope::traffic {

using builders::FrameBuilder;
using builders::TcpFields;
using layout::octets_of;
using Octets = std::vector<std::uint8_t>;

/// An interface of a host: it sends TCP and RoCEv2.
struct Port {
    Mac mac;
    Ipv4 ip;
    std::uint16_t identification = 0;  ///< of its latest IP packet

    /// The GID under which RoCEv2 knows the address.
    Gid gid() const { return builders::gid_of(ip); }
};

/// For the next frame of `from`.
inline builders::FrameEnds between(Port& from, const Port& to) {
    return {from.mac, to.mac, from.gid(), to.gid(), ++from.identification};
}

}  // namespace fabricscope::traffic
