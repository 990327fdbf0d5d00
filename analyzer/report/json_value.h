// SPDX-License-Identifier: GPL-2.0-or-later
// JSON as it is written. Values are made without copies: names and constant texts are pointed to, lists and texts
// moved in.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "capture/utf8.h"

namespace fabricscope::report {

struct JsonMember;

/// Null, a boolean, a number, a text, a list, or an object whose members keep their order.
class Json {
public:
    using Members = std::vector<JsonMember>;
    using List = std::vector<Json>;
    /// Texts that are `const char*` are constants: they are not copied.
    using Variant = std::variant<
        std::nullptr_t, bool, std::int64_t, std::uint64_t, double, const char*, std::string, List, Members>;

    Json(std::nullptr_t = nullptr);
    Json(bool value);
    Json(double value);
    template <std::signed_integral T> Json(T value);
    template <std::unsigned_integral T> Json(T value);
    Json(const char* constant);
    Json(std::string text);
    Json(List list);
    template <class T> Json(const std::vector<T>& values);
    /// An object. Its members are moved out of `members`.
    Json(std::initializer_list<JsonMember> members);

    void add(const char* name, Json value);
    /// The members of `object`, too.
    void add_all(Json object);

    const Variant& variant() const { return value_; }
    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    bool is_text() const {
        return std::holds_alternative<const char*>(value_) || std::holds_alternative<std::string>(value_);
    }
    /// Of a text.
    std::string_view text() const;

private:
    Variant value_;
};

struct JsonMember {
    const char* name;    ///< a constant
    mutable Json value;  ///< an initializer_list hands out its elements as constants
};

template <std::signed_integral T> Json::Json(T value) : value_(std::int64_t{value}) {}
template <std::unsigned_integral T> Json::Json(T value) : value_(std::uint64_t{value}) {}
template <class T> Json::Json(const std::vector<T>& values) : value_(List(values.begin(), values.end())) {}

/// On one line, behind what `out` holds; what is not UTF-8 is replaced.
void append(std::string& out, const Json& value);
std::string line_of(const Json& value);
/// JSON that is on one line, over several ones.
std::string indented(std::string_view line);

using capture::utf8_of;

}  // namespace fabricscope::report
