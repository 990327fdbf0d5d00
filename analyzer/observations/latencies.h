// SPDX-License-Identifier: GPL-2.0-or-later
// What took far longer than the like of it, whatever was done.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

struct Timed {
    std::uint32_t session = 0;         ///< id
    unsigned side = 0, operation = 0;  ///< below 256
    std::uint64_t bytes = 0;
    engine::Time took = 0;
    std::uint64_t first = 0, last = 0;  ///< frames
};

class ComparedTimes {
public:
    static constexpr engine::Time at_least = capture::millisecond;  ///< above the median; less is nobody's trouble

    /// `timed` says of a record how long it took, or nothing. Where all of a kind were fast none can stand out: of
    /// these nothing is kept.
    template <class Records, class TimedOf> ComparedTimes(const Records& records, TimedOf timed) {
        for (const auto& record : records)
            if (const std::optional<Timed> one = timed(record); one && one->took >= at_least) note_slow(*one);
        if (classes_.empty()) return;
        for (const auto& record : records)
            if (const std::optional<Timed> one = timed(record); one && is_slow(one->session)) take(*one);
    }

    /// Says of each session that something took 20 times as long as the median of its like, and a millisecond more, if
    /// there are enough to tell. `noun` is "operation", `name` a session's.
    void observe(
        const Kind& kind, const char* noun, std::string (*name)(std::uint32_t session), Observations& observations) &&;

private:
    /// Of one session.
    struct Outliers {
        std::uint64_t count = 0;
        const Timed* slowest = nullptr;
        engine::Time median = 0;  ///< of the slowest one's like
    };
    /// What can be compared: the same operation of the same side, of a size between the same powers of two.
    static std::uint64_t likeness(const Timed& one) {
        return std::uint64_t{one.session} << 32 | one.side << 16 | one.operation << 8 |
               static_cast<unsigned>(std::bit_width(one.bytes));
    }
    static void judge(std::vector<Timed>& alike, Outliers& found);

    void note_slow(const Timed& one) {
        if (one.session >= timed_.size()) timed_.resize(one.session + 1);
        timed_[one.session] = 0;
        classes_[likeness(one)];
    }
    bool is_slow(std::uint32_t session) const { return session < timed_.size() && timed_[session]; }
    void take(const Timed& one) {
        ++*timed_[one.session];
        if (const auto found = classes_.find(likeness(one)); found != classes_.end()) found->second.push_back(one);
    }

    // Of sessions and of kinds that had slow ones.
    std::vector<std::optional<std::uint64_t>> timed_;      ///< how many in all, by session
    std::map<std::uint64_t, std::vector<Timed>> classes_;  ///< by likeness
};

}  // namespace fabricscope::observations
