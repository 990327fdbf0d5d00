// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

namespace fabricscope::report {
namespace {

/// Between quotes as it is.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// ---- values ----------------------------------------------------------------------------------------

void append_escaped(std::string& out, char octet) {
    switch (octet) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    if (static_cast<unsigned char>(octet) < ' ')
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(octet));
    else out += octet;
}

constexpr double least_fixed = 1e-4, most_fixed = 1e15;  // smaller and larger ones are written with an exponent

/// Times are whole nanoseconds in most cases. What has no more than 15 digits is the shortest text that is read back as
/// the same number: no shorter one is that, too.
bool append_nanoseconds(std::string& out, double value) {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr double most = 1e6;
    if (!(value >= least_fixed && value < most)) return false;
    const auto whole = static_cast<std::uint64_t>(value * double{second} + 0.5);
    if (static_cast<double>(whole) / double{second} != value) return false;
    const fmt::format_int seconds(whole / second), rest(second + whole % second);  // a 1 before it keeps its zeros
    const std::string_view places(rest.data() + 1, rest.size() - 1);
    out.append(seconds.data(), seconds.size()).append(1, '.');
    const std::size_t last = places.find_last_not_of('0');
    out += last == std::string_view::npos ? places.substr(0, 1) : places.substr(0, last + 1);
    return true;
}

/// The shortest digits that are read back as the same number; always with a point or an exponent.
void append_number(std::string& out, double value) {
    if (append_nanoseconds(out, value)) return;
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    const bool fixed = value == 0 || (std::abs(value) >= least_fixed && std::abs(value) < most_fixed);
    std::array<char, 32> buffer;
    const auto [end, error] = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), value,
        fixed ? std::chars_format::fixed : std::chars_format::scientific);
    const std::string_view digits(buffer.data(), end);
    out += digits;
    if (fixed && digits.find('.') == std::string_view::npos) out += ".0";
}

/// A visitor for each kind of value.
struct Appender {
    std::string& out;

    void operator()(std::nullptr_t) const { out += "null"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(std::integral auto value) const {
        const fmt::format_int digits(value);
        out.append(digits.data(), digits.size());
    }
    void operator()(double value) const { append_number(out, value); }
    void operator()(const char* constant) const { (*this)(std::string_view(constant)); }
    void operator()(std::string_view text) const {
        out += '"';
        if (is_plain(text)) out += text;
        else
            for (const char octet : utf8_of(text)) append_escaped(out, octet);
        out += '"';
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

/// The text that begins with the quote at `begin`, with both quotes.
std::string_view quoted_at(std::string_view line, std::size_t begin) {
    std::size_t end = begin + 1;
    while (line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    return line.substr(begin, end + 1 - begin);
}

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
    if (is_null()) value_ = Members();
    std::get<Members>(value_).push_back({name, std::move(value)});
}

void Json::add_all(Json object) {
    for (JsonMember& member : std::get<Members>(object.value_)) add(member.name, std::move(member.value));
}

std::string_view Json::text() const {
    const char* const* constant = std::get_if<const char*>(&value_);
    return constant != nullptr ? std::string_view(*constant) : std::string_view(std::get<std::string>(value_));
}

void append(std::string& out, const Json& value) { std::visit(Appender{out}, value.variant()); }

std::string line_of(const Json& value) {
    std::string line;
    append(line, value);
    return line;
}

std::string indented(std::string_view line) {
    constexpr std::size_t width = 2;
    std::string text;
    std::size_t depth = 0;
    const auto new_line = [&] { text.append(1, '\n').append(width * depth, ' '); };
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool is_empty = i + 1 < line.size() && (line[i + 1] == ']' || line[i + 1] == '}');
        if (c == '"') {
            const std::string_view quoted = quoted_at(line, i);
            text += quoted;
            i += quoted.size() - 1;
        } else if ((c == '[' || c == '{') && is_empty) {
            text.append(line.substr(i++, 2));
        } else if (c == '[' || c == '{') {
            ++depth;
            text += c;
            new_line();
        } else if (c == ']' || c == '}') {
            --depth;
            new_line();
            text += c;
        } else {
            text += c;
            if (c == ',') new_line();
            if (c == ':') text += ' ';
        }
    }
    return text;
}

}  // namespace fabricscope::report
