// SPDX-License-Identifier: GPL-2.0-or-later
// Packets of reliable connections for tests of single parts, which see no frames.
#pragma once

#include "capture/packet.h"

namespace fabricscope::engine::smcr::test {

inline constexpr std::uint8_t ib_send_only = 0x04, ib_send_middle = 0x01, ib_write_only = 0x0A, ib_acknowledge = 0x11;

/// gid_of() returns the GID of a host, whose IPv4 address ends with this octet.
inline Gid gid_of(std::uint8_t host) { return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, host}}; }
inline capture::Address ib_port(std::uint8_t host) { return capture::Address::of(gid_of(host)); }

/// ib_packet() returns a packet whose payload is a view of `payload`, which outlives it.
inline capture::Packet ib_packet(
    std::uint8_t from, std::uint8_t to, std::uint32_t qpn, std::uint8_t opcode, std::uint32_t psn,
    ByteView payload = {}) {
    capture::Packet p;
    p.number = psn;
    p.transport = capture::Transport::ib;
    p.source = ib_port(from);
    p.destination = ib_port(to);
    p.ib.carrier = capture::IbCarrier::roce_v2;
    p.ib.bth.opcode = opcode;
    p.ib.bth.destination_qpn = qpn;
    p.ib.bth.psn = psn;
    p.ib.payload = payload;
    p.ib.payload_length = static_cast<std::uint32_t>(payload.size());
    return p;
}

/// ib_write() returns an RDMA WRITE of one packet.
inline capture::Packet ib_write(
    std::uint8_t from, std::uint8_t to, std::uint32_t qpn, std::uint32_t psn, const ib::Reth& reth, ByteView payload) {
    capture::Packet p = ib_packet(from, to, qpn, ib_write_only, psn, payload);
    p.ib.has_reth = true;
    p.ib.reth = reth;
    return p;
}

/// ib_acknowledgement() returns an ACK, or a NAK with another syndrome.
inline capture::Packet ib_acknowledgement(
    std::uint8_t from, std::uint8_t to, std::uint32_t qpn, std::uint32_t psn, std::uint8_t syndrome = 0) {
    capture::Packet p = ib_packet(from, to, qpn, ib_acknowledge, psn);
    p.ib.has_aeth = true;
    p.ib.aeth.syndrome = syndrome;
    return p;
}

}  // namespace fabricscope::engine::smcr::test
