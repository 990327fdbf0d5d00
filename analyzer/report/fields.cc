// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fields.h"

#include <map>
#include <ostream>

#include "analyzer/engine/common_fields.h"
#include "analyzer/engine/protocols.h"
#include "analyzer/observations/generated_fields.h"
#include "analyzer/report/json_value.h"
#include "analyzer/report/table.h"
#include "protocols/layout/flags.h"

namespace fabricscope::report {
namespace {

using engine::GeneratedType;
using Fields = std::map<std::string, FieldEntry>;

std::string number_type(const layout::FieldInfo& field) { return "uint" + std::to_string(8 * field.width); }

std::string type_of(const layout::FieldInfo& field) {
    switch (field.kind) {
        case layout::Kind::unsigned_integer: return number_type(field);
        case layout::Kind::boolean: return "boolean";
        case layout::Kind::bytes: return "bytes";
        case layout::Kind::mac: return "ether";
        case layout::Kind::ipv4: return "ipv4";
        case layout::Kind::gid: return "ipv6";
        case layout::Kind::text: return "string";
    }
    return {};
}

std::string type_of(GeneratedType type) {
    switch (type) {
        case GeneratedType::text: return "string";
        case GeneratedType::unsigned_number:
        case GeneratedType::address: return "uint64";
        case GeneratedType::signed_number: return "int64";
        case GeneratedType::boolean: return "boolean";
        case GeneratedType::frame: return "framenum";
        case GeneratedType::time_span: return "reltime";
        case GeneratedType::octets: return "bytes";
        case GeneratedType::presence:
        case GeneratedType::expert_info: return "none";
    }
    return {};
}

/// Messages that share a field may define it in different clauses.
void add(Fields& fields, FieldEntry entry) {
    const auto [place, is_new] = fields.try_emplace(entry.name, entry);
    if (is_new || entry.clause.empty()) return;
    std::string& clause = place->second.clause;
    if (("; " + clause + "; ").find("; " + entry.clause + "; ") == std::string::npos) clause += "; " + entry.clause;
}

void add_layouts(Fields& fields, std::span<const layout::LayoutInfo> layouts, const char* protocol) {
    for (const layout::LayoutInfo& layout : layouts) {
        for (const layout::FieldInfo& field : layout.fields)
            add(fields, {field.filter, type_of(field), protocol, field.label,
                         field.clause != nullptr ? field.clause : layout.clause});
        for (const layout::FlagGroup& flags : layout::flag_groups(layout.fields))
            add(fields, {flags.filter, number_type(layout.fields[flags.begin]), protocol, flags.label, layout.clause});
    }
}

void add_octets(Fields& fields, std::span<const layout::OctetsInfo> infos, const char* protocol) {
    for (const layout::OctetsInfo& info : infos) add(fields, {info.filter, "bytes", protocol, info.label, info.clause});
}

void add_generated(Fields& fields, std::span<const engine::GeneratedField> generated, const char* protocol) {
    for (const engine::GeneratedField& field : generated)
        add(fields,
            {field.filter, type_of(field.type), protocol, field.label, field.clause != nullptr ? field.clause : ""});
}

void add_common(Fields& fields, const char* protocol) {
    const auto add_one = [&](const engine::CommonField& field, const char* type) {
        add(fields, {std::string(protocol) + "." + field.name, type, protocol, field.label, ""});
    };
    add_one(engine::unknown_octets, "bytes");
    for (const engine::CommonField& field : engine::expert::all) add_one(field, "none");
}

}  // namespace

std::vector<FieldEntry> all_fields() {
    Fields fields;
    for (const engine::Protocol& protocol : engine::protocols) {
        if (protocol.layouts != nullptr) add_layouts(fields, protocol.layouts(), protocol.filter);
        if (protocol.octets != nullptr) add_octets(fields, protocol.octets(), protocol.filter);
        add_generated(fields, protocol.generated_fields, protocol.filter);
        if (!protocol.generated_fields.empty()) add_common(fields, protocol.filter);
    }
    add_generated(fields, observations::generated_fields, observations::filter_name);

    std::vector<FieldEntry> list;
    for (auto& [name, entry] : fields) list.push_back(std::move(entry));
    return list;
}

void write_fields(std::ostream& out, const Style& style) {
    Table table({{"Name"}, {"Type"}, {"Protocol"}, {"Clause"}, {"Meaning"}});
    for (const FieldEntry& field : all_fields())
        table.add(
            {{field.name}, {field.type}, {field.protocol}, {field.clause.empty() ? "-" : field.clause}, {field.label}});
    table.print(out, style, 0);
}

void write_fields_json(std::ostream& out) {
    Json::List list;
    for (const FieldEntry& field : all_fields())
        list.push_back(
            {{"name", field.name},
             {"type", field.type},
             {"protocol", field.protocol},
             {"clause", field.clause.empty() ? Json() : Json(field.clause)},
             {"label", field.label}});
    out << indented(line_of(std::move(list))) << '\n';
}

}  // namespace fabricscope::report
