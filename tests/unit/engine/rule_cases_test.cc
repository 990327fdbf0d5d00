// SPDX-License-Identifier: GPL-2.0-or-later
// Each rule of FC-VI and FC-AE-RDMA is broken by an edited scenario (tests/traffic/*.rules): it is found, and nothing
// else.
#include <gmock/gmock.h>

#include <set>

#include "analyzer/engine/engine.h"
#include "tests/traffic/rule_cases.h"

namespace fabricscope::engine {
namespace {

using Ids = std::vector<std::string>;

/// AERDMA-19 has to be told how large a region is; only its own cases use this Logical Unit.
Options options_for(const traffic::RuleCase& of) {
    constexpr std::uint32_t target = 0x01'0200;
    Options options{.smcr = false};
    options.fc_protocols.fcvi = options.fc_protocols.fc_ae_rdma = true;
    fc_ae_rdma::Options& rdma = options.fc_protocols.fc_ae_rdma_options;
    rdma.profile = of.options.starts_with("--profile") ? Profile::avionics : Profile::standard;
    if (of.options.starts_with("--region")) rdma.region_sizes.push_back({{0, target}, 9, 0x1100});
    return options;
}

TEST(RuleCases, EachIsFoundAndNothingElse) {
    for (const traffic::RuleCases& table : traffic::all_rule_cases())
        for (const traffic::RuleCase& of : table.cases()) {
            Engine engine(options_for(of));
            const traffic::Recording recording = table.recording_of(of);
            traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine.on_frame(frame); });
            engine.finish();
            Ids found;
            std::string text;
            for (const Finding* finding : engine.findings()) {
                found.emplace_back(finding->rule->id);
                text += found.back() + ": " + finding->text + '\n';
            }
            EXPECT_THAT(found, testing::UnorderedElementsAreArray(of.findings)) << of.name << ", " << of.happens << '\n'
                                                                                << text;
        }
}

TEST(RuleCases, EachHasANameOfItsOwn) {
    std::set<std::string> names;
    for (const traffic::RuleCases& table : traffic::all_rule_cases())
        for (const traffic::RuleCase& of : table.cases()) EXPECT_TRUE(names.insert(of.name).second) << of.name;
}

TEST(RuleCases, EachRuleIsBrokenAlone) {
    std::set<std::string> alone;
    for (const traffic::RuleCases& table : traffic::all_rule_cases())
        for (const traffic::RuleCase& of : table.cases())
            if (std::set(of.findings.begin(), of.findings.end()).size() == 1) alone.insert(of.findings.front());
    alone.insert("VI-R9");  // who answers too early was sent something too early
    for (const Rule* rule : rules()) {
        const std::string_view id = rule->id;
        const bool has_a_table = !id.starts_with("SMCR-") && !id.starts_with("IPCM-");
        EXPECT_TRUE(!has_a_table || alone.contains(rule->id)) << id;
    }
}

}  // namespace
}  // namespace fabricscope::engine
