// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's guesses about what a connection carries, kept to what the connection's service id says.
#pragma once

#include <cstdint>
#include <string_view>

namespace fabricscope::plugin::rdma_cm {

/// Whether a connection to the service may carry what the protocol's heuristic dissector looks for:
///   - it is known for a ULP: that ULP's only, if there is one;
///   - it is known for none: those that ask for the service id themselves (their preferences have the ports).
bool may_be_guessed(std::string_view protocol, std::uint64_t service_id);

}  // namespace fabricscope::plugin::rdma_cm
