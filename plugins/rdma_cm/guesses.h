// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's guesses about what a connection carries, kept to what the connection's service id says.
#pragma once

#include "plugins/rdma_cm/record.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin::rdma_cm {

/// Finds out which heuristic dissectors there are. For each capture: the user, and other plugins, take some out of
/// their lists or put them back.
void find_guesses();
void forget_guesses();

/// While it lasts, what a connection's packets and CM's private data hold is guessed only by those heuristic dissectors
/// that the service id allows:
///   - it is known for a ULP: that ULP's, if there is one;
///   - it is known for none: those that ask for the service id themselves (their preferences have the ports);
///   - it was not captured: all.
/// The others are switched off, and as they were afterwards. Dissectors that the user chose by Decode As are not
/// guesses.
void keep_guesses_off(const Connection& connection);
void allow_guesses();

}  // namespace fabricscope::plugin::rdma_cm
