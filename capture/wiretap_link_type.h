// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's encapsulations as link types: for files that wiretap reads, and for the plugins.
#pragma once

#include <wiretap/wtap.h>

#include "capture/frame.h"

namespace fabricscope::capture {

LinkType link_type_of(const wtap_packet_header& header);
/// WTAP_ENCAP_UNKNOWN for LinkType::unknown.
int encapsulation_of(LinkType link);

}  // namespace fabricscope::capture
