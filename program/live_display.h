// SPDX-License-Identifier: GPL-2.0-or-later
// What happens during a live capture: a line for each session and finding as it appears, and a line that counts, if
// stderr is a terminal.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "analyzer/observations/observation.h"
#include "program/reporting.h"

namespace fabricscope::cli {

class LiveDisplay {
public:
    /// Both have to live as long. With JSON, which is for programs, there are no lines on standard output.
    LiveDisplay(const engine::Engine& engine, const ReportOptions& options);
    ~LiveDisplay();
    LiveDisplay(const LiveDisplay&) = delete;
    LiveDisplay& operator=(const LiveDisplay&) = delete;

    /// Sessions that have begun since, the news, and the counts.
    void show(std::span<const observations::Observation> news);
    /// A line of its own.
    void say(const std::string& line);
    /// Before the summary.
    void finish();

private:
    void show_counts();
    void hide_counts();
    void show_sessions();

    const engine::Engine& engine_;
    const ReportOptions& options_;
    bool terminal_;
    bool counts_shown_ = false;
    std::map<const report::SessionKind*, std::size_t> sessions_shown_;
};

}  // namespace fabricscope::cli
