// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/hex_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::viewer {
namespace {

std::string character_of(const HexOctet& octet) {
    if (!octet.value) return " ";
    switch (*octet.value) {
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '&': return "&amp;";
        default: break;
    }
    const bool is_printable = *octet.value >= 0x20 && *octet.value < 0x7F;
    return is_printable ? std::string(1, static_cast<char>(*octet.value)) : ".";
}

}  // namespace

std::size_t hex_row_size(int width, int width_of_character) {
    constexpr int of_sixteen = 76;  // characters
    return width >= of_sixteen * width_of_character ? 16 : 8;
}

std::string hex_page(
    std::size_t row_size, std::size_t count, std::uint64_t begin, const std::function<HexOctet(std::size_t)>& octet_at,
    const std::string& mark) {
    const auto marked = [&](const HexOctet& octet, const std::string& words) {
        return octet.is_marked ? fmt::format("<b style='color:{}'>{}</b>", mark, words) : words;
    };
    std::string page = "<pre>";
    for (std::size_t row = 0; row < count; row += row_size) {
        std::string digits, characters;
        for (std::size_t i = row; i < row + row_size; ++i) {
            if (i % 8 == 0 && i != row) digits += ' ';
            if (i >= count) {
                digits += "   ";
                continue;
            }
            const HexOctet octet = octet_at(i);
            digits += marked(octet, octet.value ? fmt::format("{:02x}", *octet.value) : "··") + ' ';
            characters += marked(octet, character_of(octet));
        }
        page += fmt::format("{:04x}  {} {}\n", begin + row, digits, characters);
    }
    return page + "</pre>";
}

}  // namespace fabricscope::viewer
