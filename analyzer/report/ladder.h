// SPDX-License-Identifier: GPL-2.0-or-later
// Who said what to whom: the set-up of a connection, or all LLC of a link group, as a ladder.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/report/drawing.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

/// A message from one side to the other.
struct Rung {
    enum class Kind : std::uint8_t { tcp, clc, llc, data, refusal };

    engine::smcr::Step step;
    engine::smcr::Side from{};
    Kind kind{};
    std::string text;                             ///< "CONFIRM LINK reply, link 1"
    std::optional<engine::smcr::Time> latency{};  ///< since the message that it answers
};

struct Ladder {
    std::string title;             ///< "Set-up of smcr-1"
    std::string about;             ///< one line
    std::string client, server;    ///< names of the two sides
    engine::smcr::Time start = 0;  ///< of the capture; times count from here
    std::vector<Rung> rungs;       ///< in order of time
};

/// From the SYN to the first data, with the LLC messages of the link group in that time.
Ladder ladder_of(
    const engine::smcr::Connection& connection, const engine::smcr::Model& model, engine::smcr::Time start);
/// All LLC messages that the model keeps, and the set-ups of the group's connections.
Ladder ladder_of(const engine::smcr::LinkGroup& group, const engine::smcr::Model& model, engine::smcr::Time start);

/// At most 100 columns.
void write_ladder(std::ostream& out, const Ladder& ladder, const Style& style);
/// Ladders one below the other. `source` names the capture.
Drawing picture_of(const std::vector<Ladder>& ladders, const std::string& source);

}  // namespace fabricscope::report
