// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack {

/// Takes those out of the list whose time `at` has come; their order stays.
template <class Timer> std::vector<Timer> take_due(std::vector<Timer>& timers, Time now) {
    std::vector<Timer> due;
    std::erase_if(timers, [&](const Timer& timer) {
        if (timer.at > now) return false;
        due.push_back(timer);
        return true;
    });
    return due;
}

}  // namespace fabricscope::stack
