// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings altered by a line of text: a frame of a healthy capture is changed, dropped, repeated or moved, so that it
// breaks a rule.
//
//     FCVI_SEND_RQST set fcvi.opcode=0x33          the first frame of that name
//     server:CDC/3 set smcr.cdc.sequence=+1        the third of those that the server sends
//     FCVI_CONNECT_RESP1 drop
//
// Which frame: `#12` by its number, `#last`, or NAME, with blanks as underscores. Before it may stand `client:` or
// `server:`, if only frames of that side count; behind it `[FIELD=VALUE]`, if only those with that field do; and at the
// end `/3`, `/last`, `/all` or `/3..` (the third and those that follow).
// What happens to it:
//
//     set FIELD=VALUE ...          VALUE: a number, +1 or -1 (of what stands there), x:0A0B (octets), or @FRAME (what
//                                  that field of another frame is)
//     octets AT HEX                octets of the payload; AT may be negative: before the payload
//     insert AT HEX, erase AT N    the same, but the frame becomes longer or shorter
//     size N                       the payload is cut, or lengthened by zeros
//     vlan ID                      it has a VLAN tag
//     drop                         it was not captured
//     unsend                       it was never sent: what its sender sends later is numbered as if there were none
//     send before|after FRAME      its sender sends the same there, too, with the next number
//     copy, copy before|after FRAME
//     move before|after FRAME
//     delay TIME                   it and all that follows come so much later: 3s, 20ms, -5us
//     begin, end                   what was captured begins, or ends, with it
//
// Whatever covers what was altered (lengths, padding, CRC, ICRC, checksums) is right again afterwards. Numbers are
// those of TCP octets, and of packets to a queue pair (PSN); what the other side acknowledges moves along with them,
// also where a TCP payload becomes longer or shorter.
#pragma once

#include <stdexcept>

#include "tests/traffic/frame_edit.h"
#include "tests/traffic/recording.h"

namespace fabricscope::traffic {

struct EditError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws EditError if the line is none of the above, or if there is no such frame or field.
void edit(Recording& recording, std::string_view line);

/// The frames that are meant, in order of the capture, from 0. Throws EditError if there are none.
std::vector<std::size_t> select(const Recording& recording, std::string_view which);
/// A frame with what has to be known of the frames before it.
FrameToEdit frame_to_edit(Recording& recording, std::size_t index);
/// As fields hold numbers.
replay::Value value_of_number(std::int64_t number);
/// Sets a field, whose value is as wide as it needs to be; checksums are repaired.
void set_field(const FrameToEdit& frame, std::string_view field, const replay::Value& value);

}  // namespace fabricscope::traffic
