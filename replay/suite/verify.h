// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a suite, and says of each run whether it is the same as its recording.
#pragma once

#include <functional>

#include "replay/suite/manifest.h"
#include "replay/suite/recording.h"

namespace fabricscope::replay {

enum class Verdict : std::uint8_t {
    same,
    accepted,  ///< nothing differs but what is accepted
    differs,
    not_run,   ///< no peer, no session, or a command that failed
    left_out,  ///< of all sessions of a recording, one that cannot be replayed
};
/// "same", "accepted", "differs", "not run", "left out"
const char* name_of(Verdict verdict);

/// One session, played by one side against one target.
struct CaseResult {
    std::string entry, session, target;
    std::optional<Side> side;  ///< nothing: it did not come to that
    Verdict verdict = Verdict::not_run;
    std::string text;                   ///< why it is not the same, in a line
    std::vector<std::string> accepted;  ///< what is, with its reason
    std::vector<std::string> notes;     ///< of the run
    std::vector<Acceptance> used;       ///< that it needed
    std::vector<Acceptance> news;       ///< what would accept the rest
    double seconds = 0;                 ///< that it took
    report::Json report;                ///< of the run; null if there was none
};

struct VerifySettings {
    std::vector<PlaySettings> targets;  ///< with target, target_name, address and interface
    unsigned jobs = 1;                  ///< recordings that are played at once against emulated sides
    std::function<bool()> stop{};       ///< whether all is to end
    /// As cases come to their ends, one call at a time, from any thread.
    std::function<void(const CaseResult&)> on_result{};
};

/// Results in the order of targets and of the manifest.
std::vector<CaseResult> verify(const Suite& suite, const VerifySettings& settings);

/// The acceptances of `before` that these results still need, and new ones for what differs. What was not run keeps
/// what it had.
Baseline updated(const Baseline& before, const std::vector<CaseResult>& results, const std::string& reason);

/// Whether the acceptance is about what differs.
bool fits(const Acceptance& acceptance, const CaseResult& of, const Difference& difference);

}  // namespace fabricscope::replay
