// SPDX-License-Identifier: GPL-2.0-or-later
// Values of records: what is unknown is null.
#pragma once

#include <iterator>

#include "analyzer/report/records.h"

namespace fabricscope::report {

template <class T> Json or_null(const std::optional<T>& value) { return value ? Json(*value) : Json(); }
inline Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
inline Json or_null(const char* text) { return text != nullptr ? Json(text) : Json(); }
inline Json number_or_null(std::uint64_t number) { return number != 0 ? Json(number) : Json(); }

template <class T, class Convert> Json converted(const std::optional<T>& value, const Convert& convert) {
    return value ? Json(convert(*value)) : Json();
}

inline Json frame_of(const std::optional<engine::Step>& step) { return step ? Json(step->frame) : Json(); }

template <class List, class Convert> Json array_of(const List& values, const Convert& convert) {
    Json::List list;
    list.reserve(std::size(values));
    for (const auto& value : values) list.emplace_back(convert(value));
    return list;
}

template <class... Values> Json list_of(const Values&... values) { return Json::List{Json(values)...}; }

}  // namespace fabricscope::report
