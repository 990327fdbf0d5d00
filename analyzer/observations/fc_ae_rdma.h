// SPDX-License-Identifier: GPL-2.0-or-later
// What became of FC-AE-RDMA's messages, in words.
#pragma once

#include <string>

#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source fc_ae_rdma_source;

/// What kept a message from moving its data, "ended with WRITE PROTECT ERROR"; empty if nothing did.
std::string trouble_of(const engine::fc_ae_rdma::Message& message);

}  // namespace fabricscope::observations
