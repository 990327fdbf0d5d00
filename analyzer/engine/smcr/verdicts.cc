// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

std::string to_string(Subject subject) {
    return (subject.kind == Subject::Kind::connection ? "smcr-" : "lg-") + std::to_string(subject.id);
}

void Verdicts::undecided(RuleName name, const char* why) {
    Tally& t = tally(name);
    ++t.undecided;
    if (t.why == nullptr) t.why = why;
}

void Verdicts::broken(RuleName name, std::vector<std::uint64_t> frames, Subject subject, std::string text) {
    ++tally(name).broken;
    const Finding finding{&rule(name), std::move(frames), to_string(subject), std::move(text)};
    observer_.on_finding(finding);
    const std::uint64_t key = std::uint64_t{subject.id} << 16 | static_cast<std::uint64_t>(subject.kind) << 8 |
                              static_cast<std::uint64_t>(name);
    const bool room = model_.findings.size() < options_.limits.findings;
    if (room && kept_[key]++ < options_.limits.findings_of_a_kind) model_.findings.push_back(finding);
    else ++model_.dropped_findings;
}

void Verdicts::habit(RuleName name, std::vector<std::uint64_t> frames, Subject subject, std::string text) {
    if (options_.profile == Profile::standard) broken(name, std::move(frames), subject, std::move(text));
    else ++tally(name).excused;
}

}  // namespace fabricscope::engine::smcr
