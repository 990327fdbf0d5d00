// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/data_tables.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "analyzer/report/document.h"

namespace fabricscope::report {
namespace {

// ---- the description -------------------------------------------------------------------------------

/// "link_group, position"
template <class List, class Name> std::string joined(const List& list, const Name& name_of_each) {
    std::string text;
    for (const auto& each : list) text.append(text.empty() ? "" : ", ").append(name_of_each(each));
    return text;
}

/// Makes the tables, each one behind those that it refers to.
class Tables {
public:
    Tables() { add({document_table.info, nullptr}); }

    std::vector<DataTable> take() { return std::move(tables_); }

private:
    struct Place {
        const TableInfo& info;
        const TableInfo* parent;  ///< in whose records the rows' are
    };

    void add(const Place& place) {
        if (is_there(place.info.name)) return;
        for (const Reference& reference : place.info.references) add_named(table_of(reference));
        DataTable table{&place.info, place.info.name, place.info.meaning};
        for (const KeyColumn& key : place.info.keys) table.columns.push_back({key.name, key.type, key.meaning});
        add_columns(table, place.info.columns(), "", "");
        table.key = place.info.keys.size != 0 ? joined(place.info.keys, [](const KeyColumn& key) { return key.name; })
                                              : table.columns.front().name;
        if (place.parent != nullptr) add_parent(table, *place.parent);
        for (const Reference& reference : place.info.references)
            table.foreign_keys.push_back({reference.columns, reference.references});
        tables_.push_back(std::move(table));
        add_inner(place.info.columns(), place.info);
    }

    /// The columns of a record, spread over those of its table.
    static void add_columns(
        DataTable& table, std::span<const Column> columns, const std::string& prefix, const std::string& meaning) {
        for (const Column& column : columns) {
            if (column.value != nullptr)
                table.columns.push_back({prefix + column.name, column.type, meaning + column.meaning});
            else if (column.is_list && column.table == nullptr)
                table.json_lists.push_back({column.name, column.meaning});
            else if (column.table == nullptr)
                add_columns(table, column.members(), prefix + name_before(column), meaning + meaning_before(column));
        }
    }

    static std::string name_before(const Column& object) {
        return object.nesting == Nesting::named ? std::string(object.name) + '_' : "";
    }
    static std::string meaning_before(const Column& object) {
        const bool is_said = object.nesting != Nesting::inside_json_only && !std::string_view(object.meaning).empty();
        return is_said ? std::string(object.meaning) + ": " : "";
    }

    /// The key begins with that of the table that it is inside of.
    void add_parent(DataTable& table, const TableInfo& parent) const {
        const auto& keys = table.info->keys;
        const std::size_t count = std::max<std::size_t>(parent.keys.size, 1);
        if (&parent == &document_table.info || keys.size <= count) return;
        const std::span of_parent(keys.begin(), count);
        table.foreign_keys.push_back(
            {joined(of_parent, [](const KeyColumn& key) { return key.name; }),
             std::string(parent.name) + " (" + find(parent.name)->key + ")"});
    }

    void add_inner(std::span<const Column> columns, const TableInfo& parent) {
        for (const Column& column : columns)
            if (column.table != nullptr) add({*column.table, &parent});
            else if (column.is_object()) add_inner(column.members(), parent);
    }

    static std::string_view table_of(const Reference& reference) {
        const std::string_view text = reference.references;
        return text.substr(0, text.find(' '));
    }

    /// Those that are referred to are in the document's own lists, or in lists of these.
    void add_named(std::string_view name) { add_named(document_columns, document_table.info, name); }
    void add_named(std::span<const Column> columns, const TableInfo& parent, std::string_view name) {
        for (const Column& column : columns)
            if (column.table != nullptr && column.table->name == name) add({*column.table, &parent});
            else if (column.is_object() && column.table == nullptr) add_named(column.members(), parent, name);
    }

    bool is_there(std::string_view name) const { return find(name) != tables_.end(); }
    std::vector<DataTable>::const_iterator find(std::string_view name) const {
        return std::ranges::find_if(tables_, [&](const DataTable& table) { return table.name == name; });
    }

    std::vector<DataTable> tables_;
};

// ---- rows ------------------------------------------------------------------------------------------

class Rows {
public:
    Rows(const Context& context, RowSink& sink) : context_(context), sink_(sink) {}

    /// The row of a record, and those of its lists. `keys` are those of the row.
    void send(const TableInfo& info, const void* record, const std::vector<Json>& keys) {
        std::vector<Json> values = keys;
        add_values(values, info.columns(), record);
        sink_.on_row(table_of(info), values);
        if (!keys.empty()) return send_inner(info.columns(), record, keys);
        values.resize(&info == &document_table.info ? 0 : 1);
        send_inner(info.columns(), record, values);
    }

private:
    void add_values(std::vector<Json>& values, std::span<const Column> columns, const void* record) const {
        for (const Column& column : columns)
            if (column.value != nullptr) values.push_back(column.value(record, context_));
            else if (is_nested(column)) add_object(values, column, record);
    }

    void add_object(std::vector<Json>& values, const Column& column, const void* record) const {
        bool is_there = false;
        column.visit(record, context_, [&](const void* inner) {
            is_there = true;
            add_values(values, column.members(), inner);
        });
        if (!is_there) values.resize(values.size() + width_of(column.members()));
    }

    static bool is_nested(const Column& column) { return column.is_object() && column.table == nullptr; }

    static std::size_t width_of(std::span<const Column> columns) {
        std::size_t width = 0;
        for (const Column& column : columns)
            width += column.value != nullptr ? 1 : is_nested(column) ? width_of(column.members()) : 0;
        return width;
    }

    /// `keys` tell of the record that has the columns.
    void send_inner(std::span<const Column> columns, const void* record, const std::vector<Json>& keys) {
        for (const Column& column : columns)
            if (column.table != nullptr && column.is_written(context_)) send_rows(column, record, keys);
            else if (is_nested(column))
                column.visit(record, context_, [&](const void* inner) { send_inner(column.members(), inner, keys); });
    }

    void send_rows(const Column& column, const void* record, const std::vector<Json>& keys) {
        const TableInfo& info = *column.table;
        std::uint64_t position = info.first_position;
        column.visit(record, context_, [&](const void* element) {
            if (info.keys.size == 0) return send(info, element, {});
            std::vector<Json> own = keys;
            if (info.has_member_name) own.emplace_back(column.name);
            if (own.size() < info.keys.size) own.emplace_back(position++);
            send(info, element, own);
        });
    }

    static const DataTable& table_of(const TableInfo& info) {
        return *std::ranges::find_if(data_tables(), [&](const DataTable& table) { return table.info == &info; });
    }

    const Context& context_;
    RowSink& sink_;
};

}  // namespace

const char* name_of(Type type) {
    switch (type) {
        case Type::text: return "text";
        case Type::integer: return "integer";
        case Type::real: return "real";
        case Type::boolean: return "boolean";
    }
    return "";
}

std::span<const DataTable> data_tables() {
    static const std::vector<DataTable> tables = Tables().take();
    return tables;
}

void send_catalogue(RowSink& sink) {
    const engine::CaptureSummary nothing;
    const Results results{.files = {}, .problems = {}, .capture = nothing, .findings = {}};
    struct Catalogue final : RowSink {
        RowSink& sink;
        explicit Catalogue(RowSink& to) : sink(to) {}
        void on_row(const DataTable& table, std::span<const Json> values) override {
            if (std::string_view(table.name) == "rules") sink.on_row(table, values);
        }
    } catalogue(sink);
    for_each_row(results, false, catalogue);
}

void for_each_row(const Results& results, bool cursors, RowSink& sink) {
    const Context context = context_of(results, cursors);
    Rows(context, sink).send(document_table.info, &results, {});
}

}  // namespace fabricscope::report
