// SPDX-License-Identifier: GPL-2.0-or-later
// How frames come to the engine, and IUs to the tree.
#pragma once

#include "plugins/fcaerdma/record.h"

namespace fabricscope::plugin {

/// Of the capture that is open; otherwise nullptr.
const Record* current_record();

/// For each capture, and again when a changed preference makes Wireshark dissect it anew.
void begin_capture(const engine::fc_ae_rdma::Options& options);
void end_capture();

}  // namespace fabricscope::plugin
