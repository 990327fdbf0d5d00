// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/lists.h"

#include <algorithm>
#include <ostream>

namespace fabricscope::report {

std::string names_text(const std::vector<std::string>& names, std::size_t most) {
    const std::size_t shown = std::min(names.size(), most);
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(shown);
    const std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
    return names.size() == shown ? text : fmt::format("{} and {} more", text, grouped(names.size() - shown));
}

void write_rest(std::ostream& out, std::size_t all, std::size_t shown, std::string_view noun, const Style& style) {
    if (all <= shown) return;
    out << "  " << style.paint(Ink::faint, fmt::format("... and {} more {} (--all)", grouped(all - shown), noun))
        << '\n';
}

void Troubles::write(std::ostream& out, const Style& style, std::size_t most_names) const {
    for (const auto& [key, names] : names_) {
        const auto& [noun, trouble] = key;
        out << style.paint(Ink::red, "  ! ") << counted(names.size(), noun) << ' ' << trouble << " ("
            << names_text(names, most_names) << ")\n";
    }
}

void write_limits(
    std::ostream& out, const Style& style, const std::vector<std::pair<std::uint64_t, std::string_view>>& dropped) {
    std::vector<std::string> texts;
    for (const auto& [count, noun] : dropped)
        if (count != 0) texts.push_back(counted(count, noun));
    if (texts.empty()) return;
    out << style.paint(Ink::red, "  ! ") << "limits were reached: " << fmt::format("{}", fmt::join(texts, ", "))
        << " left out\n";
}

}  // namespace fabricscope::report
