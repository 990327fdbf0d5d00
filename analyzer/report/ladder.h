// SPDX-License-Identifier: GPL-2.0-or-later
// Who said what to whom as a ladder. Those of a protocol come from its NAME_ladder.cc.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/sides.h"
#include "analyzer/report/drawing.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

/// A message from one side to the other.
struct Rung {
    enum class Kind : std::uint8_t { tcp, clc, llc, cm, control, data, refusal };

    engine::FrameStamp step;
    engine::Side from{};
    Kind kind{};
    std::string text;                       ///< "CONFIRM LINK reply, link 1"
    std::optional<engine::Time> latency{};  ///< since the message that it answers
};

struct Ladder {
    std::string title;           ///< "Set-up of smcr-1"
    std::string about;           ///< one line
    std::string client, server;  ///< names of the two sides
    engine::Time start = 0;      ///< of the capture; times count from here
    std::vector<Rung> rungs;     ///< in order of time
    const char* client_role = "client";
    const char* server_role = "server";
};

Colour colour_of(Rung::Kind kind);
void sort_by_time(std::vector<Rung>& rungs);
/// ": 8,192 bytes in 4 frames, 1 of them missing"; empty if there are no data
std::string amount_text(std::uint64_t octets, std::uint64_t frames, std::uint64_t missing = 0);

/// At most 100 columns.
void write_ladder(std::ostream& out, const Ladder& ladder, const Style& style);
/// A row for each rung, under a header.
void write_ladder_csv(std::ostream& out, const std::vector<Ladder>& ladders);
/// Ladders one below the other. `source` names the capture.
Drawing picture_of(const std::vector<Ladder>& ladders, const std::string& source);

}  // namespace fabricscope::report
