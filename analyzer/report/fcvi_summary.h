// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI connections for people.
#pragma once

#include <iosfwd>

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/report/ladder.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

void write_fcvi(std::ostream& out, const engine::fcvi::Model& model, const SummaryOptions& options);

/// Why a connection did not come about, "refused by the server: Connect Reject"; empty if it did.
std::string why_not(const engine::fcvi::Connection& connection);

/// The connection's IUs, as far as the model keeps them.
Ladder ladder_of(const engine::fcvi::Connection& connection, engine::Time start);

}  // namespace fabricscope::report
