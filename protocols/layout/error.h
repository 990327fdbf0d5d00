// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong with a message, in terms a user can act on: the field, where it is, what was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fabricscope::layout {

enum class Fault : std::uint8_t {
    none,
    truncated,     ///< the octets end before the field does
    wrong_length,  ///< a length or count field contradicts the message it stands in
    wrong_value,   ///< a field that must have one value (eye catcher, type, version) has another
};

/// The first fault found while parsing. Everything before `offset` has been parsed and can be used.
struct ParseError {
    Fault fault = Fault::none;
    const char* field = "";      ///< filter name of the field
    std::size_t offset = 0;      ///< of the field, in octets from the start of the message
    std::uint64_t expected = 0;  ///< truncated: octets needed; else the value or length that was expected
    std::uint64_t actual = 0;    ///< truncated: octets present; else the value or length that was found

    explicit operator bool() const { return fault != Fault::none; }
    bool operator==(const ParseError&) const = default;
};

/// "smcr.clc.length at offset 5: expected 68, found 70"
std::string to_string(const ParseError& error);

}  // namespace fabricscope::layout
