// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a connection, when the capture has ended (RFC 7609, 3.5 and 4.8).
#pragma once

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// final_outcome() returns the outcome of a connection of which no more is to come. What CLC has decided stays. After
/// CONFIRM nothing on TCP says that all went well; but if it had not, there would be a DECLINE or a reset.
Outcome final_outcome(const Connection& connection);

/// final_close() returns how a connection ended, whose `outcome` is final: SMC-R by the CDC flags of both sides,
/// anything else by TCP.
Close final_close(const Connection& connection);

}  // namespace fabricscope::engine::smcr
