// SPDX-License-Identifier: GPL-2.0-or-later
// Capture files that libpcap reads.
#pragma once

#include "capture/source.h"

namespace fabricscope::capture {

/// What libpcap calls a DLT.
LinkType link_type_of(int dlt);

/// Fails where libpcap does, and for the link types that it does not take apart (ERF).
OpenResult open_with_libpcap(const std::string& path);

}  // namespace fabricscope::capture
