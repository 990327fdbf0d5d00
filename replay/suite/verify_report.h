// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a suite, for people, for programs and for continuous integration.
#pragma once

#include <iosfwd>
#include <span>

#include "analyzer/report/style.h"
#include "replay/suite/verify.h"

namespace fabricscope::replay {

struct VerdictCounts {
    std::size_t same = 0, accepted = 0, differs = 0, not_run = 0, left_out = 0;
    std::size_t all() const { return same + accepted + differs + not_run + left_out; }
};
VerdictCounts counts_of(std::span<const CaseResult> results);
/// "58 same, 2 accepted, 1 differs"
std::string text_of(const VerdictCounts& counts);

/// A line for each case that is not the same, or for all.
void write_text(
    std::ostream& out, const Suite& suite, std::span<const CaseResult> results, const report::Style& style, bool all);
report::Json json_of(const Suite& suite, std::span<const CaseResult> results);
/// JUnit's XML, as Jenkins, GitLab and others read it: a test suite for each recording and target.
void write_junit(std::ostream& out, const Suite& suite, std::span<const CaseResult> results);

}  // namespace fabricscope::replay
