// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/comments.h"

#include <fmt/format.h>

namespace fabricscope::report {
namespace {

std::string comment_of(const engine::Finding& finding) {
    return fmt::format(
        "{} {}{}{}: {} [{}]", finding.rule->id, name_of(finding.rule->severity), finding.session.empty() ? "" : ", ",
        finding.session, finding.text, finding.rule->clause);
}

}  // namespace

capture::Comments comments_of(const Results& results) {
    capture::Comments comments;
    for (const engine::Finding* finding : results.findings) {
        const std::string comment = comment_of(*finding);
        for (const std::uint64_t frame : finding->frames) {
            const bool evidence = frame != finding->frames.back();
            comments[frame].push_back(
                evidence ? comment + fmt::format("; evidence for frame {}", finding->frames.back()) : comment);
        }
    }
    return comments;
}

}  // namespace fabricscope::report
