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

}  // namespace fabricscope::report
