// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/suggestion.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace fabricscope::cli {
namespace {

/// How many letters to insert, leave out or change to make one of the other.
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;  // letters
    const auto away = [&](const std::string& name) { return distance(word, name); };
    const auto best = std::ranges::min_element(names, {}, away);
    const bool alike = best != names.end() && away(*best) <= std::min(most, word.size() / 2);
    return alike ? ", did you mean " + *best + "?" : "";
}

}  // namespace fabricscope::cli
