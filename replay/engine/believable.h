// SPDX-License-Identifier: GPL-2.0-or-later
// How much a recording may make a run take up. Addresses, positions and lengths in it are numbers that one flipped bit
// moves by gigabytes: they are believed as far as what was captured is in proportion to them.
#pragma once

#include <cstdint>

#include "replay/engine/conversation.h"

namespace fabricscope::replay {

/// Octets that numbers may claim beyond what was captured.
inline constexpr std::uint64_t most_claimed = std::uint64_t{64} << 20;

/// Octets of memory that a run of this recording may have for what its messages read and write.
inline std::uint64_t believable_octets(const Conversation& recorded) {
    std::uint64_t octets = most_claimed;
    for (const Message& message : recorded.messages) octets += message.octets.size();
    return octets;
}

}  // namespace fabricscope::replay
