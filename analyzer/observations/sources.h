// SPDX-License-Identifier: GPL-2.0-or-later
// The sources of observations, each defined in the file of its name, and what they share.
#pragma once

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source capture_source;
extern const Source smcr_source;
extern const Source packets_source;
extern const Source rdma_cm_source;
extern const Source fcvi_source;
extern const Source fc_ae_rdma_source;
extern const Source fc_source;

/// Packets of a queue pair, whatever speaks over it.
struct PacketCounts {
    std::uint64_t packets = 0, repeated = 0, naks = 0, rnr_naks = 0;
};

/// Says of a queue pair that packets were sent again, if enough were. nullptr: there is nothing to say.
Observation* observe_packets(
    Observations& observations, const std::string& session, const PacketCounts& counts,
    std::vector<std::uint64_t> frames);

}  // namespace fabricscope::observations
