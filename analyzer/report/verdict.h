// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong in a capture and what stands out in it, as one list, the worst first: for the viewer and for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/overview.h"
#include "analyzer/report/results.h"

namespace fabricscope::report {

struct Trouble {
    engine::Severity severity{};
    std::string text{};
    std::string session{};                ///< empty: none; of several the first
    std::vector<std::uint64_t> frames{};  ///< that show it
    std::string rule{};                   ///< empty: no rule was broken
    std::string clause{};
};

/// `overview`: what sessions there are that a sentence may name.
std::vector<Trouble> troubles_of(const Results& results, const Overview& overview);

}  // namespace fabricscope::report
