// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fabricscope::synth {
namespace {

/// Lines of which there is one, and lines whose values may stand in several, but each value once; all else may be said
/// again and again.
constexpr std::array<std::string_view, 4> single_lines{"title", "clause", "protocol", "seed"};
constexpr std::array<std::string_view, 14> settings{"link",   "capture",   "limit",     "carrier", "topology",
                                                    "hosts",  "client",    "server",    "fabric",  "providers",
                                                    "target", "initiator", "sequences", "end"};

/// The decimal number at the beginning of `text`, which loses it.
std::optional<double> extract_number(std::string_view& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || !(value >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// A folder and a name in it.
bool is_sample(std::string_view text) {
    const std::size_t slash = text.find('/');
    return slash != 0 && slash < text.size() - 1 && slash == text.rfind('/');
}

}  // namespace

void Statement::fail(const std::string& problem) const {
    throw ScenarioError(fmt::format("{}: {}: {}", place_, word_, problem));
}

void Statement::fail_value(const std::string& name, const std::string& expected) const {
    fail(fmt::format("{}={} is not {}", name, values_.at(name), expected));
}

void Statement::set(const std::string& name, const std::string& value) {
    if (!values_.emplace(name, value).second) fail(name + " is said twice");
}

const std::string* Statement::find(const std::string& name) const {
    read_.insert(name);
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

std::string Statement::text(const std::string& name, const std::string& otherwise) const {
    const std::string* value = find(name);
    return value == nullptr ? otherwise : *value;
}

const std::map<std::string, std::string>& Statement::values() const {
    for (const auto& [name, value] : values_) read_.insert(name);
    return values_;
}

std::uint64_t Statement::number(const std::string& name, std::uint64_t otherwise, std::uint64_t most) const {
    const std::string* value = find(name);
    if (value == nullptr) return otherwise;
    const bool hex = value->starts_with("0x");
    std::uint64_t number = 0;
    const char* const begin = value->data() + (hex ? 2 : 0);
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(begin, end, number, hex ? 16 : 10);
    if (error != std::errc() || stop != end || number > most) fail_value(name, fmt::format("a number up to {}", most));
    return number;
}

bool Statement::flag(const std::string& name, bool otherwise) const {
    return choice(name, otherwise ? 1 : 0, {"no", "yes"}) == 1;
}

Time Statement::time(const std::string& name, Time otherwise) const {
    const std::string* value = find(name);
    if (value == nullptr) return otherwise;
    std::string_view rest = *value;
    const std::optional<double> number = extract_number(rest);
    const Time unit = rest == "s"    ? capture::second
                      : rest == "ms" ? capture::millisecond
                      : rest == "us" ? capture::microsecond
                      : rest == "ns" ? 1
                                     : 0;
    if (!number || unit == 0 || *number * static_cast<double>(unit) > 1e15) fail_value(name, "a time, as 20ms");
    return static_cast<Time>(std::llround(*number * static_cast<double>(unit)));
}

std::uint64_t Statement::octets(const std::string& name, std::uint64_t otherwise) const {
    const std::string* value = find(name);
    if (value == nullptr) return otherwise;
    std::string_view rest = *value;
    const std::optional<double> number = extract_number(rest);
    const double unit = rest.empty() ? 1 : rest == "K" ? 1024 : rest == "M" ? 1024 * 1024 : 0;
    if (!number || unit == 0 || *number * unit > 1e9) fail_value(name, "a number of octets, as 64K");
    return static_cast<std::uint64_t>(*number * unit);
}

std::uint32_t Statement::chance(const std::string& name) const {
    const std::string* value = find(name);
    if (value == nullptr) return 0;
    std::string_view rest = *value;
    const std::optional<double> number = extract_number(rest);
    if (!number || rest != "%" || *number > 100) fail_value(name, "a chance, as 0.5%");
    return static_cast<std::uint32_t>(std::llround(*number * 10'000));
}

std::size_t Statement::choice(
    const std::string& name, std::size_t otherwise, const std::vector<std::string_view>& words) const {
    const std::string* value = find(name);
    if (value == nullptr) return otherwise;
    const auto found = std::ranges::find(words, *value);
    if (found == words.end()) fail_value(name, fmt::format("one of {}", fmt::join(words, ", ")));
    return static_cast<std::size_t>(found - words.begin());
}

std::string Statement::host(const std::string& name) const {
    return choice(name, 0, {"client", "server"}) == 0 ? text(name, "") : "server";
}

void Statement::done() const {
    if (!words_.empty() && !words_read_) fail("\"" + words_.front() + "\" is not name=value");
    for (const auto& [name, value] : values_)
        if (!read_.contains(name))
            fail(
                read_.empty() ? name + " means nothing here"
                              : fmt::format("{} means nothing here, but {}", name, fmt::join(read_, ", ")));
}

void Statement::leave() const {
    words_read_ = true;
    for (const auto& [name, value] : values_) read_.insert(name);
}

namespace {

/// Where something was said first.
using Places = std::map<std::string, std::string>;

/// `name`: of one of its values; empty: the line as a whole.
void say_once(const Statement& statement, const std::string& name, Places& places) {
    const auto [first, fresh] = places.try_emplace(statement.word() + " " + name, statement.place());
    if (!fresh) statement.fail(fmt::format("{} is said twice, first in {}", name.empty() ? "it" : name, first->second));
}

void read_values(Statement& statement, std::string_view rest, Places& places) {
    const bool is_setting = std::ranges::find(settings, statement.word()) != settings.end();
    while (!rest.empty()) {
        const std::string word = extract_word(rest);
        const std::size_t sign = word.find('=');
        if (is_script(statement) && word == "->") statement.set("returns", extract_word(rest));
        else if (sign == std::string::npos) statement.add_word(word);
        else if (sign == 0) statement.fail("\"" + word + "\" is not name=value");
        else statement.set(word.substr(0, sign), word.substr(sign + 1));
        if (is_setting && sign != std::string::npos) say_once(statement, word.substr(0, sign), places);
    }
}

void read_sample(Scenario& scenario, const Statement& statement, const std::string& name) {
    if (!is_sample(name)) statement.fail("\"" + name + "\" is no sample, as fcvi/logout");
    scenario.samples.push_back(name);
}

void read_rule(
    Scenario& scenario, const Statement& statement, const std::string& id,
    const std::function<bool(std::string_view)>& is_rule) {
    if (is_rule && !is_rule(id)) statement.fail("there is no rule " + id + "; fabricscope rules lists them");
    if (std::ranges::find(scenario.finds, id) != scenario.finds.end()) statement.fail(id + " is said twice");
    scenario.finds.push_back(id);
}

/// A scenario of its own, which may be of another protocol.
Scenario read_beside(
    const Statement& statement, const std::string& file, const std::function<bool(std::string_view)>& is_rule,
    const LoadText& load) {
    if (file.empty()) statement.fail("which file? Its name is wanted behind it");
    const std::optional<std::string> text = load ? load(file) : std::nullopt;
    if (!text) statement.fail(file + " cannot be read");
    Scenario scenario;
    try {
        scenario = parse_scenario(*text, is_rule, load);
    } catch (const ScenarioError& error) {
        statement.fail(file + ": " + error.what());
    }
    if (!scenario.beside.empty()) statement.fail(file + " has others beside it itself");
    return scenario;
}

}  // namespace

Scenario parse_statements(
    std::string_view text, const std::function<bool(std::string_view)>& is_rule, const LoadText& load) {
    Scenario scenario;
    Places places;
    for (const Line& line : lines_of(text, load)) {
        std::string_view rest = line.text;
        const bool closed = std::ranges::count(rest, '"') % 2 == 0;
        Statement statement(place_of(line), extract_word(rest));
        const std::string& word = statement.word();
        if (!closed) statement.fail("a quotation mark is not closed: a second one is wanted behind the value");
        if (std::ranges::find(single_lines, word) != single_lines.end()) say_once(statement, "", places);
        if (word == "title") {
            scenario.title = rest;
        } else if (word == "clause") {
            scenario.clause = rest;
        } else if (word == "protocol") {
            scenario.protocol = rest;
        } else if (word == "finds") {
            while (!rest.empty()) read_rule(scenario, statement, extract_word(rest), is_rule);
        } else if (word == "sample") {
            while (!rest.empty()) read_sample(scenario, statement, extract_word(rest));
        } else if (word == "seed") {
            statement.set("seed", std::string(rest));
            scenario.seed = statement.number("seed", 1, UINT64_MAX);
        } else if (word == "beside") {
            scenario.beside.push_back(read_beside(statement, std::string(rest), is_rule, load));
        } else {
            read_values(statement, rest, places);
            scenario.statements.push_back(std::move(statement));
        }
    }
    return scenario;
}

Scenario parse_scenario(
    std::string_view text, const std::function<bool(std::string_view)>& is_rule, const LoadText& load) {
    Scenario scenario = parse_statements(text, is_rule, load);
    if (scenario.protocol.empty())
        throw ScenarioError("the scenario names no protocol: a line as \"protocol smc-r\" is wanted");
    return scenario;
}

}  // namespace fabricscope::synth
