// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/pages.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace fabricscope::vipl {

/// /proc/PID/maps has a line for each stretch of pages with equal permissions, by address: "BEGIN-END rw-p ...".
Pages pages_of(std::span<const std::uint8_t> octets) {
    auto at = reinterpret_cast<std::uintptr_t>(octets.data());
    const std::uintptr_t end = at + octets.size();
    Pages worst = Pages::writable;
    std::ifstream maps("/proc/self/maps");
    if (!maps) return Pages::writable;  // nobody tells: /proc is not everywhere
    for (std::string line; at < end && std::getline(maps, line);) {
        std::size_t used = 0;
        const std::uintptr_t begins = std::stoul(line, &used, 16);
        const std::string rest = line.substr(used + 1);
        const std::uintptr_t ends = std::stoul(rest, &used, 16);
        if (ends <= at) continue;
        if (begins > at || rest.at(used + 1) != 'r') return Pages::none;
        if (rest.at(used + 2) != 'w') worst = Pages::read_only;
        at = ends;
    }
    return at < end ? Pages::none : worst;
}

}  // namespace fabricscope::vipl
