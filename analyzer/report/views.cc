// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <vector>

#include "analyzer/report/protocol.h"

namespace fabricscope::report {
namespace {

constexpr std::array views_of_findings{
    View{
        "findings_per_rule", "Which rules were broken, and how often?",
        "SELECT f.rule, f.severity, count(*) AS findings, count(DISTINCT f.session) AS sessions,\n"
        "    r.clause, r.sentence\n"
        "FROM findings f JOIN rules r ON r.id = f.rule GROUP BY f.rule ORDER BY count(*) DESC"},
    View{
        "undecided_rules", "What could not be judged from this capture, and why?",
        "SELECT rule, undecided, held, why_undecided, evidence\n"
        "FROM rule_results x JOIN rules r ON r.id = x.rule WHERE undecided > 0 ORDER BY undecided DESC"},
    View{
        "findings_by_frame", "What was found, in order of frames?",
        "SELECT x.frame, x.places_file, x.places_frame, f.rule, f.severity, f.session, f.text\n"
        "FROM finding_frames x JOIN findings f ON f.id = x.finding ORDER BY x.frame"},
};

}  // namespace

std::span<const View> views() {
    static const std::vector<View> all = [] {
        std::vector<View> list;
        for (const ProtocolReport* report : protocol_reports())
            list.insert(list.end(), report->views.begin(), report->views.end());
        list.insert(list.end(), views_of_findings.begin(), views_of_findings.end());
        return list;
    }();
    return all;
}

}  // namespace fabricscope::report
