// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/joined_output.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "analyzer/report/document.h"

namespace fabricscope::report::joining {
namespace {

class JsonSink final : public Sink {
public:
    explicit JsonSink(std::ostream& out) : out_(out) {}

    void begin() override { out_ << '{'; }
    void end() override { out_ << "\n}\n"; }
    void begin_object(const Column& column) override {
        name(column);
        out_ << '{';
        indent_ += "  ";
        is_first_ = true;
    }
    void end_object() override {
        indent_.resize(indent_.size() - 2);
        out_ << '\n' << indent_ << '}';
        is_first_ = false;
    }
    void value(const Column& column, const ordered_json& value) override {
        name(column);
        write(value);
    }
    void begin_list(const Column& column) override {
        is_left_out_ = column.form == Form::parts;
        if (is_left_out_) return;
        name(column);
        out_ << '[';
        is_first_ = true;
    }
    void element(const ordered_json& element) override {
        if (is_left_out_) return;
        out_ << (is_first_ ? "\n" : ",\n") << indent_ << "  ";
        is_first_ = false;
        write(element);
    }
    void end_list() override {
        if (is_left_out_) return;
        if (!is_first_) out_ << '\n' << indent_;
        out_ << ']';
        is_first_ = false;
    }

private:
    void name(const Column& column) {
        out_ << (is_first_ ? "\n" : ",\n") << indent_ << '"' << column.name << "\": ";
        is_first_ = false;
    }
    void write(const ordered_json& value) {
        line_.clear();
        append(line_, value);
        out_ << line_;
    }

    std::ostream& out_;
    std::string indent_ = "  ", line_;
    bool is_first_ = true, is_left_out_ = false;
};

class TableSink final : public Sink {
public:
    explicit TableSink(RowSink& rows) : rows_(rows) {}

    void begin() override {}
    void end() override {
        std::vector<Json> values;
        add_values(values, document_columns, &document_);
        rows_.on_row(table_of(document_table.info), values);
    }
    void begin_object(const Column& column) override { object_ = &(document_[column.name] = ordered_json::object()); }
    void end_object() override { object_ = &document_; }
    void value(const Column& column, const ordered_json& value) override {
        (*object_)[column.name] = value;
        if (column.is_object()) send_inner(column.members(), value, {});
    }
    void begin_list(const Column& column) override {
        list_ = &column;
        position_ = column.table->first_position;
    }
    void element(const ordered_json& element) override { send(*list_, element, {}, position_); }
    void end_list() override {}

private:
    static bool is_nested(const Column& column) { return column.is_object() && column.table == nullptr; }

    static const DataTable& table_of(const TableInfo& info) {
        return *std::ranges::find_if(data_tables(), [&](const DataTable& table) { return table.info == &info; });
    }

    static const ordered_json* inner_of(const Column& object, const ordered_json* outer) {
        return is_transparent(object) ? outer : find(outer, object.name);
    }

    static void add_values(std::vector<Json>& values, std::span<const Column> columns, const ordered_json* object) {
        for (const Column& column : columns) {
            if (column.value != nullptr) {
                const ordered_json* value = find(object, column.name);
                values.push_back(value != nullptr ? value_of(*value) : Json());
            } else if (is_nested(column)) {
                add_values(values, column.members(), inner_of(column, object));
            }
        }
    }

    /// `keys` tell of the record that has the columns.
    void send_inner(std::span<const Column> columns, const ordered_json& object, const std::vector<Json>& keys) {
        for (const Column& column : columns) {
            const ordered_json* inner = inner_of(column, &object);
            if (inner == nullptr) continue;
            if (is_nested(column)) send_inner(column.members(), *inner, keys);
            else if (column.table != nullptr) send_rows(column, *inner, object, keys);
        }
    }

    void send_rows(
        const Column& column, const ordered_json& inner, const ordered_json& object, const std::vector<Json>& keys) {
        std::uint64_t position = column.table->first_position;
        if (!column.is_list) return send(column, inner, keys, position);
        for (std::size_t i = 0; i < inner.size(); ++i)
            send(column, record_of(column, i, inner, object), keys, position);
    }

    static ordered_json record_of(
        const Column& list, std::size_t index, const ordered_json& elements, const ordered_json& object) {
        if (list.form == Form::values) return with_siblings(list, index, object);
        if (list.form == Form::arrays) return with_names(list.members(), elements[index]);
        return elements[index];
    }

    static ordered_json with_names(std::span<const Column> columns, const ordered_json& values) {
        ordered_json element;
        for (std::size_t i = 0; i < columns.size(); ++i) element[columns[i].name] = values.at(i);
        return element;
    }

    /// A list of values has what belongs to them in lists of other names beside it.
    static ordered_json with_siblings(const Column& list, std::size_t index, const ordered_json& object) {
        ordered_json element;
        for (const Column& member : list.members()) {
            const char* name = &member == list.members().data() ? list.name : member.name;
            const ordered_json* values = find(&object, name);
            if (values != nullptr && index < values->size()) element[member.name] = (*values)[index];
        }
        return element;
    }

    void send(
        const Column& column, const ordered_json& element, const std::vector<Json>& keys, std::uint64_t& position) {
        const TableInfo& info = *column.table;
        std::vector<Json> own;
        if (info.keys.size != 0) {
            own = keys;
            if (info.has_member_name) own.emplace_back(column.name);
            if (own.size() < info.keys.size) own.emplace_back(position++);
        }
        std::vector<Json> values = own;
        if (info.columns().size() == 1 && !element.is_object()) values.push_back(value_of(element));
        else add_values(values, info.columns(), &element);
        rows_.on_row(table_of(info), values);
        if (own.empty()) own.push_back(values.front());
        send_inner(info.columns(), element, own);
    }

    RowSink& rows_;
    ordered_json document_ = ordered_json::object();
    ordered_json* object_ = &document_;
    const Column* list_ = nullptr;
    std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<Sink> json_to(std::ostream& out) { return std::make_unique<JsonSink>(out); }
std::unique_ptr<Sink> rows_to(RowSink& rows) { return std::make_unique<TableSink>(rows); }

}  // namespace fabricscope::report::joining
