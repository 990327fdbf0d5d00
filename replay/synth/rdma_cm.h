// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol rdma-cm: a client and a server with RDMA adapters.
#pragma once

#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

Recording run_rdma_cm(const Scenario& scenario);

}  // namespace fabricscope::synth
