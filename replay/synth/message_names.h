// SPDX-License-Identifier: GPL-2.0-or-later
// What people call the message in a frame: for scenarios that lose a certain one.
#pragma once

#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::synth {

/// "SYN", "ACK", "FIN", "RST" of TCP, "CLC PROPOSAL", "REQ" of Communication Management, "LLC CONFIRM LINK", "CDC",
/// "RC RDMA WRITE Only", "RC Acknowledge"; empty for anything else.
std::string message_name(ByteView frame);

/// "FLOGI", "LS_ACC", "ABTS", "BA_ACC", "ACK_1", "GID_IPP", "FCVI_CONNECT_RQST" ..., "FCP_CMND", "FCP_DATA", "FCP_RSP";
/// empty for anything else.
std::string fc_message_name(ByteView octets, capture::LinkType link);

/// All that these give.
std::vector<std::string> message_names();
std::vector<std::string> fc_message_names();

}  // namespace fabricscope::synth
