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

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    if (width_of(text) <= width) return {std::string(text)};
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        std::string& line = lines.back();
        if (line.empty()) line = word;
        else if (width_of(line) + 1 + width_of(word) <= width) line.append(" ").append(word);
        else lines.emplace_back(word);
    }
    return lines;
}

}  // namespace fabricscope::report
