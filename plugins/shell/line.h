// SPDX-License-Identifier: GPL-2.0-or-later
// One line of text, put together without allocation: the Info column is written for every frame, and
// printf is what costs most there.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string_view>
#include <type_traits>

namespace fabricscope::plugin {

/// Trivially destructible, as Wireshark's exceptions demand. What does not fit is cut off.
class Line {
public:
    Line() { text_[0] = '\0'; }
    explicit Line(std::string_view text) : Line() { *this << text; }

    Line& operator<<(std::string_view text) {
        const std::size_t count = std::min(text.size(), sizeof text_ - 1 - size_);
        std::copy_n(text.data(), count, text_ + size_);
        size_ += count;
        text_[size_] = '\0';
        return *this;
    }
    template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>) Line& operator<<(T number) { return write(number, 10); }
    /// As hexadecimal digits, without leading zeros.
    template <std::unsigned_integral T> Line& hex(T number) { return write(number, 16); }

    const char* c_str() const { return text_; }

private:
    template <class T> Line& write(T number, int base) {
        char digits[24];
        const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, base);
        return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
    }

    char text_[256];
    std::size_t size_ = 0;
};
static_assert(std::is_trivially_destructible_v<Line>);

}  // namespace fabricscope::plugin
