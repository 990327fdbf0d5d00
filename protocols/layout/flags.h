// SPDX-License-Identifier: GPL-2.0-or-later
// Flags that share octets, for whoever shows or lists them as a whole.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/layout/layout.h"

namespace fabricscope::layout {

/// Neighbouring fields of a layout that are bits of the same octets.
struct FlagGroup {
    std::size_t begin, end;  ///< of the layout's fields
    std::string filter;      ///< of all of them together, "smcr.cdc.flags"
    const char* label;
};

namespace detail {

inline bool share_octets(const FieldInfo& a, const FieldInfo& b) {
    return a.mask != 0 && b.mask != 0 && a.offset == b.offset && a.width == b.width;
}

/// What all filter names begin with, up to a dot.
inline std::string_view common_prefix(std::span<const FieldInfo> fields) {
    std::string_view same = fields.front().filter;
    for (const FieldInfo& field : fields) {
        const std::string_view other = field.filter;
        same = same.substr(0, static_cast<std::size_t>(std::ranges::mismatch(same, other).in1 - same.begin()));
    }
    return same.substr(0, std::min(same.rfind('.'), same.size()));
}

}  // namespace detail

/// Those of a layout that are worth a name of their own: several flags, or some whose names have a part in common that
/// says so.
inline std::vector<FlagGroup> flag_groups(std::span<const FieldInfo> fields) {
    std::vector<FlagGroup> groups;
    for (std::size_t begin = 0, end = 0; begin < fields.size(); begin = end) {
        for (end = begin + 1; end < fields.size() && detail::share_octets(fields[begin], fields[end]);) ++end;
        const auto members = fields.subspan(begin, end - begin);
        const auto flags = std::ranges::count_if(
            members, [](const FieldInfo& field) { return field.kind == Kind::boolean && !field.reserved; });
        if (members.size() < 2) continue;
        const std::string_view prefix = detail::common_prefix(members);
        const bool is_state = prefix.ends_with(".state");
        const bool is_named = is_state || prefix.ends_with(".flags");
        if (flags < 2 && !is_named) continue;
        groups.push_back({begin, end, std::string(prefix) + (is_named ? "" : ".flags"), is_state ? "State" : "Flags"});
    }
    return groups;
}

}  // namespace fabricscope::layout
