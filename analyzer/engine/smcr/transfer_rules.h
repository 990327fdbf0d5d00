// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the data's way: WRITEs, CDC messages, cursors, close and failover (RFC 7609, 4).
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/verdicts.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::smcr {

class TransferRules {
public:
    TransferRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// A packet of an RDMA WRITE, not a repeated one, whether or not its RMB is known.
    void on_write_packet(const Arrival& a, const capture::RcEvent& event);

private:
    const Model& model_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
