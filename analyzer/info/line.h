// SPDX-License-Identifier: GPL-2.0-or-later
// One line of text, put together without allocation: the Info column is written for every frame, and
// printf is what costs most there.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace fabricscope::info {

/// Trivially destructible, as Wireshark's exceptions demand. What does not fit is cut off.
class Line {
public:
    Line() { text_[0] = '\0'; }
    explicit Line(std::string_view text) : Line() { *this << text; }

    // Out of line: it is short code that counts here, since it is seldom in the processor's caches when a frame comes.
    Line& operator<<(std::string_view text);
    template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>) Line& operator<<(T number) {
        if constexpr (std::signed_integral<T>) return write_signed(number);
        else return write_decimal(number);
    }
    /// As hexadecimal digits, without leading zeros.
    Line& hex(std::uint64_t number);

    const char* c_str() const { return text_; }
    std::string_view view() const { return {text_, size_}; }
    bool empty() const { return size_ == 0; }

private:
    Line& write_signed(std::int64_t number);
    Line& write_decimal(std::uint64_t number);

    char text_[256];
    std::size_t size_ = 0;
};
static_assert(std::is_trivially_destructible_v<Line>);

/// Of SMC-R and CM messages; nullptr: they are not sent again. What of RDMA is marked, rdma.h says.
inline const char* mark_of_retransmission(bool again) { return again ? "[Retransmission]" : nullptr; }
/// The same of Fibre Channel frames.
inline const char* mark_of_repeated(bool again) { return again ? "[Repeated]" : nullptr; }

/// "[Copy of frame 12] SEND 100 bytes", or with the mark before it if the frame is no copy (`original` 0).
Line marked(std::uint64_t original, const char* mark, const Line& line);

/// "0x1000-0x17ff"; empty for no octets
Line range_text(std::uint64_t first, std::uint64_t octets);

}  // namespace fabricscope::info
