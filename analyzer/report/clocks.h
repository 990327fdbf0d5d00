// SPDX-License-Identifier: GPL-2.0-or-later
// Whether captures of several hosts agree on the time.
//
// An answer comes after its question. Where the question stands in one file and the answer in another, and
// the answer has the earlier time, the clocks differ by that much at least. Clocks that differ by less than
// the network takes contradict nothing, and cannot be told apart from right ones. Where both files hold the same
// frames, these tell how much the clocks differ.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/engine/protocols.h"
#include "analyzer/report/results.h"
#include "capture/duplicate_filter.h"

namespace fabricscope::report {

/// The frames whose places clock_warnings() wants to know.
std::set<std::uint64_t> frames_with_an_order(const engine::Models& models);

/// One sentence for each two files that contradict each other; none if `places` is empty.
std::vector<std::string> clock_warnings(const engine::Models& models, const std::map<std::uint64_t, Place>& places);
/// The same where both files hold the same frames.
std::vector<std::string> clock_warnings(
    const capture::DuplicateFilter::ClockOffset& offset, const std::map<std::uint64_t, Place>& places);

}  // namespace fabricscope::report
