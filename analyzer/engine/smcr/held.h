// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept beyond the frame that it came in. These types own every octet that they need and hold no view at all:
// views are made anew when they are asked for, so none can outlive what it points to.
#pragma once

#include <vector>

#include "analyzer/engine/smcr/flow.h"
#include "capture/packet.h"

namespace fabricscope::engine::smcr {

/// HeldPacket is a packet of a reliable connection without the frame it was decoded from.
class HeldPacket {
public:
    /// The packet's headers are copied, and `payload`, which the packet is to have when it is asked for again. It may
    /// be empty, if the packet's content is held elsewhere.
    HeldPacket(const capture::Packet& packet, ByteView payload);

    std::uint64_t number() const { return headers_.number; }
    Time time() const { return headers_.time; }
    const Address& source() const { return headers_.source; }
    const Address& destination() const { return headers_.destination; }

    /// packet() returns the packet with its payload. Of its other views (segment, ICRC coverage, TCP, UDP) none is
    /// kept: they are empty. The payload's view is valid as long as this object, which may be moved meanwhile.
    capture::Packet packet() const;

private:
    capture::Packet headers_;  ///< without views
    std::vector<std::uint8_t> payload_;
};

/// HeldWrite is a packet of an RDMA WRITE whose place is not known yet.
class HeldWrite {
public:
    HeldWrite() = default;
    explicit HeldWrite(const Flow::Write& write) { hold(write); }

    /// hold() keeps another WRITE instead, in the same memory if that is large enough.
    void hold(const Flow::Write& write);

    std::uint32_t length() const { return write_.length; }
    Time time() const { return write_.time; }

    /// at() returns the WRITE as one to `offset` of an RMB element. The view of its octets is valid as long as this
    /// object, which may be moved meanwhile.
    Flow::Write at(std::uint64_t offset) const;

private:
    Flow::Write write_{};  ///< without octets
    std::vector<std::uint8_t> octets_;
};

}  // namespace fabricscope::engine::smcr
