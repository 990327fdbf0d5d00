// SPDX-License-Identifier: GPL-2.0-or-later
// New names for the sessions of parts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::report {

/// When the sessions of one kind turned up.
struct TurningUp {
    std::vector<std::uint64_t> frames;
    std::vector<std::uint64_t> times;  ///< of these; empty where their order is that of the frames' numbers
};
using TurningUpByPrefix = std::map<std::string, TurningUp, std::less<>>;

/// Gives the sessions of one part the numbers that they have in the whole.
class Renaming {
public:
    /// "smcr-3 and lg-1" -> "smcr-7 and lg-2": whole words that are names.
    std::string renamed(std::string_view text) const;

private:
    friend std::vector<Renaming> number_all(const std::vector<TurningUpByPrefix>& parts);
    std::map<std::string, std::vector<std::uint64_t>, std::less<>> numbers_;  ///< by prefix, and old number - 1
};

/// Of all parts, in their order. Sessions are numbered as they turned up; those of one frame keep their order.
std::vector<Renaming> number_all(const std::vector<TurningUpByPrefix>& parts);

/// The number that a name ends with; 0 if it is none.
std::uint64_t number_in(std::string_view name);

}  // namespace fabricscope::report
