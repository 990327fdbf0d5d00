// SPDX-License-Identifier: GPL-2.0-or-later
// Each rule: traffic that breaks just it, and nothing else is found.
#include "analyzer/engine/smcr/rules.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine::smcr {
namespace {

using namespace test;
using enum Side;

TEST(Rules, HealthyTrafficBreaksNone) {
    World w;
    w.connect(1, true);
    w.connect(2, false);
    w.write(client, 0x5002, 0, {1, 2, 3});
    w.cdc(client, 0x102, 1, {0, 3}, {0, 0});
    EXPECT_EQ(found(w), Ids{});
}

void break_a_rule_five_times(World& w) {
    w.connect(1, true);
    Octets llc(44);
    llc[0] = 0x0B;
    for (int i = 0; i < 5; ++i) w.request(client, World::send_only, llc);
    w.tracker.finish();
}

TEST(Rules, FindingsAreBounded) {
    Options options;
    options.limits.findings = 2;
    World w(options);
    break_a_rule_five_times(w);
    EXPECT_EQ(w.tracker.model().findings.size(), 2U);
    EXPECT_EQ(w.tracker.model().dropped_findings, 3U);
    EXPECT_EQ(w.tracker.model().lost_findings(), 3U);
}

TEST(Rules, FindingsThatRepeatOthersAreCountedWithTheirRule) {
    Options options;
    options.limits.findings_of_a_kind = 2;
    World w(options);
    break_a_rule_five_times(w);
    const Model& model = w.tracker.model();
    EXPECT_EQ(model.findings.size(), 2U);
    EXPECT_EQ(model.dropped_findings, 3U);
    EXPECT_EQ(model.lost_findings(), 0U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
