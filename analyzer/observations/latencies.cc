// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "analyzer/observations/words.h"

namespace fabricscope::observations {
namespace {

using engine::Time;

constexpr Time times_the_median = 20;
constexpr Time at_least = capture::millisecond;  // above the median; less is nobody's trouble
constexpr std::size_t enough = 20;               // of a class, to say what is ordinary

/// Of one session.
struct Outliers {
    std::uint64_t all = 0, count = 0;
    Timed slowest;
    Time median = 0;  ///< of the slowest one's like
};

void judge(std::vector<Timed>& all, Outliers& found) {
    found.all += all.size();
    if (all.size() < enough) return;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle, {}, &Timed::took);
    const Time median = middle->took;
    for (const Timed& one : all) {
        if (one.took < median * times_the_median || one.took - median < at_least) continue;
        ++found.count;
        if (one.took <= found.slowest.took) continue;
        found.slowest = one;
        found.median = median;
    }
}

}  // namespace

void ComparedTimes::add(const Like& like, const Timed& timed) {
    all_.push_back({{like.session, like.side, like.operation, static_cast<int>(std::bit_width(like.bytes))}, timed});
}

void ComparedTimes::observe(
    const Kind& kind, const char* noun, std::string (*name)(std::uint32_t session), Observations& observations) && {
    std::set<std::uint32_t> slow;  // sessions; in the others nothing can stand out
    for (const One& one : all_)
        if (one.timed.took >= at_least) slow.insert(one.of.session);
    std::map<Class, std::vector<Timed>> classes;
    for (const One& one : all_)
        if (slow.contains(one.of.session)) classes[one.of].push_back(one.timed);
    std::map<std::uint32_t, Outliers> sessions;
    for (auto& [like, all] : classes) judge(all, sessions[like.session]);
    for (const auto& [session, found] : sessions) {
        if (found.count == 0) continue;
        Observation& o = observations.add(
            kind, name(session), frames_of({found.slowest.first, found.slowest.last}),
            fmt::format(
                "{} of {} took far longer than others of their kind: up to {}, with a median of {}",
                grouped(found.count), counted(found.all, noun), duration_text(found.slowest.took),
                duration_text(found.median)));
        o.count = found.count;
    }
}

}  // namespace fabricscope::observations
