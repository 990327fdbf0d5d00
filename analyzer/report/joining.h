// SPDX-License-Identifier: GPL-2.0-or-later
// How values, records and lists of parts become those of the whole. For merge.cc only: nlohmann-json takes long to
// compile.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/report/columns.h"
#include "analyzer/report/merge_names.h"

namespace fabricscope::report::joining {

using nlohmann::ordered_json;

Json value_of(const ordered_json& json);
/// Numbers as write_json() writes them.
void append(std::string& out, const ordered_json& json);
/// nullptr if there is no such member, or it is null.
const ordered_json* find(const ordered_json* object, const char* name);

/// Its members are written as if they were those of what it is in.
bool is_transparent(const Column& column);
/// The member of that name, also of what is transparent.
const Column* find(std::span<const Column> columns, std::string_view name);

/// Gives sessions the names that they have in the whole.
void rename(std::span<const Column> columns, ordered_json& object, const Renaming& renaming);

/// What comes first is smaller; of equals, what comes from an earlier part.
using Order = std::array<std::uint64_t, 4>;
using OrderOf = Order (*)(const ordered_json& record);
/// Of the elements of a list; nullptr: those with the same first member become one.
OrderOf order_of(const Column& list);
Order of_observation(const ordered_json& observation);

/// Counts are added; what is told of the whole is the same in all parts.
void add_value(const Column& column, ordered_json& sum, const ordered_json& more);
void add_object(std::span<const Column> columns, ordered_json& sum, const ordered_json& more);
/// Elements of which there is one already are left out, or added to it.
void add_elements(const Column& list, ordered_json& all, const ordered_json& more);

}  // namespace fabricscope::report::joining
