// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/words.h"

#include <fmt/format.h>

namespace fabricscope::observations {

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
    return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string three_digits(double number) {
    const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", number, decimals);
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
    const double percent = whole != 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    return percent < 99.5 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string duration_text(capture::Time duration, bool unicode) {
    const auto number = static_cast<double>(duration);
    if (duration < 1'000) return fmt::format("{} ns", duration);
    if (number < 999.5e3) return three_digits(number / 1e3) + (unicode ? " µs" : " us");
    if (number < 999.5e6) return three_digits(number / 1e6) + " ms";
    return three_digits(number / 1e9) + " s";
}

}  // namespace fabricscope::observations
