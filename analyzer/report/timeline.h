// SPDX-License-Identifier: GPL-2.0-or-later
// How the cursors of one connection moved: charts and numbers for people, rows for programs.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

/// What a CDC message's flags said about the direction of its sender.
struct CdcFlagsSeen {
    engine::smcr::Time time = 0;
    bool writer_blocked = false;
    bool urgent = false;
    bool sending_done = false, closed = false, aborted = false;
};

struct Timeline {
    const engine::smcr::Connection& connection;  ///< with both directions' timelines
    engine::smcr::Time start = 0;                ///< of the capture; times count from here
    engine::smcr::PerSide<std::vector<CdcFlagsSeen>> flags;
};

/// Octets that can be in flight at most; empty if that is not known.
std::optional<std::uint64_t> capacity_of(const engine::smcr::Direction& direction);
/// The capacity, unless what is in flight would vanish beside it.
std::uint64_t scale_of(const engine::smcr::Direction& direction);

void write_timeline(std::ostream& out, const Timeline& timeline, const Style& style);
/// Columns: time, frame, direction, produced, consumed, in_flight, window.
void write_timeline_csv(std::ostream& out, const Timeline& timeline);

}  // namespace fabricscope::report
