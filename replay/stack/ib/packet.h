// SPDX-License-Identifier: GPL-2.0-or-later
// What queue pairs and their adapter hand each other.
#pragma once

#include "capture/packet.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/psn.h"
#include "protocols/layout/parts.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack {

/// A packet before it becomes a frame: everything from the BTH on, without padding and ICRC.
struct IbPacketOut {
    ib::Bth bth{};
    Octets extended;   ///< headers between BTH and payload
    ByteView payload;  ///< lives as long as the call that hands it over
    std::string note;
};

template <layout::WireFormat T> void append(Octets& octets, const T& header) {
    const Octets built = layout::octets_of(header);
    octets.insert(octets.end(), built.begin(), built.end());
}

/// Where a queue pair's packets go. Only takes them down: nothing happens in return.
class PacketSink {
public:
    virtual void send(const IbPacketOut& packet) = 0;

protected:
    ~PacketSink() = default;
};

/// 0 to 31 as a time: 4.096 us * 2^code; code 0 is `never`.
constexpr Time coded_timeout(std::uint8_t code) { return code == 0 ? never : Time{4096} << (code & 0x1F); }

}  // namespace fabricscope::stack
