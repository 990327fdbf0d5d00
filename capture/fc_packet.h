// SPDX-License-Identifier: GPL-2.0-or-later
// A Fibre Channel frame, whatever carried it, and how each carrier is taken off.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/decode_state.h"
#include "protocols/fc/delimiters.h"
#include "protocols/fc/frame.h"

namespace fabricscope::capture {

enum class FcCarrier : std::uint8_t {
    none,
    fc2,            ///< LINKTYPE_FC_2: neither delimiters nor CRC
    fc2_delimited,  ///< LINKTYPE_FC_2_WITH_FRAME_DELIMS
    fcoe,
    fip,  ///< a login in FCoE's initialization protocol: neither delimiters nor CRC
    fcip,
    mds,        ///< mirrored by a Cisco MDS switch
    boardwalk,  ///< the same through its Port Analyzer Adapter
};

/// A Fibre Channel frame. Views point where Packet's do.
struct FcPacket {
    FcCarrier carrier = FcCarrier::none;
    fc::Sof sof = fc::Sof::none;          ///< none: not captured, or the carrier tells none
    fc::Eof eof = fc::Eof::none;          ///< the same
    std::optional<std::uint16_t> fabric;  ///< VSAN or, of a VFT_Header, VF_ID
    fc::Frame frame;
    ByteView octets;                   ///< the captured part, from the first header up to the CRC
    std::optional<std::uint32_t> crc;  ///< as it stood there; nothing when it, or some of the frame, was not captured
    std::optional<bool> crc_good;      ///< whether it is right, if that was looked at already
    std::uint32_t frame_offset = 0;    ///< of `octets` in the captured frame; fcip: 0
    std::uint32_t payload_offset = 0;  ///< the same of the payload

    /// Whether the Frame_Header was captured whole.
    bool has_header() const { return carrier != FcCarrier::none; }
};

// What is left of a frame behind the link's header goes in: `captured` of `wire` octets. `fc` keeps
// FcCarrier::none where no whole Frame_Header was found.
DecodeState decode_fc2(ByteView captured, std::uint32_t wire, FcPacket& fc);
DecodeState decode_fc2_with_delimiters(ByteView captured, std::uint32_t wire, FcPacket& fc);
DecodeState decode_fcoe(ByteView captured, std::uint32_t wire, FcPacket& fc);
DecodeState decode_fip(ByteView captured, std::uint32_t wire, FcPacket& fc);
DecodeState decode_mds(ByteView captured, std::uint32_t wire, FcPacket& fc);
DecodeState decode_boardwalk(ByteView captured, std::uint32_t wire, FcPacket& fc);
/// What a station and its switch tell each other of the virtual links between them (FC-BB-5, FIP).
enum class FipControl : std::uint8_t { none, keep_alive, clear_virtual_links };
FipControl fip_control_of(ByteView fip);
/// N_Port_ID of the n-th VN_Port, from 0, whose link it names. One that names none clears those of a whole station.
std::optional<std::uint32_t> cleared_port(ByteView fip, std::size_t n);
/// One encapsulated frame of FCIP, from the encapsulation header to the EOF word.
DecodeState decode_fcip(ByteView captured, std::uint32_t wire, FcPacket& fc);

}  // namespace fabricscope::capture
