// SPDX-License-Identifier: GPL-2.0-or-later
// Results as JSON, schema "fabricscope/1".
#pragma once

#include <iosfwd>
#include <string>

#include "analyzer/report/columns.h"

namespace fabricscope::report {

/// Connections, link groups and findings take a line each and are written one by one, so that memory
/// does not grow with their number. `cursors` adds each direction's timeline.
void write_json(std::ostream& out, const Results& results, bool cursors);

/// The same, a record a line: {"record": "smcr.connections", "id": "smcr-1", ...}. A record is an element of a list, or
/// what else an object holds, named by where it stands in the document; the first one is "document".
void write_ndjson(std::ostream& out, const Results& results, bool cursors);

/// One record as an object on one line, behind what `out` holds.
void append_object(std::string& out, std::span<const Column> columns, const void* record, const Context& context);

template <class R> std::string line_of(const ColumnsElsewhere<R>& columns, const R& record, const Context& context) {
    std::string line;
    append_object(line, columns, &record, context);
    return line;
}

}  // namespace fabricscope::report
