// SPDX-License-Identifier: GPL-2.0-or-later
// Which traffic breaks which rule: tables in text files beside this one, NAME.rules.
//
//     scenario rr                                  traffic for what follows, in the words of docs/scenarios.md;
//         protocol fcvi                            scenarios of samples/scenarios have their own names
//         connect level=reliable-reception messages=1
//
//     FCVI-04   rr   an IU has opcode 33h          the rule (_ and what follows tells cases of a rule apart),
//         FCVI_SEND_RQST set fcvi.opcode=0x33      the scenario, what happens, and how the scenario is edited (edit.h)
//         also FCVI-05                             what else is found
//         options --profile fc-ae-rdma-annex-a     of analyze
//     kept_FCVI-04 rr ...                           nothing is found
#pragma once

#include <filesystem>
#include <map>

#include "tests/traffic/edit.h"

namespace fabricscope::traffic {

struct RuleCase {
    std::string name;
    std::string scenario;
    std::string happens;
    std::vector<std::string> findings;  ///< rules, in order of their ids, as often as they are found
    std::string options;
    std::vector<std::string> edits;
};

class RuleCases {
public:
    /// Throws std::runtime_error.
    explicit RuleCases(const std::filesystem::path& path);

    const std::vector<RuleCase>& cases() const { return cases_; }
    /// The scenario, edited. Throws EditError, which names the case.
    Recording recording_of(const RuleCase& of) const;

private:
    std::vector<RuleCase> cases_;
    std::map<std::string, std::string> scenarios_;         ///< text by name
    mutable std::map<std::string, Recording> recordings_;  ///< of scenarios that have been played
};

/// The tables of all protocols.
std::vector<RuleCases> all_rule_cases();

}  // namespace fabricscope::traffic
