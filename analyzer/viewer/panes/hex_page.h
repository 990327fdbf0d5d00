// SPDX-License-Identifier: GPL-2.0-or-later
// Octets in rows: where they stand, in hexadecimal, as characters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fabricscope::viewer {

struct HexOctet {
    std::optional<std::uint8_t> value;  ///< nothing: not known
    bool is_marked = false;
};

/// How many octets a row takes where there is so much room: 8 or 16.
std::size_t hex_row_size(int width, int width_of_character);

/// As HTML. `begin`: the address of the first one; `mark`: the colour of what is marked, "#3c6eaa".
std::string hex_page(
    std::size_t row_size, std::size_t count, std::uint64_t begin, const std::function<HexOctet(std::size_t)>& octet_at,
    const std::string& mark);

}  // namespace fabricscope::viewer
