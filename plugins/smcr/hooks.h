// SPDX-License-Identifier: GPL-2.0-or-later
// How frames come to the engine, and payloads to us.
#pragma once

#include "analyzer/engine/smcr/tracker.h"
#include "plugins/smcr/record.h"

namespace fabricscope::plugin {

/// Of the capture that is open; otherwise nullptr.
const Record* current_record();

/// For each capture, and again when a changed preference makes Wireshark dissect it anew.
void begin_capture(const engine::smcr::Options& options, bool replace_builtin);
void end_capture();

}  // namespace fabricscope::plugin
