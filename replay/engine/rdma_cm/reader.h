// SPDX-License-Identifier: GPL-2.0-or-later
// Connections of RDMA CM, and resolutions of datagram services, as sessions: "cm-1".
#pragma once

#include "replay/engine/player.h"

namespace fabricscope::replay::rdma_cm {

std::unique_ptr<Reader> make_reader();

}  // namespace fabricscope::replay::rdma_cm
