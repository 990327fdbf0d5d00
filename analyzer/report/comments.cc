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

std::string comment_of(const observations::Observation& observation) {
    std::string text = fmt::format(
        "{} {}{}{}: {}.", observation.id, name_of(observation.severity), observation.session.empty() ? "" : ", ",
        observation.session, observation.text);
    if (!observation.cause.empty()) text += " " + observation.cause;
    if (!observation.look.empty()) text += " Look at: " + observation.look;
    return text;
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
    for (const observations::Observation& observation : results.observations) {
        // Findings are there already, and notes are of what is ordinary.
        if (observation.kind == nullptr || observation.severity == engine::Severity::note || observation.frames.empty())
            continue;
        const std::uint64_t last = observation.frames.back();
        for (const std::uint64_t frame : observation.frames)
            comments[frame].push_back(
                frame == last ? comment_of(observation)
                              : fmt::format("{}: {}; see frame {}", observation.id, observation.text, last));
    }
    return comments;
}

}  // namespace fabricscope::report
