// SPDX-License-Identifier: GPL-2.0-or-later
// What stands out, for people: observations, of which those that say the same of several sessions are one sentence.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/observations/observation.h"
#include "analyzer/report/results.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

struct Sentence {
    engine::Severity severity{};
    std::string text;                  ///< what was seen, of which sessions, and the id
    std::vector<std::string> details;  ///< cause and where to look; none for notes
};

/// Without rules that were broken: these are findings. `most`: how many sessions a sentence names, and how many
/// sentences of a kind there are.
std::vector<Sentence> what_stands_out(std::span<const observations::Observation> observations, std::size_t most);

/// Of a capture with none of the protocols: what it has, and why the rest may be missing. Empty if one is there.
std::vector<std::string> what_is_there_instead(const Results& results);

Ink ink_of(engine::Severity severity);

}  // namespace fabricscope::report
