// SPDX-License-Identifier: GPL-2.0-or-later
// Capture files of every kind that Wireshark reads.
#pragma once

#include "capture/source.h"

namespace fabricscope::capture {

/// Whether wiretap takes the file for something else than a pcap file as libpcap writes it, and can read it.
bool is_variant_of_pcap(const std::string& path);

/// Wireshark 4.0 does not know LINKTYPE_INFINIBAND (247): such pcap files are for libpcap.
OpenResult open_with_wiretap(const std::string& path);

}  // namespace fabricscope::capture
