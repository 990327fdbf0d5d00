// SPDX-License-Identifier: GPL-2.0-or-later
// Single frames altered: fields by the names that the layouts give them, octets, lengths. Whatever covers what was
// altered (lengths, padding, CRC, ICRC, checksums) is right again afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/packet.h"
#include "replay/engine/fields.h"

namespace fabricscope::traffic {

using Octets = std::vector<std::uint8_t>;

/// A frame that is altered, and what tells how its octets are to be read.
struct FrameToEdit {
    Octets& octets;
    capture::LinkType link = capture::LinkType::ethernet;
    std::uint8_t els_request = 0;  ///< of an ELS reply: the command that it answers; 0: unknown
};

/// "FCVI_SEND_RQST", "CLC ACCEPT", "REQ" (replay/synth/message_names.h); empty for anything else.
std::string message_name_of(ByteView octets, capture::LinkType link);

/// The fields of all headers and of the message, in order of their layouts, at their places in the frame.
std::vector<replay::FieldAt> fields_of(const FrameToEdit& frame);
/// The first field of that name; nullptr if there is none. "NAME[2]" is in the third of a list of equal parts,
/// "NAME(Class_3)" in the part with that label.
const replay::FieldAt* find_field(const std::vector<replay::FieldAt>& fields, std::string_view name);

/// Where a frame's payload is: behind the Device_Header of FC-VI, the headers of TCP, or those of InfiniBand.
struct Payload {
    std::size_t begin = 0;
    std::size_t size = 0;     ///< without padding
    std::size_t padding = 0;  ///< octets behind it: to a multiple of 4 in Fibre Channel and InfiniBand
};
Payload payload_of(const FrameToEdit& frame);

/// Puts `octets` where `count` octets of the frame stood that begin `at` octets behind the begin of the payload; what
/// is negative is before it, as a Device_Header is.
void replace(const FrameToEdit& frame, std::ptrdiff_t at, std::size_t count, ByteView octets);
/// Cuts the payload, or lengthens it by zeros.
void resize_payload(const FrameToEdit& frame, std::size_t size);
/// IP, TCP and UDP checksums (of UDP if it had one), ICRC, CRC.
void repair_checksums(const FrameToEdit& frame);

}  // namespace fabricscope::traffic
