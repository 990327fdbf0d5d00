// SPDX-License-Identifier: GPL-2.0-or-later
// Where there are no raw frames.
#include "replay/load/load_run.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {

LoadRun run_load(LoadPlan, const LoadWay&, const std::function<void()>&, const std::function<bool()>&) {
    throw TransportError("loads are made on Linux only");
}

}  // namespace fabricscope::replay
