// SPDX-License-Identifier: GPL-2.0-or-later
// Results as tables, for CSV, SQLite and docs/tables.md. They follow from the columns of the document (document.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/columns.h"

namespace fabricscope::report {

/// "text", "integer", "real", "boolean"
const char* name_of(Type type);

struct TableColumn {
    std::string name;  ///< with that of the objects that it is inside of
    Type type;
    std::string meaning;
};

struct ForeignKey {
    std::string columns;     ///< "link_group, rmb"
    std::string references;  ///< "rmbs (link_group, position)"
};

/// A list that JSON alone has.
struct JsonList {
    const char* name;
    const char* meaning;
};

struct DataTable {
    const TableInfo* info;
    const char* name;
    const char* meaning;
    std::vector<TableColumn> columns{};
    std::string key{};  ///< the columns that tell the rows apart
    std::vector<ForeignKey> foreign_keys{};
    std::vector<JsonList> json_lists{};
};

/// Referenced tables come before those that refer to them.
std::span<const DataTable> data_tables();

/// A question that the tables answer.
struct View {
    const char* name;
    const char* meaning;
    const char* query;
};

std::span<const View> views();

class RowSink {
public:
    virtual ~RowSink() = default;
    /// `table` is one of data_tables(); a value for each of its columns, in order; null = unknown.
    virtual void on_row(const DataTable& table, std::span<const Json> values) = 0;
};

/// The rows that all results have: those of the table `rules`.
void send_catalogue(RowSink& sink);

/// Every row of every table. `cursors` fills cursor_samples.
void for_each_row(const Results& results, bool cursors, RowSink& sink);

}  // namespace fabricscope::report
