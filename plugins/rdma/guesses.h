// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's guesses about what a stream carries whose set-up was not captured, kept to what its messages can be.
#pragma once

#include <cstdint>
#include <string_view>

#include "capture/packet.h"

namespace fabricscope::plugin::rdma {

/// What the messages of a stream can be, as far as it has been seen.
class Content {
public:
    /// Only SENDs tell: what is written or read is memory.
    void note(const capture::IbPacket& packet);
    /// The stream is the other half of this one.
    void join(const Content& half);

    /// Whether the protocol's heuristic dissector may look at a payload of the stream. Those of which nothing is known
    /// here may.
    bool may_be_guessed(std::string_view protocol, capture::IbCarrier carrier) const;

private:
    bool seen_ = false;  ///< a message's begin
    bool rpc_over_rdma_ = true, smb_direct_ = true, ip_over_infiniband_ = true;
};

}  // namespace fabricscope::plugin::rdma
