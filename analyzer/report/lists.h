// SPDX-License-Identifier: GPL-2.0-or-later
// Lists that are counted, or cut where they would grow too long.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/style.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {

/// "smcr-1, smcr-4 and 3 more"
std::string names_text(const std::vector<std::string>& names, std::size_t most);

/// "... and 3 more connections (--all)", if not all were shown.
void write_rest(std::ostream& out, std::size_t all, std::size_t shown, std::string_view noun, const Style& style);

/// "3 connections (2 connected, 1 rejected)": `kind` is what they are counted by, `words(kind)` says it.
template <class Things, class Kind, class Words>
std::string counts_text(const Things& things, const char* noun, Kind Things::value_type::*kind, const Words& words) {
    std::map<Kind, std::uint64_t> counts;
    for (const auto& thing : things) ++counts[thing.*kind];
    std::vector<std::string> texts;
    texts.reserve(counts.size());
    for (const auto& [each, count] : counts) texts.push_back(fmt::format("{} {}", grouped(count), words(each)));
    return counted(things.size(), noun) + (texts.empty() ? "" : fmt::format(" ({})", fmt::join(texts, ", ")));
}

}  // namespace fabricscope::report
