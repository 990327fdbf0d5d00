// SPDX-License-Identifier: GPL-2.0-or-later
// What the tree and the Info column say of a packet of a stream; Wireshark has shown its octets.
#pragma once

#include <span>

#include "plugins/rdma/plugin.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin::rdma {

std::span<const ExpertKind> experts();

/// Whether Info says no more than Wireshark's InfiniBand dissector does: nobody above it has written it.
bool is_info_free(const Display& display);

void show(const Display& display, const Record& record, const Visit& visit, const FrameFacts& facts, bool with_info);

}  // namespace fabricscope::plugin::rdma
