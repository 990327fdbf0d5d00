// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA CM tracker says about single frames while it works.
#pragma once

#include "analyzer/engine/finding.h"
#include "analyzer/engine/rdma_cm/model.h"

namespace fabricscope::engine::rdma_cm {

/// What one frame means.
struct FrameFacts {
    std::uint64_t frame = 0;
    Time time = 0;
    std::uint32_t connection = 0;  ///< id
    Side from{};
    bool message = false;         ///< a CM message; otherwise traffic of the connection
    bool retransmission = false;  ///< seen before
    /// A message that answers another one: which, and when that was sent first.
    std::uint64_t request_frame = 0;
    Time request_time = 0;
};

/// All calls happen while a packet is being taken or in finish().
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_facts(const FrameFacts&) {}
    /// The packet that these facts are about; called after on_facts(). Its views live only during the call.
    virtual void on_packet(const FrameFacts&, const capture::Packet&) {}
    /// The frame shows `original` once more, from another interface; it is not tracked.
    virtual void on_copy(std::uint64_t /*frame*/, std::uint64_t /*original*/) {}
    /// A rule was broken; by the frame that is being dealt with, or by an earlier one.
    virtual void on_finding(const Finding&) {}
};

}  // namespace fabricscope::engine::rdma_cm
