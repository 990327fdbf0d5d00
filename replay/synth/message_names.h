// SPDX-License-Identifier: GPL-2.0-or-later
// What people call the message in a frame: for scenarios that lose a certain one.
#pragma once

#include <string>

#include "protocols/layout/types.h"

namespace fabricscope::synth {

/// "SYN", "ACK", "FIN", "RST" of TCP, "CLC PROPOSAL", "REQ" of Communication Management, "LLC CONFIRM LINK", "CDC",
/// "RC RDMA WRITE Only", "RC Acknowledge"; empty for anything else.
std::string message_name(ByteView frame);

}  // namespace fabricscope::synth
