// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/line.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace fabricscope::info {
namespace {

/// The digits of any 64-bit number, with its sign.
class Digits {
public:
    template <class T> Digits(T number, int base) : end_(std::to_chars(text_, std::end(text_), number, base).ptr) {}
    operator std::string_view() const { return {text_, static_cast<std::size_t>(end_ - text_)}; }

private:
    char text_[20];
    char* end_;
};

}  // namespace

Line& Line::operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), sizeof text_ - 1 - size_);
    std::copy_n(text.data(), count, text_ + size_);
    size_ += count;
    text_[size_] = '\0';
    return *this;
}

Line& Line::hex(std::uint64_t number) { return *this << Digits(number, 16); }
Line& Line::write_signed(std::int64_t number) { return *this << Digits(number, 10); }
Line& Line::write_decimal(std::uint64_t number) { return *this << Digits(number, 10); }

Line marked(std::uint64_t original, const char* mark, const Line& line) {
    Line all;
    if (original != 0) all << "[Copy of frame " << original << "] ";
    else if (mark != nullptr) all << mark << " ";
    return all << line.view();
}

Line range_text(std::uint64_t first, std::uint64_t octets) {
    Line line;
    if (octets == 0) return line;
    line << "0x", line.hex(first);
    line << "-0x", line.hex(first + octets - 1);
    return line;
}

}  // namespace fabricscope::info
