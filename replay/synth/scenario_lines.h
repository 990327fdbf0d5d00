// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of a scenario before they are understood: comments gone, lines that end in "\" joined, variables replaced,
// included files in their places.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::synth {

struct Line {
    std::string file;  ///< empty: the scenario's own
    unsigned number = 0;
    std::string text;  ///< not empty, without blanks around
};

/// "line 3", "more.scenario, line 3"
std::string place_of(const Line& line);

/// The text of a file that a scenario names; nothing if it cannot be read.
using LoadText = std::function<std::optional<std::string>(const std::string& file)>;

/// Throws ScenarioError. `set NAME=VALUE` lines are followed, and left out.
std::vector<Line> lines_of(std::string_view text, const LoadText& load);

// What follows takes words off a line.
std::string_view trimmed(std::string_view text);
/// A word up to a blank; between quotation marks blanks belong to it. `rest` loses it.
std::string extract_word(std::string_view& rest);

}  // namespace fabricscope::synth
