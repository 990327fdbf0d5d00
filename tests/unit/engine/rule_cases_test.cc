// SPDX-License-Identifier: GPL-2.0-or-later
// Each rule is broken by an edited scenario or capture (tests/traffic/*.rules): it is found, and nothing else.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "analyzer/engine/engine.h"
#include "tests/traffic/rule_cases.h"

namespace fabricscope::engine {
namespace {

using Ids = std::vector<std::string>;

/// As the program's are. AERDMA-19 has to be told how large a region is; only its own cases use this Logical Unit.
Options options_for(const traffic::RuleCase& of, std::size_t interfaces) {
    constexpr std::uint32_t target = 0x01'0200;
    Options options = following_all(static_cast<std::uint32_t>(interfaces));
    if (of.options == "--profile rfc7609")
        options.smcr_options.profile = options.rdma_cm_options.profile = Profile::standard;
    fc_ae_rdma::Options& rdma = options.fc_protocols.fc_ae_rdma_options;
    rdma.profile = of.options == "--profile fc-ae-rdma-annex-a" ? Profile::avionics : Profile::standard;
    if (of.options.starts_with("--region")) rdma.region_sizes.push_back({target, 9, 0x1100});
    return options;
}

/// Calls `check` with each table and each of its cases.
template <class Check> void for_each_case(Check check) {
    for (const traffic::RuleCases& table : traffic::all_rule_cases())
        for (const traffic::RuleCase& of : table.cases()) check(table, of);
}

void expect_findings(const traffic::RuleCases& table, const traffic::RuleCase& of) try {
    const traffic::Recording recording = table.recording_of(of);
    Engine engine(options_for(of, recording.interfaces.size()));
    traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine.on_frame(frame); });
    engine.finish();
    Ids found;
    std::string text;
    for (const Finding* finding : engine.findings()) {
        found.emplace_back(finding->rule->id);
        text += fmt::format("\n  {} in {}: {}", found.back(), fmt::join(finding->frames, ", "), finding->text);
    }
    std::ranges::sort(found);
    if (found == of.findings) return;
    ADD_FAILURE_AT(table.path().c_str(), static_cast<int>(of.line)) << fmt::format(
        "{}: {}\nexpected: {}\nfound:    {}{}", of.name, of.happens, fmt::join(of.findings, " "), fmt::join(found, " "),
        text);
} catch (const std::runtime_error& error) {
    ADD_FAILURE_AT(table.path().c_str(), static_cast<int>(of.line)) << error.what();
}

TEST(RuleCases, EachIsFoundAndNothingElse) { for_each_case(expect_findings); }

TEST(RuleCases, EachHasANameOfItsOwn) {
    std::set<std::string> names;
    for_each_case(
        [&](const auto&, const traffic::RuleCase& of) { EXPECT_TRUE(names.insert(of.name).second) << of.name; });
}

TEST(RuleCases, EachRuleIsBrokenAlone) {
    std::set<std::string> alone;
    for_each_case([&](const auto&, const traffic::RuleCase& of) {
        if (std::set(of.findings.begin(), of.findings.end()).size() == 1) alone.insert(of.findings.front());
    });
    alone.insert("VI-R9");                     // who answers too early was sent something too early
    alone.insert("FCVI-47");                   // a response that comes late breaks FCVI-32
    alone.insert("IPCM-CA11-8");               // what a server lacks, no message shows
    alone.insert("IPCM-11");                   // what is edited gets a right ICRC
    alone.insert({"AERDMA-51", "AERDMA-52"});  // what is wrong in the page, AERDMA-16 says
    for (const Rule* rule : rules()) EXPECT_TRUE(alone.contains(rule->id)) << rule->id;
}

}  // namespace
}  // namespace fabricscope::engine
