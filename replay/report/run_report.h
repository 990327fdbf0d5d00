// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a run, for people and for programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/report/json_value.h"
#include "analyzer/report/style.h"
#include "replay/engine/comparison.h"

namespace fabricscope::replay {

struct RunReport {
    std::string session;  ///< "smcr-1"
    std::string about;    ///< "192.0.2.10:38234 > 192.0.2.20:18001, smc-r"
    Side played{};
    std::string target;  ///< "emulated:linux"
    std::string speed;   ///< "fast", "recorded", "2x"
    const Conversation& recorded;
    const Conversation& actual;
    const Comparison& comparison;
    bool over = false;        ///< everything was played, and what was waited for came
    std::string waiting_for;  ///< if not
    std::string broken_off;   ///< why the run ended before its time; empty: it did not
    std::string refusal;      ///< why there was no peer to play against; empty: there was one
    std::string proof;        ///< what "same" says, and what it does not; empty: all that it seems to
    std::vector<std::string> notes;

    /// Nothing differs but what is left to implementations.
    bool same() const { return over && refusal.empty() && comparison.same(); }
};

struct TextOptions {
    report::Style style;
    bool ladder = true;      ///< both runs side by side
    std::size_t rows = 200;  ///< of each list, at most
};

void write_text(std::ostream& out, const RunReport& report, const TextOptions& options);
/// A line for a table of many runs: "same", or what differs first.
std::string in_short(const RunReport& report);
/// `messages`: both runs side by side, too.
report::Json json_of(const RunReport& report, bool messages = true);

}  // namespace fabricscope::replay
