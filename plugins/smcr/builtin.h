// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's own SMC dissector and ours: who comes first.
#pragma once

#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin::smcr {

/// Takes the heuristics of Wireshark's dissector "smc" out of their lists, or puts them back.
///
/// Its InfiniBand heuristic looks neither at the opcode nor at the queue pair, so it claims RDMA WRITEs
/// of anybody whose octets look right; its TCP heuristic claims what is none of CLC. Switching them
/// off (their "enabled") would be written to the user's profile; taking them out is not.
void replace_builtin_decode(bool replace);

/// While it lasts, payloads of InfiniBand packets are offered to `handle` first. Wireshark offers them
/// to heuristics first, RPC-over-RDMA's among them, which claims LLC messages; and these change their
/// order with every match. Nothing of the user's settings remains changed afterwards. What has begun or ended already
/// stays as it is.
void begin_infiniband_turn(dissector_handle_t handle);
void end_infiniband_turn();

}  // namespace fabricscope::plugin::smcr
