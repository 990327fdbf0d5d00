// SPDX-License-Identifier: GPL-2.0-or-later
// Which traffic breaks which rule: tables in text files beside this one, NAME.rules.
//
// A case is a line, and what stands indented below it; blank lines, and those whose first character is #, mean nothing.
//
//     scenario rr                                  traffic for what follows, in the words of docs/scenarios.md;
//         protocol fcvi                            scenarios of samples/scenarios have their own names
//         connect level=reliable-reception messages=1
//
//     FCVI-04   rr   an IU has opcode 33h          the rule (_ and what follows tells cases of a rule apart),
//         FCVI_SEND_RQST set fcvi.opcode=0x33      the scenario, what happens, and how the scenario is edited (edit.h);
//                                                  real/smcr_v1_echo is a capture of samples/
//         also FCVI-05                             what else is found
//         options --profile fc-ae-rdma-annex-a     of analyze
//     kept_FCVI-04 rr ...                           nothing is found
#pragma once

#include <filesystem>
#include <map>

#include "tests/traffic/edit.h"

namespace fabricscope::traffic {

struct RuleCase {
    /// A line of the table.
    struct Edit {
        unsigned line = 0;
        std::string text;
    };

    std::string name;
    std::string scenario;
    std::string happens;
    std::vector<std::string> findings;  ///< rules, in order of their ids, as often as they are found
    std::string options;
    std::vector<Edit> edits;
    unsigned line = 0;  ///< in the table, from 1
};

class RuleCases {
public:
    /// Throws std::runtime_error.
    explicit RuleCases(const std::filesystem::path& path);

    const std::vector<RuleCase>& cases() const { return cases_; }
    const std::filesystem::path& path() const { return path_; }
    /// The scenario, edited. Throws EditError, which names the table's line.
    Recording recording_of(const RuleCase& of) const;

private:
    const Recording& played(const std::string& scenario) const;

    std::filesystem::path path_;
    std::vector<RuleCase> cases_;
    std::map<std::string, std::string> scenarios_;         ///< text by name
    mutable std::map<std::string, Recording> recordings_;  ///< of scenarios that have been played
};

/// The tables of all protocols; read once.
const std::vector<RuleCases>& all_rule_cases();

}  // namespace fabricscope::traffic
