// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/live_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "analyzer/report/units.h"

namespace fabricscope::cli {
namespace {

double seconds(engine::Time time) { return static_cast<double>(time) / 1e9; }

/// "; SMC-R 1, RDMA CM 0"
std::string counts_of(const engine::Engine& engine) {
    std::string text;
    for (const report::ProtocolReport* report : report::protocol_reports())
        if (!carries_others(*report))
            text += fmt::format(
                "{} {} {}", text.empty() ? ";" : ",", report->protocol.title, report->sessions.front().count(engine));
    return text;
}

}  // namespace

LiveDisplay::LiveDisplay(const engine::Engine& engine, const ReportOptions& options)
    : engine_(engine), options_(options), terminal_(::isatty(STDERR_FILENO) != 0) {}

LiveDisplay::~LiveDisplay() { hide_counts(); }

void LiveDisplay::show(std::span<const observations::Observation> news) {
    if (!options_.json()) {
        show_sessions();
        for (const observations::Observation& o : news)
            say(fmt::format(
                "{} {} {} in frame {}: {}", o.session, name_of(o.severity), o.id,
                o.frames.empty() ? 0 : o.frames.back(), o.text));
        std::fflush(stdout);
    }
    show_counts();
}

void LiveDisplay::finish() {
    hide_counts();
    if (!options_.json()) fmt::print("\n");
}

void LiveDisplay::show_sessions() {
    for (const report::ProtocolReport* report : report::protocol_reports())
        for (const report::SessionKind& kind : report->sessions) {
            if (kind.ends == nullptr) continue;
            for (std::size_t& shown = sessions_shown_[&kind]; shown < kind.count(engine_); ++shown)
                say(fmt::format(
                    "{}{} {}: {}", kind.prefix, kind.at(engine_, shown).id, report->protocol.title,
                    kind.ends(engine_, shown)));
        }
}

void LiveDisplay::say(const std::string& line) {
    if (options_.json()) return;
    hide_counts();
    fmt::print("{:>9.3f}  {}\n", seconds(engine_.capture().duration), line);
}

void LiveDisplay::show_counts() {
    if (!terminal_) return;
    const engine::CaptureSummary& capture = engine_.capture();
    fmt::print(
        stderr, "\r\x1b[K{:.3f} s, {}{}; {}", seconds(capture.duration), report::counted(capture.frames, "frame"),
        counts_of(engine_), report::counted(engine_.findings().size(), "finding"));
    counts_shown_ = true;
}

void LiveDisplay::hide_counts() {
    if (counts_shown_) fmt::print(stderr, "\r\x1b[K");
    counts_shown_ = false;
}

}  // namespace fabricscope::cli
