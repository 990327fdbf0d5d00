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

/// "reason 28, consumer reject: RDMA IP CM service, IP version"
std::string reason_text(const engine::rdma_cm::RejectSeen& reject);

/// A socket where the service tells it, the port's address otherwise, "?" if neither is known.
std::string end_text(const engine::rdma_cm::Connection& connection, engine::Side side);

}  // namespace fabricscope::report
