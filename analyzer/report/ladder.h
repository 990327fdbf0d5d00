// SPDX-License-Identifier: GPL-2.0-or-later
// Who said what to whom as a ladder: the set-up of a connection, all LLC of a link group, the messages
// of an RDMA CM connection; fc_ladder.h makes those of Fibre Channel.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/engine/smcr/model.h"
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

/// From the SYN to the first data, with the LLC messages of the link group in that time.
Ladder ladder_of(const engine::smcr::Connection& connection, const engine::smcr::Model& model, engine::Time start);
/// All LLC messages that the model keeps, and the set-ups of the group's connections.
Ladder ladder_of(const engine::smcr::LinkGroup& group, const engine::smcr::Model& model, engine::Time start);
/// The CM messages that the model keeps, and when each side's data began.
Ladder ladder_of(const engine::rdma_cm::Connection& connection, engine::Time start);

/// At most 100 columns.
void write_ladder(std::ostream& out, const Ladder& ladder, const Style& style);
/// Ladders one below the other. `source` names the capture.
Drawing picture_of(const std::vector<Ladder>& ladders, const std::string& source);

}  // namespace fabricscope::report
