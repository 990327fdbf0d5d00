// SPDX-License-Identifier: GPL-2.0-or-later
// What is new in an engine that is still being fed.
#pragma once

#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/observations/observation.h"
#include "program/reporting.h"

namespace fabricscope::cli {

/// Rules that were broken, and warnings and errors that a frame shows: what is missing may still come, and notes are
/// left for the summary.
class LiveNews {
public:
    /// Both have to live as long.
    LiveNews(const engine::Engine& engine, const ReportOptions& options) : engine_(engine), options_(options) {}

    /// Each once, with the frames that show it.
    std::vector<observations::Observation> take();

private:
    void take_findings(std::vector<observations::Observation>& news);
    void take_observations(std::vector<observations::Observation>& news);

    const engine::Engine& engine_;
    const ReportOptions& options_;
    std::array<std::size_t, engine::protocols.size()> findings_taken_{};  ///< by protocol
    std::set<std::pair<std::string, std::string>> taken_;                 ///< ids and sessions
};

}  // namespace fabricscope::cli
