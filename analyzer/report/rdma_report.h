// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of queue pairs.
#pragma once

#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport rdma_report;
extern const ColumnsElsewhere<engine::rdma::Model> rdma_columns;

void write_rdma(std::ostream& out, const Results& results, const SummaryOptions& options);

/// The operations that the model keeps of a stream, and what was refused or retransmitted.
Ladder ladder_of(const engine::rdma::Stream& stream, const engine::rdma::Model& model, engine::Time start);

void rdma_overview(const engine::Models& models, Overview& overview);
void rdma_fabric(const engine::Models& models, Fabric& fabric);

/// "WRITE"
const char* operation_words(engine::rdma::OperationType type);
/// "after a NAK": why something was retransmitted
const char* cause_words(engine::rdma::Cause cause);

/// What the side asked for, each octet once, over the time in which it asked or was answered; "-" if that is none.
std::string goodput_text(const engine::rdma::Stream& stream, engine::rdma::Side side);
/// What a share of them does not exceed: "20.2 us"; "-" if there are none.
std::string latency_text(const engine::Latencies& latencies, double share, bool unicode);
/// "192.0.2.10 QP 17"; the queue pair only if it is known.
std::string end_text(const engine::rdma::Endpoint& end);

std::unique_ptr<DetailListener> rdma_detail(const engine::rdma::Stream& stream);
/// That of the queue pairs that a CM connection set up; of none, if none of their packets were captured.
std::unique_ptr<DetailListener> cm_traffic_detail(const engine::rdma::Model& model, std::uint32_t connection);

}  // namespace fabricscope::report
