// SPDX-License-Identifier: GPL-2.0-or-later
// A whole FC-2 frame, without delimiters and CRC: Extended_Headers, Frame_Header, optional headers,
// payload, fill octets.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocols/fc/optional_headers.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fc {

inline constexpr std::size_t frame_header_size = layout::size_of<FrameHeader>;
/// The Data_Field, optional headers included (FC-PH 17.7).
inline constexpr std::size_t max_data_field = 2112;
/// Extended_Headers that are taken off a frame; real ones have one or two.
inline constexpr std::size_t max_extended_headers = 4;

/// Views point into the octets that were parsed, and may be shorter than on the wire when these were cut.
struct Frame {
    ByteView extended_headers;  ///< all of them, as they stand
    FrameHeader header;
    ByteView optional_headers;  ///< all of them, as DF_CTL says; of an ESP-protected frame the ESP_Header only
    ByteView payload;           ///< without fill octets; of an ESP-protected frame all that is protected
    ByteView fill;
    std::uint32_t payload_length = 0;    ///< on the wire, without fill octets
    std::optional<std::uint16_t> vf_id;  ///< of the VFT_Header, if there is one
    layout::ParseError error;            ///< what stands before it is filled in

    /// Nothing if absent, cut off, or protected.
    std::optional<EspHeader> esp_header() const;
    std::optional<NetworkHeader> network_header() const;
    std::optional<AssociationHeader> association_header() const;
    /// 16, 32 or 64 octets, fewer if cut off; empty if absent or protected.
    ByteView device_header() const;
};

/// Parses a frame. `length` is its length on the wire from the first header to the end of the payload,
/// without CRC; `octets` is what was captured of it. Fill octets are taken off the payload of data frames only.
Frame parse_frame(ByteView octets, std::size_t length);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every header in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for the Device_Header, payload, and fill.
template <class Visitor> void walk(const Frame& frame, Visitor&& visit);

/// The frame as it stands on the wire, without CRC. A frame made by hand needs `header`, and the views
/// that its DF_CTL and F_CTL announce.
std::vector<std::uint8_t> build(const Frame& frame);

/// The CRC over Extended_Headers to fill octets (FC-PH 17.8): CRC-32 as Ethernet's.
std::uint32_t crc_of(ByteView frame);

/// It follows the frame, its least significant octet first.
struct Crc {
    std::uint32_t value = 0;
};

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::Crc> = layout<fc::Crc>(
    "CRC", "FC-PH 17.8", octets(0, 4), field<&fc::Crc::value>(at(0), "fabricscope.fc.crc", "CRC", hex, little_endian));

}  // namespace fabricscope::layout

#include "protocols/fc/frame_walk.h"
