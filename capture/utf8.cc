// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/utf8.h"

#include <algorithm>

namespace fabricscope::capture {
namespace {

// Unicode, table 3-7.

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// What the first byte of a character says of the others.
struct Lead {
    std::size_t more = 0;  ///< bytes that follow
    unsigned char first_low = 0x80, first_high = 0xBF;
    bool good = true;
};

constexpr Lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {};
    if (byte >= 0xC2 && byte <= 0xDF) return {.more = 1};
    if (byte == 0xE0) return {.more = 2, .first_low = 0xA0};
    if (byte == 0xED) return {.more = 2, .first_high = 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {.more = 2};
    if (byte == 0xF0) return {.more = 3, .first_low = 0x90};
    if (byte >= 0xF1 && byte <= 0xF3) return {.more = 3};
    if (byte == 0xF4) return {.more = 3, .first_high = 0x8F};
    return {.good = false};
}

/// The bytes of a character, or those that began one and were to be replaced together.
struct Character {
    std::size_t size = 1;
    bool good = false;
};

/// The first one of `bytes`, which are not empty.
Character first_character(std::string_view bytes) {
    const Lead lead = lead_of(static_cast<unsigned char>(bytes[0]));
    if (!lead.good) return {};
    for (std::size_t i = 1; i <= lead.more; ++i) {
        const unsigned char low = i == 1 ? lead.first_low : 0x80, high = i == 1 ? lead.first_high : 0xBF;
        if (i == bytes.size()) return {.size = i};
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if (byte < low || byte > high) return {.size = i};
    }
    return {.size = 1 + lead.more, .good = true};
}

}  // namespace

std::string utf8_of(std::string_view bytes) {
    if (std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return std::string(bytes);
    std::string text;
    while (!bytes.empty()) {
        const Character character = first_character(bytes);
        text += character.good ? bytes.substr(0, character.size) : replacement;
        bytes.remove_prefix(character.size);
    }
    return text;
}

}  // namespace fabricscope::capture
