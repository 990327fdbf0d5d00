// SPDX-License-Identifier: GPL-2.0-or-later
// What the tree and the Info column say of a packet of a stream; Wireshark has shown its octets.
#pragma once

#include <span>

#include "plugins/rdma/plugin.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin::rdma {

std::span<const ExpertKind> experts();

/// `with_columns`: whether Info is ours to write, if nobody above InfiniBand has written it.
void show(const Display& display, const Record& record, const Visit& visit, const FrameFacts& facts, bool with_columns);

}  // namespace fabricscope::plugin::rdma
