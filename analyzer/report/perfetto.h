// SPDX-License-Identifier: GPL-2.0-or-later
// What went on as a trace that ui.perfetto.dev opens: lanes as tracks, slices as slices, cursors as counters, on the
// wall clock.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "analyzer/report/overview.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

/// `generator` names the program, and stands near the beginning. `listeners` tell of arrows; nullptr: there are none.
void write_perfetto(
    std::ostream& out, const engine::Engine& engine, const Overview& overview, std::string_view generator,
    const FrameListeners* listeners = nullptr);

}  // namespace fabricscope::report
