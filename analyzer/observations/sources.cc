// SPDX-License-Identifier: GPL-2.0-or-later
// The list of those who observe, which is all that has to know of a new one.
#include <array>

#include "analyzer/observations/capture.h"
#include "analyzer/observations/fc.h"
#include "analyzer/observations/fc_ae_rdma.h"
#include "analyzer/observations/fcvi.h"
#include "analyzer/observations/packets.h"
#include "analyzer/observations/rdma.h"
#include "analyzer/observations/rdma_cm.h"
#include "analyzer/observations/smcr.h"

namespace fabricscope::observations {

std::span<const Source* const> sources() {
    // What is built on Fibre Channel comes before it: the carrier leaves out what they have told.
    static constexpr std::array all{&smcr_source, &packets_source,    &rdma_source, &rdma_cm_source,
                                    &fcvi_source, &fc_ae_rdma_source, &fc_source,   &capture_source};
    return all;
}

}  // namespace fabricscope::observations
