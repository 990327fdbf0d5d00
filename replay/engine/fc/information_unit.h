// SPDX-License-Identifier: GPL-2.0-or-later
// Information Units of FC-VI, FC-AE-RDMA and the Extended Link Services as messages of a replay.
//
// A message is a Frame_Header, the Device_Header if there is one, and the payload, however many frames carried them.
// Its Frame_Header is that of the first frame, with the end-of-IU bits of the last one. Data that one side
// sends in several Sequences, one behind the other in an Exchange, are one message: how they are cut is the sender's
// choice.
#pragma once

#include "protocols/fc/frame.h"
#include "protocols/fcvi/names.h"
#include "replay/engine/conversation.h"

namespace fabricscope::replay::fibre_channel {

/// A Sequence that is complete, or an ABTS.
struct SequenceSeen {
    fc::FrameHeader first, last;  ///< of its first and of its last frame
    Octets device_header, payload;
};

/// What has to be known beside its octets to parse an IU.
struct IuContext {
    fcvi::Version version = fcvi::Version::iso;  ///< of FC-VI
    std::uint8_t request = 0;                    ///< ELS command that a reply answers; 0: unknown
};

/// Kinds of names
inline constexpr const char* port_kind = "n_port_id";
inline constexpr const char* rx_id_kind = "rx_id";
inline constexpr const char* handle_kind = "vi handle";
inline constexpr const char* connection_kind = "connection id";
inline constexpr const char* memory_kind = "memory handle";
inline constexpr const char* address_kind = "address";

/// "FCP_CMND", "FCVI_CONNECT_RQST", "PLOGI", "ABTS"; empty if it is nothing of these protocols.
std::string name_of(const SequenceSeen& sequence, const IuContext& context);
const MessageFormat& format_of(const SequenceSeen& sequence, const IuContext& context);
Octets message_octets(const SequenceSeen& sequence);

/// Data, which may go on in the next Sequence.
bool is_data(const fc::FrameHeader& header);
/// Whether more data follow: neither the Exchange ends nor is Sequence Initiative passed.
bool goes_on(const fc::FrameHeader& last);
/// Adds another Sequence of the same data.
void append(SequenceSeen& data, SequenceSeen next);

/// A message's parts; views point into its octets.
fc::Frame frame_of(ByteView message);

}  // namespace fabricscope::replay::fibre_channel
