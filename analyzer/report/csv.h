// SPDX-License-Identifier: GPL-2.0-or-later
// Tables as comma-separated values, RFC 4180: UTF-8, lines end in CR LF, the first one names the columns.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "analyzer/report/data_tables.h"

namespace fabricscope::report {

/// A value as it stands in a line: in quotation marks if it needs them.
std::string csv_field(const std::string& text);

/// The first line, without its end.
std::string csv_header(const DataTable& table);

/// Writes all tables, each to the stream that `stream_of` gives for it. What is unknown is an empty field, an
/// empty text is "".
void write_csv(const Results& results, bool cursors, const std::function<std::ostream&(const DataTable&)>& stream_of);

}  // namespace fabricscope::report
