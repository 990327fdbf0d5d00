// SPDX-License-Identifier: GPL-2.0-or-later
// Values of records: what is unknown has none.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "analyzer/report/columns.h"
#include "protocols/layout/layout.h"

namespace fabricscope::report {

inline std::optional<std::string> text_or_null(std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}
template <class T> std::optional<T> number_or_null(T number) {
    return number != 0 ? std::optional(number) : std::nullopt;
}

template <class T, class Convert> auto converted(const std::optional<T>& value, const Convert& convert) {
    return value ? std::optional(convert(*value)) : std::nullopt;
}

/// From one step to a later one, if both were captured.
inline std::optional<double> seconds_between(
    const std::optional<engine::FrameStamp>& from, const std::optional<engine::FrameStamp>& to) {
    return from && to ? std::optional(seconds_of(to->time - from->time)) : std::nullopt;
}

/// nullptr if there is no value, or no name for it.
template <class T> const char* name_or_null(layout::ValueNames names, const std::optional<T>& value) {
    return value ? layout::name_of(names, *value) : nullptr;
}

}  // namespace fabricscope::report
