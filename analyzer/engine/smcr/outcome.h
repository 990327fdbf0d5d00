// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a connection, when the capture has ended (RFC 7609, 3.5 and 4.8).
#pragma once

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// What of a connection was captured whole.
struct Seen {
    bool setup = false;            ///< all that both sides had sent over TCP when the first of them ended it
    PerSide<bool> side{};          ///< anything that this side sent over its link group
    bool link = false;             ///< all packets of its link group, and there were some
    bool to_tcps_end = true;       ///< what its link group sent until TCP ended, but for packets known to be missing
    PerSide<bool> last_message{};  ///< nothing is missing behind this side's latest CDC message
    Time heard_until = 0;          ///< when the one of its link group's sides was last heard that was heard less long
};

/// final_outcome() returns the outcome of a connection of which no more is to come. What CLC has decided stays. After
/// CONFIRM nothing on TCP says that all went well; but if it had not, there would be a DECLINE or a reset.
Outcome final_outcome(const Connection& connection, const Seen& seen);

/// final_close() returns how a connection ended, whose `outcome` is final: SMC-R by the CDC flags of both sides,
/// anything else by TCP.
Close final_close(const Connection& connection, const Seen& seen);

/// Whether the capture tells what this side sent over RoCE for a connection whose `outcome` is final. Where SMC-R did
/// not come up that was nothing.
bool tells_of(Side side, const Connection& connection, const Seen& seen);

}  // namespace fabricscope::engine::smcr
