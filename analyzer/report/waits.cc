// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/waits.h"

#include <algorithm>
#include <functional>

namespace fabricscope::report {

using namespace engine::smcr;

Time Wait::longest() const { return std::max(direction->blocked.total, direction->stalls.total); }

std::vector<Wait> waits_of(const Model& model) {
    std::vector<Wait> waits;
    for (const Connection& connection : model.connections) {
        if (connection.merged) continue;
        for (const Side side : {Side::client, Side::server})
            if (const Direction& direction = connection.from[side];
                direction.blocked.count + direction.stalls.count != 0)
                waits.push_back({connection.id, side, &direction});
    }
    std::ranges::stable_sort(waits, std::greater(), &Wait::longest);
    return waits;
}

}  // namespace fabricscope::report
