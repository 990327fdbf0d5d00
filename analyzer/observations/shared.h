// SPDX-License-Identifier: GPL-2.0-or-later
// What several sources of observations tell of.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "analyzer/engine/sides.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

/// 0: it did not happen, or was not captured.
inline std::uint64_t frame_of(const std::optional<engine::FrameStamp>& step) { return step ? step->frame : 0; }

/// Packets of a queue pair, whatever speaks over it.
struct PacketCounts {
    std::uint64_t packets = 0, repeated = 0, naks = 0, rnr_naks = 0;
    std::uint64_t repeated_for_rnr = 0;  ///< of those that were repeated, as far as it is known
};

/// Says of a queue pair that packets were retransmitted, if enough were, and that its peer was not ready. nullptr:
/// there is nothing to say of the former. `frames` and `rnr_frames` show the one and the other.
Observation* observe_packets(
    Observations& observations, const std::string& session, const PacketCounts& counts,
    std::vector<std::uint64_t> frames, std::vector<std::uint64_t> rnr_frames = {});

/// What a limit kept out.
struct LeftOut {
    std::uint64_t count = 0;
    std::string_view noun;
    std::string_view limit{};  ///< the name by which `--limit` sets it; empty: it cannot be set
};

/// Says how much of a protocol limits kept out.
void observe_limits(Observations& observations, std::initializer_list<LeftOut> left_out);

}  // namespace fabricscope::observations
