// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/response_times.h"

#include <algorithm>

#include "capture/frame.h"

namespace fabricscope::plugin {

void add_response_time_table(GArray* tables, const ResponseTimeTable& table) {
    // Rows are found by their index, and filtered by it: it is the type itself.
    const auto last = std::ranges::max_element(table.types, {}, &layout::ValueName::value);
    const int rows = static_cast<int>(last->value) + 1;
    srt_stat_table* made = init_srt_table(
        table.name, table.short_name, tables, rows, table.column, table.filter, nullptr);
    for (int type = 0; type < rows; ++type) {
        const char* name = layout::name_of(table.types, static_cast<std::uint64_t>(type));
        init_srt_table_row(made, type, name != nullptr ? name : "unknown");
    }
}

void add_response_time(void* data, unsigned table, unsigned type, std::int64_t request_time, packet_info* pinfo) {
    srt_stat_table* rows = g_array_index(static_cast<srt_data_t*>(data)->srt_array, srt_stat_table*, table);
    if (static_cast<int>(type) >= rows->num_procs) return;
    nstime_t time;
    time.secs = request_time / capture::second;
    time.nsecs = static_cast<int>(request_time % capture::second);
    add_srt_table_data(rows, static_cast<int>(type), &time, pinfo);
}

}  // namespace fabricscope::plugin
