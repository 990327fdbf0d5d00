// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel for people.
#pragma once

#include <iosfwd>

#include "analyzer/engine/fc/model.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

void write_fc(std::ostream& out, const engine::fibre_channel::Model& model, const SummaryOptions& options);

/// What kept an Exchange from an ordinary end, "LS_RJT: logical busy, N_Port Login required"; empty if nothing did.
std::string trouble_of(const engine::fibre_channel::Exchange& exchange);

}  // namespace fabricscope::report
