// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages and the memory that they moved, for people.
#pragma once

#include <iosfwd>

#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

void write_fc_ae_rdma(std::ostream& out, const engine::fc_ae_rdma::Model& model, const SummaryOptions& options);

/// What kept a message from moving its data, "ended with WRITE PROTECT ERROR"; empty if nothing did.
std::string trouble_of(const engine::fc_ae_rdma::Message& message);

}  // namespace fabricscope::report
