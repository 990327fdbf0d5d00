// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z are fed with.
#pragma once

#include "capture/packet.h"
#include "plugins/common/generated.h"
#include "plugins/smcr/record.h"
#include "plugins/smcr/streams.h"

namespace fabricscope::plugin {

/// What listeners of all taps are given of a frame. Copies of frames are left out.
struct TapData {
    const Record* record;
    const FrameFacts* facts;
    ByteView message;  ///< llc, cdc: as far as captured
};

/// What listeners of the taps for streams are given, with a frame of the connection.
struct StreamTapData {
    const Record* record;
    std::uint32_t connection;
    engine::smcr::Side from;  ///< who sent the frame
    const StreamReader::Pieces* pieces;
};

constexpr const char* kFrameTap = "smcr";
constexpr const char* kFollowTap = "smcr_follow";
constexpr const char* kExportTap = "smcr_eo";  ///< Wireshark makes the name: the protocol's, and _eo

/// The frame's sender and receiver, as smcr.source and smcr.destination have them; none for a frame of no
/// connection.
Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts);

/// Once each, when the protocol is registered.
void register_conversations();
void register_statistics();
void register_ladder();
void register_follow();
void register_export();
void register_menu();

/// The objects of the latest pass over the capture are as complete as they ever get.
void begin_export();

}  // namespace fabricscope::plugin
