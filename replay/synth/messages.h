// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios of the protocol messages: every message is written down, with its fields. Nobody answers by itself: what
// each side says stands there, and the composer adds what follows of itself (sequence numbers, checksums, PSNs, ICRC).
#pragma once

#include "replay/engine/conversation.h"
#include "replay/synth/message_channels.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// A message of the script, where the recording has it.
struct Composed {
    Side from{};
    std::size_t frame = 0;                      ///< in Recording::frames, from 1
    std::vector<replay::Tolerance> tolerances;  ///< see docs/scenarios.md
    std::string damage;                         ///< "line 7: icrc=wrong"; empty: it is as it should be
};

/// As a scenario names it.
inline constexpr const char* messages_protocol = "messages";

/// `composed` may be null.
Recording run_messages(const Scenario& scenario, std::vector<Composed>* composed);

}  // namespace fabricscope::synth
