// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/scenario_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "replay/synth/scenario.h"

namespace fabricscope::synth {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr unsigned most_nested = 8;

std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        else if (line[i] == '#' && !quoted) return line.substr(0, i);
    }
    return line;
}

[[noreturn]] void fail(const Line& line, const std::string& problem) {
    throw ScenarioError(fmt::format("{}: {}", place_of(line), problem));
}

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    });
}

class LineCollector {
public:
    explicit LineCollector(const LoadText& load) : load_(load) {}

    void read(std::string_view text, const std::string& file, unsigned nested) {
        unsigned number = 0;
        while (!text.empty()) {
            Line line{file, number + 1, {}};
            bool goes_on = true;
            while (goes_on && !text.empty()) {
                ++number;
                const std::size_t end = text.find('\n');
                std::string_view part = trimmed(without_comment(text.substr(0, end)));
                text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
                goes_on = part.ends_with('\\');
                if (goes_on) part = trimmed(part.substr(0, part.size() - 1));
                if (!line.text.empty() && !part.empty()) line.text += ' ';
                line.text += part;
            }
            if (!line.text.empty()) take(std::move(line), nested);
        }
    }

    std::vector<Line> lines;

private:
    void take(Line line, unsigned nested) {
        line.text = expanded(line);
        std::string_view rest = line.text;
        const std::string word = extract_word(rest);
        if (word == "include") return include(line, std::string(rest), nested);
        if (word != "set") return lines.push_back(std::move(line));
        while (!rest.empty()) {
            const std::string assignment = extract_word(rest);
            const std::size_t sign = assignment.find('=');
            if (sign == std::string::npos || !is_name(std::string_view(assignment).substr(0, sign)))
                fail(line, "set: \"" + assignment + "\" is not name=value");
            variables_.insert_or_assign(assignment.substr(0, sign), assignment.substr(sign + 1));
        }
    }

    void include(const Line& line, const std::string& file, unsigned nested) {
        if (nested == most_nested)
            fail(line, fmt::format("include: more than {} files within each other", most_nested));
        if (file.empty()) fail(line, "include: which file? Its name is wanted behind it");
        const std::optional<std::string> text = load_ ? load_(file) : std::nullopt;
        if (!text) fail(line, "include: " + file + " cannot be read");
        read(*text, file, nested + 1);
    }

    /// With the values of $NAME and ${NAME}.
    std::string expanded(const Line& line) const {
        std::string text;
        for (std::string_view rest = line.text; !rest.empty();) {
            const std::size_t sign = rest.find('$');
            text += rest.substr(0, sign);
            if (sign == std::string_view::npos) break;
            rest.remove_prefix(sign + 1);
            text += value_of(line, extract_name(line, rest));
        }
        return text;
    }

    static std::string extract_name(const Line& line, std::string_view& rest) {
        const bool braced = rest.starts_with('{');
        if (braced) rest.remove_prefix(1);
        const auto end = std::ranges::find_if(rest, [](char c) { return !is_name({&c, 1}); });
        const std::string name(rest.begin(), end);
        rest.remove_prefix(name.size());
        if (name.empty() || (braced && !rest.starts_with('}'))) fail(line, "behind $ the name of a variable is wanted");
        if (braced) rest.remove_prefix(1);
        return name;
    }

    const std::string& value_of(const Line& line, const std::string& name) const {
        const auto found = variables_.find(name);
        if (found == variables_.end()) fail(line, "no variable has the name " + name + ": set " + name + "= is wanted");
        return found->second;
    }

    const LoadText& load_;
    std::map<std::string, std::string> variables_;
};

}  // namespace

std::string place_of(const Line& line) {
    return line.file.empty() ? fmt::format("line {}", line.number) : fmt::format("{}, line {}", line.file, line.number);
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string extract_word(std::string_view& rest) {
    std::string word;
    bool quoted = false;
    while (!rest.empty() && (quoted || blanks.find(rest.front()) == std::string_view::npos)) {
        if (rest.front() == '"') quoted = !quoted;
        else word.push_back(rest.front());
        rest.remove_prefix(1);
    }
    rest = trimmed(rest);
    return word;
}

std::vector<Line> lines_of(std::string_view text, const LoadText& load) {
    LineCollector collector(load);
    collector.read(text, "", 0);
    return std::move(collector.lines);
}

}  // namespace fabricscope::synth
