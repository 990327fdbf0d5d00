// SPDX-License-Identifier: GPL-2.0-or-later
// Ladders of Fibre Channel: the Sequences of an Exchange, the messages of FC-AE-RDMA, the Information Units of FC-VI.
#pragma once

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/engine/fcvi/model.h"
#include "analyzer/report/ladder.h"

namespace fabricscope::report {

/// The Sequences that the model keeps, and the abort.
Ladder ladder_of(const engine::fibre_channel::Exchange& exchange, engine::Time start);
/// The message's Exchange, which is sought in `fc`.
Ladder ladder_of(
    const engine::fc_ae_rdma::Message& message, const engine::fibre_channel::Model& fc, engine::Time start);
/// The IUs that the model keeps, and the aborts.
Ladder ladder_of(const engine::fcvi::Connection& connection, engine::Time start);

}  // namespace fabricscope::report
