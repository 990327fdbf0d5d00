// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json_schema.h"

#include <ostream>

#include "analyzer/report/document.h"

namespace fabricscope::report {
namespace {

const char* name_of(Type type) {
    switch (type) {
        case Type::text: return "string";
        case Type::integer: return "integer";
        case Type::real: return "number";
        case Type::boolean: return "boolean";
    }
    return "";
}

/// Of what the capture does not tell, JSON has null.
Json type_or_null(const char* type) { return Json::List{Json(type), Json("null")}; }

struct Properties {
    Json all = std::initializer_list<JsonMember>{};
    Json::List required{};

    /// `is_always`: there may be members that a report leaves out.
    void add(std::span<const Column> columns, bool in_lines, bool is_always);
    Json schema(Json type) && {
        return {
            {"type", std::move(type)},
            {"properties", std::move(all)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
    }
};

Json object_schema(std::span<const Column> columns, bool in_lines, Json type) {
    Properties properties;
    properties.add(columns, in_lines, true);
    return std::move(properties).schema(std::move(type));
}

Json value_schema(const Column& column) { return {{"type", type_or_null(name_of(column.type))}}; }

Json element_schema(const Column& list) {
    const auto columns = list.members();
    if (list.form == Form::objects || list.form == Form::parts) return object_schema(columns, false, "object");
    if (list.form == Form::values) return value_schema(columns[0]);
    Json::List each;
    for (const Column& column : columns) each.push_back(value_schema(column));
    return {{"type", "array"}, {"prefixItems", std::move(each)}, {"items", false}};
}

Json schema_of(const Column& column) {
    Json schema = column.value != nullptr ? value_schema(column)
                  : column.is_list        ? Json{{"type", "array"}, {"items", element_schema(column)}}
                                          : object_schema(column.members(), column.in_lines, type_or_null("object"));
    schema.add("description", column.meaning);
    return schema;
}

void Properties::add(std::span<const Column> columns, bool in_lines, bool is_always) {
    for (const Column& column : columns) {
        if (column.form == Form::none) continue;
        if (column.nesting == Nesting::nowhere) {
            add(column.members(), in_lines, false);
            continue;
        }
        all.add(column.name, schema_of(column));
        const bool is_left_out = column.condition != nullptr || column.form == Form::parts ||
                                 (in_lines && column.is_object());
        if (is_always && !is_left_out) required.push_back(Json(column.name));
    }
}

}  // namespace

void write_json_schema(std::ostream& out) {
    Json schema = object_schema(document_columns, true, "object");
    schema.add("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.add("title", "What fabricscope analyze --json writes");
    std::string text;
    append(text, schema);
    out << text << '\n';
}

}  // namespace fabricscope::report
