// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/held.h"

namespace fabricscope::engine::smcr {

HeldPacket::HeldPacket(const capture::Packet& packet, ByteView payload)
    : headers_(packet), payload_(payload.begin(), payload.end()) {
    headers_.segment = {};
    headers_.tcp = {};
    headers_.udp = {};
    headers_.ib.payload = {};
    headers_.ib.covered = {};
    headers_.fc.reset();
}

capture::Packet HeldPacket::packet() const {
    capture::Packet packet = headers_;
    packet.ib.payload = payload_;
    return packet;
}

void HeldWrite::hold(const Flow::Write& write) {
    octets_.assign(write.octets.begin(), write.octets.end());
    write_ = write;
    write_.octets = {};
}

Flow::Write HeldWrite::at(std::uint64_t offset) const {
    Flow::Write write = write_;
    write.offset = offset;
    write.octets = octets_;
    return write;
}

}  // namespace fabricscope::engine::smcr
