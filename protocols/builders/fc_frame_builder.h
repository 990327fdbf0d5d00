// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames, and their encapsulation as they are captured.
#pragma once

#include <optional>
#include <vector>

#include "protocols/fc/delimiters.h"
#include "protocols/fc/frame.h"

namespace fabricscope::builders {

/// A frame from its Extended_Headers to its fill octets, and what delimits it.
struct FcFrame {
    std::vector<std::uint8_t> octets;
    fc::Sof sof = fc::Sof::i3;
    fc::Eof eof = fc::Eof::t;
};

/// Of the first frame of a Sequence, or of a later one. Class 3 for classes that do not exist.
fc::Sof sof_of(int service_class, bool first);

/// DF_CTL's Device_Header code and F_CTL's fill bytes are set as the octets need them. `device_header`: 0, 16, 32 or
/// 64 octets.
FcFrame fc_frame(fc::FrameHeader header, ByteView device_header, ByteView payload);

/// A Link_Control frame that answers a data frame: ACK_1, P_RJT, F_RJT, P_BSY, F_BSY.
FcFrame fc_link_control(
    const fc::FrameHeader& answered, int service_class, std::uint8_t r_ctl, std::uint32_t parameter);

// What is captured of a frame.
/// LINKTYPE_FC_2_WITH_FRAME_DELIMS
std::vector<std::uint8_t> as_fc2_with_delimiters(const FcFrame& frame);
/// An Ethernet frame between addresses made of the port ids, as FC-BB-5's FPMA makes them.
std::vector<std::uint8_t> as_fcoe(const FcFrame& frame, std::optional<std::uint16_t> vlan = std::nullopt);

/// The Ethernet header of such a frame, with another EtherType.
std::vector<std::uint8_t> fc_ethernet_head(
    const FcFrame& frame, std::uint16_t ether_type, std::optional<std::uint16_t> vlan = std::nullopt);
/// The frame with its CRC.
std::vector<std::uint8_t> fc_with_crc(const FcFrame& frame);

}  // namespace fabricscope::builders
