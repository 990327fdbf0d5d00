// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine asks of whoever follows a protocol. Sans-I/O: no files, no clock, no threads.
#pragma once

#include "analyzer/engine/finding.h"
#include "capture/packet.h"

namespace fabricscope::engine {

class Tracker {
public:
    Tracker() = default;
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    virtual ~Tracker() = default;

    /// Packets in order of capture; views in the packet need to live only during the call. A tracker of what is built
    /// on another protocol is fed by that protocol's tracker instead.
    virtual void on_packet(const capture::Packet&) {}

    /// A frame that another interface saw first, as the frame `original`; on_packet() is not told of it.
    virtual void on_copy([[maybe_unused]] const capture::Packet& packet, [[maybe_unused]] std::uint64_t original) {}

    /// A packet that was damaged on its way; on_packet() is not told of it. What is in it cannot be believed.
    virtual void on_damaged(const capture::Packet&) {}

    /// No more packets: what is open is settled.
    virtual void finish() {}

    /// What the rules came to so far; of a protocol without rules nothing.
    virtual RuleOutcomes outcomes() const { return {}; }
};

}  // namespace fabricscope::engine
