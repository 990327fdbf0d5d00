// SPDX-License-Identifier: GPL-2.0-or-later
// Where joined results go: JSON, or tables. For merge.cc only.
#pragma once

#include <iosfwd>
#include <memory>

#include "analyzer/report/data_tables.h"
#include "analyzer/report/joining.h"

namespace fabricscope::report::joining {

class Sink {
public:
    virtual ~Sink() = default;
    /// Of the document, as what follows.
    virtual void begin() = 0;
    virtual void end() = 0;
    virtual void begin_object(const Column& column) = 0;
    virtual void end_object() = 0;
    /// A number, a text, or an object on one line.
    virtual void value(const Column& column, const ordered_json& value) = 0;
    virtual void begin_list(const Column& column) = 0;
    virtual void element(const ordered_json& element) = 0;
    virtual void end_list() = 0;
};

/// As write_json() writes it.
std::unique_ptr<Sink> json_to(std::ostream& out);
/// Rows of tables, as for_each_row() makes them of results.
std::unique_ptr<Sink> rows_to(RowSink& rows);

}  // namespace fabricscope::report::joining
