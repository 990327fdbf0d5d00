// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/observations/words.h"

namespace fabricscope::observations {

void ComparedTimes::judge(std::vector<Timed>& alike, Outliers& found) {
    constexpr engine::Time times_the_median = 20;
    constexpr std::size_t enough = 20;  // of a class, to say what is ordinary
    if (alike.size() < enough) return;
    const auto middle = alike.begin() + static_cast<std::ptrdiff_t>(alike.size() / 2);
    std::ranges::nth_element(alike, middle, {}, &Timed::took);
    const engine::Time median = middle->took;
    for (const Timed& one : alike) {
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
    for (auto& [likeness, alike] : classes_) judge(alike, sessions[alike.front().session]);
    for (const auto& [session, found] : sessions) {
        if (found.slowest == nullptr) continue;
        Observation& o = observations.add(
            kind, name(session), frames_of({found.slowest->first, found.slowest->last}),
            fmt::format(
                "{} of {} took far longer than others of their kind: up to {}, with a median of {}",
                grouped(found.count), counted(*timed_[session], noun), duration_text(found.slowest->took),
                duration_text(found.median)));
        o.count = found.count;
    }
}

}  // namespace fabricscope::observations
