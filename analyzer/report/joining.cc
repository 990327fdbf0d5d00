// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/joining.h"

#include <algorithm>

#include "analyzer/engine/protocols.h"
#include "analyzer/observations/observation.h"
#include "analyzer/report/result_lines.h"

namespace fabricscope::report::joining {

// ---- JSON ------------------------------------------------------------------------------------------

Json value_of(const ordered_json& json) {
    switch (json.type()) {
        case ordered_json::value_t::boolean: return json.get<bool>();
        case ordered_json::value_t::number_unsigned: return json.get<std::uint64_t>();
        case ordered_json::value_t::number_integer: return json.get<std::int64_t>();
        case ordered_json::value_t::number_float: return json.get<double>();
        case ordered_json::value_t::string: return json.get<std::string>();
        default: return nullptr;
    }
}

void append(std::string& out, const ordered_json& json) {
    const auto all = [&](char begin, char end) {
        out += begin;
        for (auto member = json.begin(); member != json.end(); ++member) {
            if (member != json.begin()) out += ',';
            if (json.is_object()) out.append(1, '"').append(member.key()).append("\":");
            append(out, *member);
        }
        out += end;
    };
    if (json.is_object()) all('{', '}');
    else if (json.is_array()) all('[', ']');
    else report::append(out, value_of(json));
}

const ordered_json* find(const ordered_json* object, const char* name) {
    if (object == nullptr) return nullptr;
    const auto member = object->find(name);
    return member != object->end() && !member->is_null() ? &*member : nullptr;
}

bool is_transparent(const Column& column) { return column.is_object() && column.nesting == Nesting::nowhere; }

const Column* find(std::span<const Column> columns, std::string_view name) {
    for (const Column& column : columns) {
        if (!is_transparent(column)) {
            if (name == column.name) return &column;
        } else if (const Column* found = find(column.members(), name)) {
            return found;
        }
    }
    return nullptr;
}

// ---- names -----------------------------------------------------------------------------------------

namespace {

void rename_value(const Column& column, ordered_json& value, const Renaming& renaming) {
    if (column.value != nullptr) {
        if (column.has_names && value.is_string()) value = renaming.renamed(value.get_ref<const std::string&>());
    } else if (!column.is_list) {
        if (value.is_object()) rename(column.members(), value, renaming);
    } else if (column.form == Form::values) {
        for (ordered_json& element : value) rename_value(column.members()[0], element, renaming);
    } else if (column.form != Form::arrays) {
        for (ordered_json& element : value) rename(column.members(), element, renaming);
    }
}

}  // namespace

void rename(std::span<const Column> columns, ordered_json& object, const Renaming& renaming) {
    for (auto member = object.begin(); member != object.end(); ++member)
        if (const Column* column = find(columns, member.key())) rename_value(*column, *member, renaming);
}

// ---- order -----------------------------------------------------------------------------------------

namespace {

std::uint64_t frame_in(const ordered_json& record, const char* member) {
    const ordered_json* frame = find(&record, member);
    return frame != nullptr ? frame->get<std::uint64_t>() : 0;
}

Order by_name(const ordered_json& record) { return {number_in(record.at("id").get_ref<const std::string&>())}; }

/// Where it stands in the list of protocols, and the frame that broke the rule.
Order of_finding(const ordered_json& finding) {
    const auto& protocols = engine::protocols;
    const std::string& id = finding.at("rule").get_ref<const std::string&>();
    const auto protocol = std::ranges::find_if(protocols, [&](const engine::Protocol& candidate) {
        return std::ranges::any_of(candidate.rules, [&](const engine::Rule* rule) { return id == rule->id; });
    });
    const ordered_json& frames = finding.at("frames");
    return {
        static_cast<std::uint64_t>(protocol - protocols.begin()),
        frames.empty() ? 0 : frames.back().get<std::uint64_t>()};
}

}  // namespace

/// The worst first, then by frames; those without frames in the order of their kinds and sessions.
Order of_observation(const ordered_json& observation) {
    constexpr std::array<std::string_view, 3> severities{"error", "warning", "note"};
    const auto severity = std::ranges::find(severities, observation.at("severity").get_ref<const std::string&>());
    const auto rank = static_cast<std::uint64_t>(severity - severities.begin());
    const ordered_json& frames = observation.at("frames");
    if (!frames.empty()) return {rank, frames.front().get<std::uint64_t>()};
    const auto kinds = observations::catalogue();
    const auto kind = std::ranges::find(
        kinds, std::string_view(observation.at("id").get_ref<const std::string&>()), &observations::Kind::id);
    const ordered_json* session = find(&observation, "session");
    return {
        rank, 0, static_cast<std::uint64_t>(kind - kinds.begin()),
        session != nullptr ? number_in(session->get_ref<const std::string&>()) : 0};
}

namespace {

Order of_resolution(const ordered_json& resolution) {
    const std::uint64_t request = frame_in(resolution, "request_frame");
    return {request != 0 ? request : frame_in(resolution, "answer_frame")};
}

Order of_operation(const ordered_json& operation) {
    return {std::max(frame_in(operation, "last_frame"), frame_in(operation, "answer_frame"))};
}

Order of_event(const ordered_json& event) { return {frame_in(event, "frame")}; }

/// One part after the other.
Order of_part(const ordered_json&) { return {}; }

/// How the elements of a list become one list.
struct Joining {
    std::string_view table;
    OrderOf order;
};

constexpr std::array joinings{
    Joining{"findings", of_finding},        Joining{"observations", of_observation},
    Joining{"fc_addresses", of_resolution}, Joining{"rdma_operations", of_operation},
    Joining{"rdma_events", of_event},       Joining{"rule_results", nullptr},
    Joining{"adapter_counters", of_part},   Joining{"not_decoded", nullptr},
};

}  // namespace

OrderOf order_of(const Column& list) {
    const auto joining = std::ranges::find(joinings, std::string_view(list.table->name), &Joining::table);
    return joining != joinings.end() ? joining->order : by_name;
}

// ---- values that become one ------------------------------------------------------------------------

void add_value(const Column& column, ordered_json& sum, const ordered_json& more) {
    if (column.type == Type::integer) {
        if (more.is_null()) return;
        sum = (sum.is_null() ? 0 : sum.get<std::uint64_t>()) + more.get<std::uint64_t>();
    } else if (column.type == Type::real) {
        if (sum.is_null() || (!more.is_null() && more > sum)) sum = more;
    } else if (sum.is_null()) {
        sum = more;
    }
}

/// A record's first member says which one it is.
static const ordered_json& key_of(const ordered_json& record) {
    if (!record.is_object() || record.empty())
        throw ResultError("a result has a list with something that is no record");
    return *record.begin();
}

void add_elements(const Column& list, ordered_json& all, const ordered_json& more) {
    if (all.is_null()) all = ordered_json::array();
    for (const ordered_json& element : more) {
        const auto same = std::ranges::find_if(all, [&](const ordered_json& known) {
            return list.form == Form::values ? known == element : key_of(known) == key_of(element);
        });
        if (same == all.end()) all.push_back(element);
        else if (list.form != Form::values) add_object(list.members(), *same, element);
    }
}

void add_object(std::span<const Column> columns, ordered_json& sum, const ordered_json& more) {
    for (auto member = more.begin(); member != more.end(); ++member) {
        const Column* column = find(columns, member.key());
        if (column == nullptr) continue;
        if (column->value != nullptr) add_value(*column, sum[member.key()], *member);
        else if (column->is_list) add_elements(*column, sum[member.key()], *member);
        else add_object(column->members(), sum[member.key()], *member);
    }
}

}  // namespace fabricscope::report::joining
