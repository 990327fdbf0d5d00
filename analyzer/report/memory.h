// SPDX-License-Identifier: GPL-2.0-or-later
// Who wrote and read where in memory that both ends share, and when. That of a protocol comes from its
// NAME_overview.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/sides.h"

namespace fabricscope::report {

struct Access {
    engine::Time begin = 0;
    engine::Time end = 0;
    std::uint64_t address = 0;
    std::uint64_t octets = 0;
    std::uint64_t frame = 0;
    bool writes = false;
    std::string by;  ///< empty: the memory's title tells
};

struct Memory {
    std::string title;
    std::optional<std::uint64_t> size;  ///< octets, from address 0; nothing: that is not known
    std::vector<Access> accesses;
};

}  // namespace fabricscope::report
