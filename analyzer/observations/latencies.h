// SPDX-License-Identifier: GPL-2.0-or-later
// What took far longer than the like of it, whatever was done.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

/// What can be compared: the same operation of the same side, of a size between the same powers of two.
struct Like {
    std::uint32_t session = 0;  ///< id
    unsigned side = 0, operation = 0;
    std::uint64_t bytes = 0;
};

struct Timed {
    engine::Time took = 0;
    std::uint64_t first = 0, last = 0;  ///< frames
};

class ComparedTimes {
public:
    void add(const Like& like, const Timed& timed);

    /// Says of each session that something took 20 times as long as the median of its like, and a millisecond more, if
    /// there are enough to tell. `noun` is "operation", `name` a session's.
    void observe(
        const Kind& kind, const char* noun, std::string (*name)(std::uint32_t session), Observations& observations) &&;

private:
    struct Class {
        std::uint32_t session = 0;
        unsigned side = 0, operation = 0;
        int size = 0;  ///< powers of two
        auto operator<=>(const Class&) const = default;
    };
    struct One {
        Class of;
        Timed timed;
    };
    std::vector<One> all_;
};

}  // namespace fabricscope::observations
