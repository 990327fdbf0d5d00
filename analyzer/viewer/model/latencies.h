// SPDX-License-Identifier: GPL-2.0-or-later
// How long operations took, and how long each step of a set-up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

struct Latency {
    Time time = 0;
    const Slice* slice = nullptr;
    std::size_t node = 0;
};
/// Of the operations of a branch and all below it, or of everything; those first that took longest. `label`: of
/// operations that are called so; empty: of all.
std::vector<Latency> latencies_of(
    const Recording& recording, std::optional<std::size_t> node, const std::string& label = {});
/// That so large a share did not exceed (nearest rank). There is one at least.
Time percentile_of(const std::vector<Latency>& latencies, double share);
/// What timed operations of a branch are called.
std::vector<std::string> operations_of(const Recording& recording, std::optional<std::size_t> node);

/// The steps of a session's set-up, from the first to the last.
struct SetUp {
    std::size_t node = 0;
    std::vector<const Slice*> steps{};  ///< in order of time
    Time begin = 0, end = 0;
};
/// Of a branch and all below it, or of everything; those first that took longest.
std::vector<SetUp> set_ups_of(const Recording& recording, std::optional<std::size_t> node);

}  // namespace fabricscope::viewer
