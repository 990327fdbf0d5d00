// SPDX-License-Identifier: GPL-2.0-or-later
// What adapters have counted, as files have it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/rdma_counters.h"

namespace fabricscope::cli {

/// Adds what "HOST=FILE" names: all that a file has, or with "HOST=BEFORE,AFTER" by how much it went up. Returns why
/// that cannot be done, empty if it was.
std::string read_counters(const std::string& value, std::vector<report::HostCounters>& read);

}  // namespace fabricscope::cli
