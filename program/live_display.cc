// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/live_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "analyzer/observations/observation.h"
#include "analyzer/report/units.h"

namespace fabricscope::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto interval = 500ms;

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
    : engine_(engine), options_(options), terminal_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + interval) {}

LiveDisplay::~LiveDisplay() { hide_counts(); }

void LiveDisplay::update() {
    if (Clock::now() < next_) return;
    show_news();
    show_counts();
    next_ = Clock::now() + interval;
}

void LiveDisplay::finish() {
    show_news();
    hide_counts();
    if (!options_.json()) fmt::print("\n");
}

void LiveDisplay::show_news() {
    if (options_.json()) return;
    show_sessions();
    const auto outcomes = engine_.outcomes();
    for (std::size_t i = 0; i < outcomes.size(); ++i) show_findings(outcomes[i].findings, findings_shown_[i]);
    show_observations();
    std::fflush(stdout);
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

void LiveDisplay::show_findings(std::span<const engine::Finding> findings, std::size_t& shown) {
    for (; shown < findings.size(); ++shown) {
        const engine::Finding& finding = findings[shown];
        if (!is_chosen(*finding.rule, options_)) continue;
        say(fmt::format(
            "{} {} {} in frame {}: {}", finding.session, name_of(finding.rule->severity), finding.rule->id,
            finding.frames.empty() ? 0 : finding.frames.back(), finding.text));
    }
}

/// Only what a frame shows: what is missing may still come. Notes are left for the summary.
void LiveDisplay::show_observations() {
    const engine::Models models = engine_.models();
    for (const observations::Observation& o : observations::observe({.models = models, .capture = engine_.capture()})) {
        if (o.severity == engine::Severity::note || o.frames.empty()) continue;
        if (!observations_shown_.emplace(o.id, o.session).second) continue;
        say(fmt::format("{} {} {} in frame {}: {}", o.session, name_of(o.severity), o.id, o.frames.back(), o.text));
    }
}

void LiveDisplay::say(const std::string& line) {
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
