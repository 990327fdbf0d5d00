// SPDX-License-Identifier: GPL-2.0-or-later
// Results as tables. CSV, SQLite and docs/tables.md all come from the description here; the values are
// those of the JSON records, whose members within members have their names joined by "_".
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/report/records.h"

namespace fabricscope::report {

enum class Type : std::uint8_t { text, integer, real, boolean };
/// "text", "integer", "real", "boolean"
const char* name_of(Type type);

struct Column {
    const char* name;
    Type type;
    const char* meaning;
};

struct ForeignKey {
    const char* columns;     ///< "link_group, rmb"
    const char* references;  ///< "rmbs (link_group, position)"
};

struct DataTable {
    const char* name;
    const char* meaning;
    std::span<const Column> columns;
    const char* key;  ///< the columns that tell the rows apart
    std::span<const ForeignKey> foreign_keys = {};
    std::span<const char* const> indexes = {};  ///< further columns that are looked up
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

/// Every row of every table; a referenced row comes before those that refer to it. `cursors` fills
/// cursor_samples.
void for_each_row(const Results& results, bool cursors, RowSink& sink);

}  // namespace fabricscope::report
