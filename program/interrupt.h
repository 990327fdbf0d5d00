// SPDX-License-Identifier: GPL-2.0-or-later
// Ctrl-C, SIGTERM and the end of the terminal, for commands that report what they have by then.
#pragma once

namespace fabricscope::cli {

/// From now on the first signal sets interrupted(); one that comes half a second later, or after that, ends the
/// program.
void listen_to_signals();
bool interrupted();

}  // namespace fabricscope::cli
