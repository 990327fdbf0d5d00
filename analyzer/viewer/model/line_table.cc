// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/line_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>

#include "analyzer/info/frame_lines.h"

namespace fabricscope::viewer {
namespace {

// In a pattern, in place of a number.
constexpr char decimal = '\x01', hexadecimal = '\x02';

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_hex_digit(char letter) { return is_digit(letter) || (letter >= 'a' && letter <= 'f'); }

/// The number that a text begins with, if it is written as it would be written again.
struct Number {
    std::uint64_t value = 0;
    std::size_t letters = 0;
};
std::optional<Number> number_at(std::string_view text, int base) {
    const auto is_part = [base](char letter) { return base == 16 ? is_hex_digit(letter) : is_digit(letter); };
    const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
    if (letters == 0 || (letters > 1 && text.front() == '0')) return std::nullopt;
    Number number{.letters = letters};
    const auto [end, error] = std::from_chars(text.data(), text.data() + letters, number.value, base);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::string lower(std::string_view text) {
    std::string small(text);
    for (char& letter : small)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return small;
}

}  // namespace

void LineTable::add_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) numbers_ += static_cast<char>(number | 0x80);
    numbers_ += static_cast<char>(number);
}

void LineTable::set(std::uint64_t frame, std::string_view line) {
    if (frame >= places_.size()) places_.resize(frame + 1);
    const std::uint64_t begin = numbers_.size();
    std::string pattern;
    for (std::size_t i = 0; i < line.size();) {
        const bool is_hex = line.substr(i).starts_with("0x");
        const std::size_t digits = i + (is_hex ? 2 : 0);
        const bool begins = i == 0 || !is_digit(line[i - 1]);
        if (const auto number = begins ? number_at(line.substr(digits), is_hex ? 16 : 10) : std::nullopt) {
            pattern += is_hex ? hexadecimal : decimal;
            add_number(number->value);
            i = digits + number->letters;
        } else {
            pattern += line[i++];
        }
    }
    const auto [known, is_new] = known_.try_emplace(
        std::move(pattern), static_cast<std::uint32_t>(patterns_.size() + 1));
    if (is_new) patterns_.push_back(&known->first);
    places_[frame] = {known->second, static_cast<std::uint32_t>(begin), static_cast<std::uint8_t>(begin >> 32)};
}

std::string LineTable::line_at(const Place& place) const {
    if (place.pattern == 0) return {};
    std::size_t at = place.begin();
    const auto next = [&] {
        std::uint64_t number = 0;
        for (int shift = 0;; shift += 7) {
            const auto octet = static_cast<std::uint8_t>(numbers_[at++]);
            number |= std::uint64_t{octet & 0x7FU} << shift;
            if (octet < 0x80) return number;
        }
    };
    std::string line;
    for (const char letter : *patterns_[place.pattern - 1]) {
        if (letter == decimal) fmt::format_to(std::back_inserter(line), "{}", next());
        else if (letter == hexadecimal) fmt::format_to(std::back_inserter(line), "0x{:x}", next());
        else line += letter;
    }
    return line;
}

std::string LineTable::line(std::uint64_t frame) const {
    return frame < places_.size() ? line_at(places_[frame]) : std::string();
}

std::vector<bool> LineTable::with(std::string_view words) const {
    const std::string wanted = lower(words);
    const bool has_digit = std::ranges::any_of(wanted, is_digit);
    enum class Match : std::uint8_t { no, yes, by_line };
    std::vector<Match> matches(patterns_.size() + 1, Match::no);
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
        const std::string& pattern = *patterns_[i];
        const bool may_have = (has_digit && pattern.find(decimal) != std::string::npos) ||
                              pattern.find(hexadecimal) != std::string::npos;
        if (lower(pattern).find(wanted) != std::string::npos) matches[i + 1] = Match::yes;
        else if (may_have) matches[i + 1] = Match::by_line;
    }
    std::vector<bool> found(places_.size());
    for (std::size_t frame = 0; frame < places_.size(); ++frame) {
        const Match match = matches[places_[frame].pattern];
        found[frame] = match == Match::yes ||
                       (match == Match::by_line && lower(line_at(places_[frame])).find(wanted) != std::string::npos);
    }
    return found;
}

std::shared_ptr<const LineTable> lines_of(const Recording& recording, const std::function<bool()>& stop) {
    auto table = std::make_shared<LineTable>();
    if (!recording.reading.engine || recording.frames.rows.empty()) return table;
    const std::uint64_t last = recording.frames.rows.back().number;
    try {
        info::FrameLines lines(
            *recording.reading.engine,
            [&](std::uint64_t frame, std::string_view line) {
                if (frame <= last) table->set(frame, line);
            },
            [&](std::uint64_t frame, std::uint64_t original) {
                if (const std::string line = table->line(original); frame <= last && !line.empty())
                    table->set(frame, info::copy_of(original, line));
            });
        const report::Reading again = report::read(
            recording.files, engine_options(), lines.observers(), [&](const capture::DecodedFrame& at) {
                lines.on_packet(at.packet);
                return !stop();
            });
        if (!again.engine || stop()) return nullptr;
        return table;
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace fabricscope::viewer
