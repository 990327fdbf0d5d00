// SPDX-License-Identifier: GPL-2.0-or-later
// A CM message as it comes to the model and to the rules.
#pragma once

#include "analyzer/engine/rdma_cm/observer.h"

namespace fabricscope::engine::rdma_cm {

struct Arrival {
    const capture::Packet& packet;
    const wire::Message& message;
    FrameFacts& facts;

    FrameStamp step() const { return {packet.time, packet.number, packet.interface}; }
    /// Whether so many octets of the MAD were captured.
    bool has(std::size_t octets) const { return !message.error || message.error.offset >= octets; }
};

}  // namespace fabricscope::engine::rdma_cm
