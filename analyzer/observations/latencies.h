// SPDX-License-Identifier: GPL-2.0-or-later
// What took far longer than the like of it, whatever was done.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

/// What can be compared: the same operation of the same side, of a size between the same powers of two.
struct Like {
    Like(std::uint32_t the_session, unsigned the_side, unsigned the_operation, std::uint64_t bytes);

    std::uint32_t session;  ///< id
    unsigned side, operation;
    int size;  ///< powers of two
    auto operator<=>(const Like&) const = default;
};

struct Timed {
    Like like;
    engine::Time took = 0;
    std::uint64_t first = 0, last = 0;  ///< frames
};

class ComparedTimes {
public:
    static constexpr engine::Time at_least = capture::millisecond;  ///< above the median; less is nobody's trouble

    /// `timed` says of a record how long it took, or nothing. Where all were fast nothing can stand out: of these
    /// sessions nothing is kept.
    template <class Records, class TimedOf> ComparedTimes(const Records& records, TimedOf timed) {
        std::set<std::uint32_t> slow;
        for (const auto& record : records)
            if (const std::optional<Timed> one = timed(record); one && one->took >= at_least)
                slow.insert(one->like.session);
        if (slow.empty()) return;
        for (const auto& record : records)
            if (const std::optional<Timed> one = timed(record); one && slow.contains(one->like.session))
                classes_[one->like].push_back(*one);
    }

    /// Says of each session that something took 20 times as long as the median of its like, and a millisecond more, if
    /// there are enough to tell. `noun` is "operation", `name` a session's.
    void observe(
        const Kind& kind, const char* noun, std::string (*name)(std::uint32_t session), Observations& observations) &&;

private:
    /// Of one session.
    struct Outliers {
        std::uint64_t all = 0, count = 0;
        const Timed* slowest = nullptr;
        engine::Time median = 0;  ///< of the slowest one's like
    };
    static void judge(std::vector<Timed>& all, Outliers& found);

    std::map<Like, std::vector<Timed>> classes_;
};

}  // namespace fabricscope::observations
