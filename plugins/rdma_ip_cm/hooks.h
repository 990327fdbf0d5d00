// SPDX-License-Identifier: GPL-2.0-or-later
// How frames come to the engine, and messages to the tree.
#pragma once

#include "plugins/rdma_ip_cm/record.h"

namespace fabricscope::plugin {

/// Of the capture that is open; otherwise nullptr.
const Record* current_record();

/// For each capture, and again when a changed preference makes Wireshark dissect it anew.
void begin_capture(const engine::rdma_cm::Options& options, bool write_columns);
void end_capture();

}  // namespace fabricscope::plugin
