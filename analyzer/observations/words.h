// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers and times as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/frame.h"

namespace fabricscope::observations {

/// "4,206,649"
std::string grouped(std::uint64_t number);
/// "1 frame", "3 frames"
std::string counted(std::uint64_t number, std::string_view noun);
/// "9.87", "98.7", "987": three significant digits, without an exponent.
std::string three_digits(double number);
/// "0.12 %", "6.9 %", "41 %", "100 %"
std::string percent_text(std::uint64_t part, std::uint64_t whole);
/// "850 ns", "12.3 us", "1.20 s"; "µs" if `unicode`
std::string duration_text(capture::Time duration, bool unicode = false);

}  // namespace fabricscope::observations
