// SPDX-License-Identifier: GPL-2.0-or-later
// A TCP segment that has found its connection: what the rules of the set-up need.
#pragma once

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// What SYN (of the client) and SYN-ACK (of the server) said.
struct Handshake {
    PerSide<std::optional<bool>> option;  ///< whether it carried the SMC option; nullopt: not known
    PerSide<std::uint64_t> frame{};       ///< 0 = not captured

    /// Whether both carried it where they were captured.
    bool agreed() const { return option[Side::client] == true && option[Side::server] == true; }
};

/// Order in time says little about what a side knew when it sent something, its acknowledgments say
/// all: they count what has arrived, wherever the capture was made.
struct TcpArrival {
    const Connection& connection;
    Side from;
    FrameStamp step;
    const Handshake& handshake;
    std::optional<std::int32_t> received;  ///< octets of the other side's stream that had arrived at the sender
    std::optional<std::int32_t> unseen;    ///< how many of these are behind the CLC messages in this capture
    bool psn_captured = true;              ///< of ACCEPT and CONFIRM: their last field, the initial PSN
};

}  // namespace fabricscope::engine::smcr
