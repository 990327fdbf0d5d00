// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/style.h"

#include <algorithm>
#include <array>

namespace fabricscope::report {

std::string Style::paint(Ink ink, std::string_view text) const {
    constexpr std::array<std::string_view, 6> begin{"", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m"};
    if (!colour || ink == Ink::plain || text.empty()) return std::string(text);
    return std::string(begin[static_cast<std::size_t>(ink)]).append(text).append("\x1b[0m");
}

std::size_t width_of(std::string_view text) {
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

}  // namespace fabricscope::report
