// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "analyzer/observations/words.h"

namespace fabricscope::observations {

Like::Like(std::uint32_t the_session, unsigned the_side, unsigned the_operation, std::uint64_t bytes)
    : session(the_session), side(the_side), operation(the_operation), size(static_cast<int>(std::bit_width(bytes))) {}

void ComparedTimes::judge(std::vector<Timed>& all, Outliers& found) {
    constexpr engine::Time times_the_median = 20;
    constexpr std::size_t enough = 20;  // of a class, to say what is ordinary
    found.all += all.size();
    if (all.size() < enough) return;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle, {}, &Timed::took);
    const engine::Time median = middle->took;
    for (const Timed& one : all) {
        if (one.took < median * times_the_median || one.took - median < at_least) continue;
        ++found.count;
        if (found.slowest != nullptr && one.took <= found.slowest->took) continue;
        found.slowest = &one;
        found.median = median;
    }
}

void ComparedTimes::observe(
    const Kind& kind, const char* noun, std::string (*name)(std::uint32_t session), Observations& observations) && {
    std::map<std::uint32_t, Outliers> sessions;
    for (auto& [like, all] : classes_) judge(all, sessions[like.session]);
    for (const auto& [session, found] : sessions) {
        if (found.slowest == nullptr) continue;
        Observation& o = observations.add(
            kind, name(session), frames_of({found.slowest->first, found.slowest->last}),
            fmt::format(
                "{} of {} took far longer than others of their kind: up to {}, with a median of {}",
                grouped(found.count), counted(found.all, noun), duration_text(found.slowest->took),
                duration_text(found.median)));
        o.count = found.count;
    }
}

}  // namespace fabricscope::observations
