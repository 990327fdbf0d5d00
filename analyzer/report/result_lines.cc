// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/result_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace fabricscope::report {

ResultLines::ResultLines(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw ResultError(fmt::format("{}: {}", path, std::strerror(errno)));
    if (line() != "{") refuse();
}

ResultLines::Member ResultLines::member() {
    constexpr std::string_view behind_name = "\": ";
    const std::string text = line();
    if (text == "}") return {};
    const std::size_t end = text.find(behind_name);
    if (!text.starts_with('"') || end == std::string::npos) refuse();
    std::string value = text.substr(end + behind_name.size());
    const Kind kind = value == "{" ? Kind::object : value == "[" ? Kind::list : Kind::value;
    return {kind, text.substr(1, end - 1), std::move(value)};
}

std::optional<std::string> ResultLines::element() {
    std::string text = line();
    return text != "]" ? std::optional(std::move(text)) : std::nullopt;
}

void ResultLines::return_to(std::streampos place) {
    file_.clear();
    file_.seekg(place);
}

void ResultLines::refuse() const {
    throw ResultError(fmt::format("{}, line {}: not as analyze --as-part --json writes results", path_, number_));
}

std::string ResultLines::line() {
    std::string text;
    ++number_;
    if (!std::getline(file_, text)) refuse();
    text.erase(0, text.find_first_not_of(' '));
    if (text.ends_with(',')) text.pop_back();
    return text;
}

}  // namespace fabricscope::report
