// SPDX-License-Identifier: GPL-2.0-or-later
// What happens during a live capture: a line for each session and finding as it appears, and a line that counts, if
// stderr is a terminal.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/reporting.h"

namespace fabricscope::cli {

class LiveDisplay {
public:
    /// Both have to live as long. With JSON, which is for programs, there are no lines on standard output.
    LiveDisplay(const engine::Engine& engine, const ReportOptions& options);
    ~LiveDisplay();
    LiveDisplay(const LiveDisplay&) = delete;
    LiveDisplay& operator=(const LiveDisplay&) = delete;

    /// To be called often; looks at the engine twice a second.
    void update();
    /// What has not been shown yet.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    void show_news();
    void show_counts();
    void hide_counts();
    void show_sessions();
    void show_findings(std::span<const engine::Finding> findings, std::size_t& shown);
    void show_observations();
    void say(const std::string& line);

    const engine::Engine& engine_;
    const ReportOptions& options_;
    bool terminal_;
    bool counts_shown_ = false;
    std::map<const report::SessionKind*, std::size_t> sessions_shown_;
    std::array<std::size_t, engine::protocols.size()> findings_shown_{};  ///< per protocol
    std::set<std::pair<std::string, std::string>> observations_shown_;    ///< ids and sessions
    Clock::time_point next_;
};

}  // namespace fabricscope::cli
