// SPDX-License-Identifier: GPL-2.0-or-later
// What the reader's terminal can show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::report {

enum class Ink : std::uint8_t { plain, bold, faint, green, yellow, red };

struct Style {
    bool colour = false;
    bool unicode = false;

    std::string_view arrow() const { return unicode ? "→" : "->"; }
    /// The text in that ink; unchanged without colour.
    std::string paint(Ink ink, std::string_view text) const;
};

/// Columns that UTF-8 text takes on a terminal; good for the characters that reports are made of.
std::size_t width_of(std::string_view text);

inline constexpr std::size_t text_width = 96;  ///< columns of a sentence

/// The text in lines of at most `width` columns, broken between words; at least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace fabricscope::report
