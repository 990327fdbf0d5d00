// SPDX-License-Identifier: GPL-2.0-or-later
// Tables and views as an SQLite database.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analyzer/report/data_tables.h"

namespace fabricscope::report {

/// Marks a database as ours ("FSCP"): at offset 68 of the file, big-endian.
inline constexpr std::uint32_t sqlite_application_id = 0x4653'4350;

/// Makes a new database of the rows that `send` sends, in one transaction, at `path`. Throws std::runtime_error, which
/// names what went wrong.
void write_sqlite(const std::string& path, const std::function<void(RowSink& rows)>& send);

/// The same, of results.
void write_sqlite(const std::string& path, const Results& results, bool cursors);

}  // namespace fabricscope::report
