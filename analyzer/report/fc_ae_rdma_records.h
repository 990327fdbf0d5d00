// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages and memory regions as records.
#pragma once

#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/report/records.h"

namespace fabricscope::report {

/// "fc-ae-rdma-3"
std::string fc_ae_rdma_message_name(std::uint64_t id);
/// "fc-ae-rdma-region-3"
std::string fc_ae_rdma_region_name(std::uint32_t id);

Json record_of(const engine::fc_ae_rdma::Message& message, const Clock& clock);
/// With the address ranges that were read and written.
Json record_of(const engine::fc_ae_rdma::Region& region);
/// What was left out because a limit was reached.
Json limits_record(const engine::fc_ae_rdma::Model& model);

}  // namespace fabricscope::report
