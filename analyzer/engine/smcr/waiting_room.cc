// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/waiting_room.h"

namespace fabricscope::engine::smcr {

namespace {

/// What has LLC's length on the wire, and would be an LLC message but for its type or for the length that it says: it
/// may be the first message on a link.
bool is_wrong_llc(const capture::Packet& packet) {
    const ByteView octets = packet.ib.payload;
    if (packet.ib.opcode().operation != ib::Operation::send || octets.size() != wire::llc_size ||
        packet.ib.payload_length != wire::llc_size || octets[0] == wire::cdc_type)
        return false;
    const bool says_length = octets[1] == wire::llc_size || octets[2] == wire::llc_size;
    const wire::LlcMessage message = wire::parse_llc(octets, octets.size());
    return message.error && (says_length || message.type() == wire::LlcType::confirm_link);
}

}  // namespace

bool WaitingRoom::expects(const capture::Packet& packet) const {
    const auto between_same_ports = [&](const HeldPacket& held) {
        return (held.source() == packet.source && held.destination() == packet.destination) ||
               (held.source() == packet.destination && held.destination() == packet.source);
    };
    return std::ranges::any_of(packets_, between_same_ports) || begins_link(packet) || is_wrong_llc(packet);
}

bool WaitingRoom::hold(WaitingData data) {
    const bool full = data_.size() >= most_;
    if (full) data_.pop_front();
    data_.push_back(std::move(data));
    return full;
}

}  // namespace fabricscope::engine::smcr
