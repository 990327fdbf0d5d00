// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/merge_names.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace fabricscope::report {
namespace {

constexpr bool is_in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// Where the number begins that a name ends with.
std::size_t number_at(std::string_view name) {
    const std::size_t hyphen = name.rfind('-');
    return hyphen == std::string_view::npos ? name.size() : hyphen + 1;
}

}  // namespace

std::uint64_t number_in(std::string_view name) {
    const std::string_view digits = name.substr(number_at(name));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

std::string Renaming::renamed(std::string_view text) const {
    std::string result;
    while (!text.empty()) {
        const auto begin = std::ranges::find_if(text, is_in_word);
        result.append(text.begin(), begin);
        const auto end = std::find_if_not(begin, text.end(), is_in_word);
        const std::string_view word(begin, end);
        const auto numbers = numbers_.find(word.substr(0, number_at(word)));
        const std::uint64_t number = number_in(word);
        if (numbers != numbers_.end() && number != 0 && number <= numbers->second.size())
            result.append(numbers->first).append(std::to_string(numbers->second[number - 1]));
        else result += word;
        text = std::string_view(end, text.end());
    }
    return result;
}

std::vector<Renaming> number_all(const std::vector<TurningUpByPrefix>& parts) {
    std::vector<Renaming> renamings(parts.size());
    std::set<std::string_view> prefixes;
    for (const TurningUpByPrefix& part : parts)
        for (const auto& [prefix, sessions] : part) prefixes.insert(prefix);
    for (const std::string_view prefix : prefixes) {
        // Time, frame, part, place in the part.
        std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t, std::size_t>> order;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const auto sessions = parts[part].find(prefix);
            if (sessions == parts[part].end()) continue;
            const auto& [frames, times] = sessions->second;
            renamings[part].numbers_[std::string(prefix)].resize(frames.size());
            for (std::size_t i = 0; i < frames.size(); ++i)
                order.emplace_back(i < times.size() ? times[i] : 0, frames[i], part, i);
        }
        std::ranges::sort(order);
        std::uint64_t number = 0;
        for (const auto& [time, frame, part, place] : order)
            renamings[part].numbers_.find(prefix)->second[place] = ++number;
    }
    return renamings;
}

}  // namespace fabricscope::report
