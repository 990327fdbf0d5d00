// SPDX-License-Identifier: GPL-2.0-or-later
// The description of the tables, for people and for SQLite.
#pragma once

#include <iosfwd>
#include <string>

#include "analyzer/report/data_tables.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

/// CREATE TABLE, with each column's meaning as a comment.
std::string create_statement(const DataTable& table);
/// CREATE VIEW, with the question as a comment.
std::string create_statement(const View& view);
/// CREATE INDEX for everything that is looked up; several statements.
std::string index_statements(const DataTable& table);

void write_schema(std::ostream& out, const Style& style);
void write_schema_sql(std::ostream& out);
/// docs/tables.md
void write_schema_markdown(std::ostream& out);

}  // namespace fabricscope::report
