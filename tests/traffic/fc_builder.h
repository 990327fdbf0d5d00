// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames and whole Sequences, and each way of carrying them.
#pragma once

#include <optional>
#include <vector>

#include "protocols/fc/delimiters.h"
#include "protocols/fc/frame.h"

namespace fabricscope::traffic {

using Octets = std::vector<std::uint8_t>;

/// A frame from its Extended_Headers to its fill octets, and what delimits it.
struct FcFrame {
    Octets octets;
    fc::Sof sof = fc::Sof::i3;
    fc::Eof eof = fc::Eof::t;
};

/// An Information Unit, to be sent as one Sequence.
struct FcSequenceFields {
    fc::FrameHeader header;         ///< of the first frame; its Sequence Initiative is passed by the last one
    ByteView device_header{};       ///< in every frame: 0, 16, 32 or 64 octets
    ByteView data{};                ///< the payload of all frames together
    std::size_t frame_size = 2048;  ///< most octets of payload in a frame, a multiple of 4
    int service_class = 3;
};

/// One frame. DF_CTL's Device_Header code and F_CTL's fill bytes are set as the octets need them.
FcFrame fc_frame(fc::FrameHeader header, ByteView device_header, ByteView payload);

/// The frames of a Sequence: SEQ_CNT counts up from the header's, and so does the Relative Offset, if present.
std::vector<FcFrame> fc_sequence(const FcSequenceFields& fields);

/// The frame with its CRC.
Octets with_crc(const FcFrame& frame);

// What a capture holds of a frame.
Octets as_fc2(const FcFrame& frame);
Octets as_fc2_with_delimiters(const FcFrame& frame);
/// An Ethernet frame between addresses made of the port ids, as FC-BB-5's FPMA makes them.
Octets as_fcoe(const FcFrame& frame, std::optional<std::uint16_t> vlan = std::nullopt);
Octets as_mds(const FcFrame& frame, std::uint16_t vsan);
Octets as_boardwalk(const FcFrame& frame, std::uint16_t vsan);
/// A piece of an FCIP connection's TCP stream.
Octets as_fcip(const FcFrame& frame);

}  // namespace fabricscope::traffic
