// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace fabricscope::report {
namespace {

std::string quoted(std::string_view octets) {
    using nlohmann::json;
    return json(octets).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Between quotes as it is.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

/// A visitor for each kind of value.
struct Appender {
    std::string& out;

    void operator()(std::nullptr_t) const { out += "null"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(std::integral auto value) const { fmt::format_to(std::back_inserter(out), "{}", value); }
    void operator()(double value) const { out += nlohmann::json(value).dump(); }
    void operator()(const char* constant) const { (*this)(std::string_view(constant)); }
    void operator()(std::string_view text) const {
        if (is_plain(text)) out.append(1, '"').append(text).append(1, '"');
        else out += quoted(text);
    }
    void operator()(const Json::List& list) const {
        append_all('[', list, ']', [&](const Json& element) { append(out, element); });
    }
    void operator()(const Json::Members& members) const {
        append_all('{', members, '}', [&](const JsonMember& member) {
            out.append(1, '"').append(member.name).append("\":");
            append(out, member.value);
        });
    }

private:
    template <class Elements, class Each>
    void append_all(char begin, const Elements& elements, char end, const Each& each) const {
        out += begin;
        for (const auto& element : elements) {
            if (&element != elements.data()) out += ',';
            each(element);
        }
        out += end;
    }
};

}  // namespace

Json::Json(std::nullptr_t) {}
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* constant) : value_(constant) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(List list) : value_(std::move(list)) {}

Json::Json(std::initializer_list<JsonMember> members) {
    Members moved;
    moved.reserve(members.size());
    for (const JsonMember& member : members) moved.push_back({member.name, std::move(member.value)});
    value_ = std::move(moved);
}

void Json::add(const char* name, Json value) {
    if (!is_object()) value_ = Members();
    std::get<Members>(value_).push_back({name, std::move(value)});
}

std::string_view Json::text() const {
    const char* const* constant = std::get_if<const char*>(&value_);
    return constant != nullptr ? std::string_view(*constant) : std::string_view(std::get<std::string>(value_));
}

std::span<const Json> Json::list() const {
    const List* list = std::get_if<List>(&value_);
    return list != nullptr ? std::span<const Json>(*list) : std::span<const Json>();
}

std::span<const JsonMember> Json::members() const {
    const Members* members = std::get_if<Members>(&value_);
    return members != nullptr ? std::span<const JsonMember>(*members) : std::span<const JsonMember>();
}

void Json::add_all(Json object) {
    for (JsonMember& member : std::get<Members>(object.value_)) add(member.name, std::move(member.value));
}

const Json& Json::operator[](std::string_view name) const {
    static const Json null;
    const auto all = members();
    const auto member = std::ranges::find(all, name, &JsonMember::name);
    return member != all.end() ? member->value : null;
}

void append(std::string& out, const Json& value) { std::visit(Appender{out}, value.variant()); }

std::string line_of(const Json& value) {
    std::string line;
    append(line, value);
    return line;
}

std::string utf8_of(std::string_view octets) {
    return is_plain(octets) ? std::string(octets) : nlohmann::json::parse(quoted(octets)).get<std::string>();
}

}  // namespace fabricscope::report
