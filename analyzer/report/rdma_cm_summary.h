// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA CM connections for people.
#pragma once

#include <iosfwd>

#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

void write_rdma_cm(std::ostream& out, const engine::rdma_cm::Model& model, const SummaryOptions& options);

/// Why a connection did not come about, "rejected by the server with ..."; empty if it did.
std::string why_not(const engine::rdma_cm::Connection& connection);

}  // namespace fabricscope::report
