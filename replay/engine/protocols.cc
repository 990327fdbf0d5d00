// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "replay/engine/fc/session.h"
#include "replay/engine/player.h"
#include "replay/engine/rdma_cm/reader.h"
#include "replay/engine/smcr/reader.h"

namespace fabricscope::replay {

std::span<const Protocol> protocols() {
    static constexpr std::array table{
        Protocol{"smcr", smcr::make_reader}, Protocol{"rdma-cm", rdma_cm::make_reader},
        Protocol{"fc", fibre_channel::make_reader}};
    return table;
}

}  // namespace fabricscope::replay
