// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/live_news.h"

namespace fabricscope::cli {

using observations::Observation;

std::vector<Observation> LiveNews::take() {
    std::vector<Observation> news;
    take_findings(news);
    take_observations(news);
    return news;
}

void LiveNews::take_findings(std::vector<Observation>& news) {
    const auto outcomes = engine_.outcomes();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto& findings = outcomes[i].findings;
        for (std::size_t& taken = findings_taken_[i]; taken < findings.size(); ++taken) {
            const engine::Finding& finding = findings[taken];
            if (!is_chosen(*finding.rule, options_)) continue;
            news.push_back(
                {.id = finding.rule->id,
                 .severity = finding.rule->severity,
                 .session = finding.session,
                 .frames = finding.frames,
                 .text = finding.text});
        }
    }
}

void LiveNews::take_observations(std::vector<Observation>& news) {
    const engine::Models models = engine_.models();
    for (Observation& o : observations::observe({.models = models, .capture = engine_.capture()})) {
        if (o.severity == engine::Severity::note || o.frames.empty()) continue;
        if (taken_.emplace(o.id, o.session).second) news.push_back(std::move(o));
    }
}

}  // namespace fabricscope::cli
