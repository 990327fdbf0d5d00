// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "analyzer/report/table.h"

namespace fabricscope::report {
namespace {

std::string_view sql_type_of(Type type) {
    switch (type) {
        case Type::text: return "TEXT";
        case Type::integer: return "INTEGER";
        case Type::real: return "REAL";
        case Type::boolean: return "BOOLEAN";
    }
    return "";
}

std::string comment(std::string_view text) { return text.empty() ? "" : fmt::format("  -- {}", text); }

/// "link_group, position" as part of a name.
std::string joined(std::string_view columns) {
    std::string name;
    for (const char c : columns)
        if (c != ',') name += c == ' ' ? '_' : c;
    return name;
}

std::string index_statement(const DataTable& table, std::string_view columns) {
    return fmt::format("CREATE INDEX {}_by_{} ON {} ({});\n", table.name, joined(columns), table.name, columns);
}

/// References of a table whose key does not begin with the columns already.
bool is_looked_up(const DataTable& table, const ForeignKey& key) {
    return !std::string_view(table.key).starts_with(key.columns);
}

constexpr std::string_view markdown_head = R"(# Tables

Made by `fabricscope tables --markdown`; do not edit.

`fabricscope analyze --csv DIR` writes each table to a file of its name, `--sqlite FILE` all of them to one database, with foreign keys, indexes and the
views below. Names and values are those of `--json`: a member of a member has both names, joined by `_` (`setup.syn` is `setup_syn`), and a
list is a table of its own. The meaning of such a column is that of the object, a colon, and that of the member.

- Times and durations are in seconds, times since the capture's first frame (`capture.start`).
- Frames count from 1, as in Wireshark. With several capture files they count in the merged timeline, as in what `mergecap` makes of the files.
- What is unknown is `NULL`, in CSV an empty field.
- A boolean is 0 or 1 in SQLite, `true` or `false` in CSV.
- Keys, codes and addresses that may pass 2^53 are text, in hexadecimal.

## Tables
)";

}  // namespace

std::string create_statement(const DataTable& table) {
    std::string text = fmt::format("-- {}\nCREATE TABLE {} (\n", table.meaning, table.name);
    for (const TableColumn& column : table.columns)
        text += fmt::format("    \"{}\" {},{}\n", column.name, sql_type_of(column.type), comment(column.meaning));
    for (const ForeignKey& key : table.foreign_keys)
        text += fmt::format("    FOREIGN KEY ({}) REFERENCES {},\n", key.columns, key.references);
    return text + fmt::format("    PRIMARY KEY ({})\n);\n", table.key);
}

std::string create_statement(const View& view) {
    return fmt::format("-- {}\nCREATE VIEW {} AS\n{};\n", view.meaning, view.name, view.query);
}

std::string index_statements(const DataTable& table) {
    std::string text;
    const auto& indexes = table.info->indexes;
    for (const char* columns : indexes) text += index_statement(table, columns);
    for (const ForeignKey& key : table.foreign_keys)
        if (is_looked_up(table, key) && std::ranges::find(indexes, key.columns) == indexes.end())
            text += index_statement(table, key.columns);
    return text;
}

void write_schema(std::ostream& out, const Style& style) {
    for (const DataTable& table : data_tables()) {
        out << style.paint(Ink::bold, table.name) << ": " << table.meaning << '\n';
        Table columns({{""}, {""}, {""}});
        for (const TableColumn& column : table.columns)
            columns.add({{column.name}, {name_of(column.type)}, {column.meaning}});
        columns.print(out, style, 2);
        out << '\n';
    }
    for (const View& view : views()) out << style.paint(Ink::bold, view.name) << ": " << view.meaning << '\n';
}

void write_schema_sql(std::ostream& out) {
    for (const DataTable& table : data_tables()) out << create_statement(table) << index_statements(table) << '\n';
    for (const View& view : views()) out << create_statement(view) << '\n';
}

void write_schema_markdown(std::ostream& out) {
    out << markdown_head;
    for (const DataTable& table : data_tables()) {
        out << fmt::format("\n### {}\n\n{}\n\n| Column | Type | Meaning |\n|---|---|---|\n", table.name, table.meaning);
        for (const TableColumn& column : table.columns)
            out << fmt::format("| `{}` | {} | {} |\n", column.name, name_of(column.type), column.meaning);
        for (const JsonList& list : table.json_lists)
            out << fmt::format("\nIn JSON only: `{}`, {}.\n", list.name, list.meaning);
        out << fmt::format("\nKey: `{}`.", table.key);
        for (const ForeignKey& key : table.foreign_keys)
            out << fmt::format(" `{}` refers to `{}`.", key.columns, key.references);
        out << '\n';
    }
    out << "\n## Views (SQLite only)\n";
    for (const View& view : views())
        out << fmt::format("\n### {}\n\n{}\n\n```sql\n{};\n```\n", view.name, view.meaning, view.query);
}

}  // namespace fabricscope::report
