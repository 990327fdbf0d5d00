// SPDX-License-Identifier: GPL-2.0-or-later
// Who had to wait for room in its peer's RMB element, and for how long.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::report {

struct Wait {
    std::uint32_t connection = 0;
    engine::smcr::Side side{};  ///< who waited
    const engine::smcr::Direction* direction = nullptr;

    /// In all; the writer's word and the cursors may differ.
    engine::smcr::Time longest() const;
};

/// Every direction that had to wait, the longest first.
std::vector<Wait> waits_of(const engine::smcr::Model& model);

}  // namespace fabricscope::report
