// SPDX-License-Identifier: GPL-2.0-or-later
// What carries an emulated port's frames.
#pragma once

#include <optional>

#include "capture/packet.h"
#include "protocols/builders/fc_frame_builder.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack::fibre_channel {

enum class Link : std::uint8_t { fibre, fcoe };

constexpr capture::LinkType link_type(Link link) {
    return link == Link::fibre ? capture::LinkType::fc2_with_delimiters : capture::LinkType::ethernet;
}

/// `vlan`: of FCoE.
inline Octets encode(const builders::FcFrame& frame, Link link, std::optional<std::uint16_t> vlan = std::nullopt) {
    return link == Link::fibre ? builders::as_fc2_with_delimiters(frame) : builders::as_fcoe(frame, vlan);
}

/// Views in what is returned point into `octets`. It has no `fc` unless there is a whole frame, whatever its CRC.
inline capture::Packet decode_unchecked(ByteView octets, Link link) {
    capture::Frame frame = ethernet_frame(octets);
    frame.link = link_type(link);
    capture::Packet packet = capture::decode(frame);
    if (packet.fc && packet.fc->frame.error) packet.fc.reset();
    return packet;
}

/// The same, and no `fc` unless the CRC is good.
inline capture::Packet decode(ByteView octets, Link link) {
    capture::Packet packet = decode_unchecked(octets, link);
    if (packet.fc && capture::fc_crc_is_good(packet) != true) packet.fc.reset();
    return packet;
}

}  // namespace fabricscope::stack::fibre_channel
