// SPDX-License-Identifier: GPL-2.0-or-later
// The made captures, without the captures: every scenario goes straight into the trackers, which find what its table
// says, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analyzer/engine/fc_protocols.h"
#include "capture/source.h"
#include "tests/traffic/fc_ae_rdma_dialogue.h"
#include "tests/traffic/fc_scenarios.h"

namespace fabricscope::engine {
namespace {

using Ids = std::vector<std::string>;

constexpr const char* annex_a = "--profile fc-ae-rdma-annex-a";

/// AERDMA-19 has to be told how large a region is; only its own scenario uses this Logical Unit.
FcProtocols::Options options_for(const traffic::FcScenario& scenario) {
    FcProtocols::Options options{.fcvi = true, .fc_ae_rdma = true};
    options.fc_ae_rdma_options.profile = scenario.options == annex_a ? Profile::avionics : Profile::standard;
    options.fc_ae_rdma_options.region_sizes.push_back({{0, traffic::FcAeRdmaDialogue::target_id}, 9, 0x1100});
    return options;
}

class Analysis {
public:
    explicit Analysis(const traffic::FcScenario& scenario) : protocols_(options_for(scenario)) {
        protocols_.ask(tracker_);
        for (const traffic::TimedFrame& frame : scenario.make()) take(frame);
        tracker_.finish();
        protocols_.finish();
    }
    Ids found() const {
        Ids ids;
        for (const auto* findings : {&protocols_.fcvi().findings, &protocols_.fc_ae_rdma().findings})
            for (const Finding& finding : *findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    std::string text() const {
        std::string text;
        for (const auto* findings : {&protocols_.fcvi().findings, &protocols_.fc_ae_rdma().findings})
            for (const Finding& finding : *findings) text += std::string(finding.rule->id) + ": " + finding.text + '\n';
        return text;
    }

private:
    void take(const traffic::TimedFrame& frame) {
        const traffic::Octets octets = traffic::as_fc2_with_delimiters(frame.frame);
        capture::Frame captured;
        captured.number = ++number_;
        captured.time = frame.time;
        captured.wire_length = static_cast<std::uint32_t>(octets.size());
        captured.data = octets;
        captured.link = capture::LinkType::fc2_with_delimiters;
        tracker_.on_packet(decode(captured));
    }

    FcProtocols protocols_;
    fibre_channel::Tracker tracker_{{}, &protocols_};
    std::uint64_t number_ = 0;
};

std::array<const std::vector<traffic::FcScenario>*, 4> tables() {
    return {
        &traffic::fcvi_scenarios(), &traffic::fcvi_violations(), &traffic::fc_ae_rdma_scenarios(),
        &traffic::fc_ae_rdma_violations()};
}

TEST(FcScenarios, EachIsFoundAsItsTableSays) {
    for (const auto* table : tables())
        for (const traffic::FcScenario& scenario : *table) {
            const Analysis analysis(scenario);
            EXPECT_EQ(analysis.found(), scenario.findings) << scenario.name << '\n' << analysis.text();
        }
}

TEST(FcScenarios, EachHasANameOfItsOwn) {
    for (const auto* table : tables()) {
        std::set<std::string> names;
        for (const traffic::FcScenario& scenario : *table)
            EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    }
}

TEST(FcScenarios, EachRuleIsBroken) {
    std::set<std::string> broken;
    for (const auto* table : {&traffic::fcvi_violations(), &traffic::fc_ae_rdma_violations()})
        for (const traffic::FcScenario& scenario : *table) {
            EXPECT_THAT(scenario.findings, testing::Not(testing::IsEmpty())) << scenario.name;
            broken.insert(scenario.findings.begin(), scenario.findings.end());
        }
    for (const Rule& rule : fcvi::kRules) EXPECT_TRUE(broken.contains(rule.id)) << rule.id;
    for (const Rule& rule : fc_ae_rdma::kRules) EXPECT_TRUE(broken.contains(rule.id)) << rule.id;
}

}  // namespace
}  // namespace fabricscope::engine
