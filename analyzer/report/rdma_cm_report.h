// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of RDMA CM connections.
#pragma once

#include <string>

#include "analyzer/observations/rdma_cm.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport rdma_cm_report;
extern const ColumnsElsewhere<engine::rdma_cm::Model> rdma_cm_columns;

bool add_rdma_cm_fields(FrameLayers& layers);

void write_rdma_cm(std::ostream& out, const engine::rdma_cm::Model& model, const SummaryOptions& options);

/// The CM messages that the model keeps, and when each side's data began.
Ladder ladder_of(const engine::rdma_cm::Connection& connection, engine::Time start);

void rdma_cm_overview(const engine::Models& models, Overview& overview);
void rdma_cm_fabric(const engine::Models& models, Fabric& fabric);

/// "cm-3"
std::string cm_connection_name(std::uint32_t id);

using observations::reason_text;
using observations::why_not;

/// "rc tcp, NVMe-oF"
std::string service_text(const engine::rdma_cm::Connection& connection);
/// Whether what `from` sent is known: something was captured, or the connection did not come to be, or `from` set it up
/// and was silent while the other one was not. What goes to a queue pair that is not known is not known either.
inline bool is_traffic_known(const engine::rdma_cm::Connection& connection, engine::Side from) {
    using engine::rdma_cm::Outcome;
    if (connection.from[from].packets != 0) return true;
    if (connection.began_before) return false;
    const bool failed = connection.outcome == Outcome::rejected || connection.outcome == Outcome::timeout;
    const bool heard = from == engine::Side::client || connection.rep;
    if (!failed && !connection.end[other(from)].qpn) return false;
    return failed || (heard && connection.from[other(from)].packets != 0);
}

/// A socket where the service tells it, the port's address otherwise, "?" if neither is known.
std::string end_text(const engine::rdma_cm::Connection& connection, engine::Side side);

}  // namespace fabricscope::report
