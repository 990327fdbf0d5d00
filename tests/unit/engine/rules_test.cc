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

TEST(Rules, R02TrailerOfAccept) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    Octets accept = World::accept_or_confirm(wire::ClcType::accept, w.port[server], 1, 2, true);
    accept.back() ^= 1;
    w.send(server, accept);
    EXPECT_EQ(found(w), Ids{"SMCR-R02"});
    EXPECT_EQ(w.tracker.model().findings[0].frames, (std::vector<std::uint64_t>{5}));
    EXPECT_EQ(w.tracker.model().findings[0].session, "smcr-1");
}

TEST(Rules, R03AcceptFromTheClient) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    w.send(client, World::accept_or_confirm(wire::ClcType::accept, w.port[client], 1, 2, true));
    EXPECT_EQ(found(w), Ids{"SMCR-R03"});
}

TEST(Rules, R05NinePrefixes) {
    World w;
    w.handshake();
    wire::Proposal body;
    body.ip.emplace().prefix_count = 9;
    const Octets prefixes(9 * layout::size_of<wire::Ipv6Prefix>);
    body.prefixes = {prefixes};
    wire::ClcMessage m;
    m.body = body;
    w.send(client, World::clc(wire::ClcType::proposal, m));
    EXPECT_EQ(found(w), Ids{"SMCR-R05"});
}

TEST(Rules, R07ElementIndexZero) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    Octets accept = World::accept_or_confirm(wire::ClcType::accept, w.port[server], 1, 2, true);
    accept[45] = 0;
    w.send(server, accept);
    EXPECT_EQ(found(w), Ids{"SMCR-R07"});
}

TEST(Rules, R38WriteWithImmediate) {
    constexpr std::uint8_t kWriteOnlyWithImmediate = 0x0B;
    World w;
    w.connect(1, true);
    w.request(client, kWriteOnlyWithImmediate, {1, 2, 3}, ib::Reth{World::address_of(0x5001), 0x5001, 3}, 42);
    EXPECT_EQ(found(w), Ids{"SMCR-R38"});
}

TEST(Rules, FindingsAreBounded) {
    Options options;
    options.limits.findings = 2;
    World w(options);
    w.connect(1, true);
    Octets llc(44);
    llc[0] = 0x0B;
    for (int i = 0; i < 5; ++i) w.request(client, World::kSendOnly, llc);
    w.tracker.finish();
    EXPECT_EQ(w.tracker.model().findings.size(), 2U);
    EXPECT_EQ(w.tracker.model().dropped_findings, 3U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
