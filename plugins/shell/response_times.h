// SPDX-License-Identifier: GPL-2.0-or-later
// Service response times: one table for each kind of message, one row for each type of request.
#pragma once

#include <span>

#include "plugins/shell/wireshark_compat.h"
#include "protocols/layout/layout.h"

namespace fabricscope::plugin {

struct ResponseTimeTable {
    const char* name;        ///< "SMC-R LLC"
    const char* short_name;  ///< of its tab
    const char* column;      ///< what a row stands for: "Request"
    const char* filter;      ///< the field that holds the type: a row is filtered by FILTER == type
    std::span<const layout::ValueName> types;
};

/// To be called when Wireshark asks for the tables.
void add_response_time_table(GArray* tables, const ResponseTimeTable& table);
/// `data` is the tap's; `table` counts from 0 in the order of adding; `request_time` is since the epoch.
void add_response_time(void* data, unsigned table, unsigned type, std::int64_t request_time, packet_info* pinfo);

}  // namespace fabricscope::plugin
