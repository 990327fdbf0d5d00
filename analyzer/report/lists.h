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

/// What broke: the same trouble is told once, with the names of all that had it.
class Troubles {
public:
    /// Of one `noun`; an empty trouble is none.
    void add(const std::string& noun, const std::string& trouble, std::string name) {
        if (!trouble.empty()) names_[{noun, trouble}].push_back(std::move(name));
    }
    /// "  ! 2 connections rejected by the server (cm-1, cm-2)"
    void write(std::ostream& out, const Style& style, std::size_t most_names) const;

private:
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> names_;
};

/// "  ! limits were reached: 3 connections and 1 finding are left out", if anything was.
void write_limits(
    std::ostream& out, const Style& style, const std::vector<std::pair<std::uint64_t, std::string_view>>& dropped);

}  // namespace fabricscope::report
