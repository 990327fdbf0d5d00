// SPDX-License-Identifier: GPL-2.0-or-later
// Loads on a virtual clock, over a network that loses frames.
#include "replay/load/load.h"

#include <gmock/gmock.h>

#include <sstream>

#include "protocols/builders/frame_builder.h"
#include "replay/load/load_report.h"
#include "replay/stack/core/fabric.h"

namespace fabricscope::replay {
namespace {

constexpr std::uint32_t per_cent = 10'000;  // of a million

const Gid client_ip = builders::gid_of({{192, 0, 2, 110}}), server_ip = builders::gid_of({{192, 0, 2, 120}});
const Mac client_mac{{0x02, 0xFA, 192, 0, 2, 110}}, server_mac{{0x02, 0xFA, 192, 0, 2, 120}};

struct Outcome {
    LoadAccount client, server;
    std::size_t open = 0;
    std::uint64_t retransmitted = 0;  ///< by the client
};

/// All sessions begin at once. So many messages are `due` one after the other later, if they have a rate.
Outcome run(LoadPlan plan, std::uint64_t sessions, std::uint32_t loss, int due = 0) {
    Outcome outcome;
    plan.peer = server_ip;
    plan.peer_mac = server_mac;
    const auto client = make_load_client(plan, outcome.client, 0, client_ip, client_mac);
    const auto server = make_load_server(plan, outcome.server, server_ip, server_mac);
    stack::Fabric fabric(1, 0);
    fabric.attach(*client, 0);
    fabric.attach(*server, 0);
    fabric.set_routing([](stack::PortId from, ByteView) { return 1 - from; });
    fabric.set_faults([=](const stack::FrameInFlight&, stack::Random& random) {
        return stack::Delivery{.lost = random.chance(loss)};
    });
    fabric.at(0, [&] {
        for (std::uint64_t i = 0; i < sessions; ++i) client->start_session(0, 0);
    });
    for (Time at = capture::second; due > 0; --due, at += capture::millisecond)
        fabric.at(at, [&client, at] { EXPECT_TRUE(client->post(at, at)); });
    fabric.run(120 * capture::second);
    outcome.open = client->open() + server->open();
    outcome.retransmitted = client->retransmissions();
    return outcome;
}

TEST(Load, MessagesOverLossAreSentAgainAndComeInOrder) {
    const Outcome outcome = run({.kind = LoadKind::rc, .messages = 500, .size = 100}, 4, 2 * per_cent);
    EXPECT_EQ(outcome.client.completed, 4U);
    EXPECT_EQ(outcome.server.completed, 4U);
    EXPECT_EQ(outcome.client.messages, 2000U);
    EXPECT_EQ(outcome.server.messages, 2000U);
    EXPECT_EQ(outcome.server.octets, 200'000U);
    EXPECT_EQ(outcome.server.wrong, 0U);
    EXPECT_GT(outcome.retransmitted, 10U);
    EXPECT_EQ(outcome.client.exchanges.count(), 2000U);
    EXPECT_EQ(outcome.open, 0U);
}

TEST(Load, NothingIsRetransmittedWithoutLoss) {
    const Outcome outcome = run({.kind = LoadKind::rc, .messages = 500}, 4, 0);
    EXPECT_EQ(outcome.client.completed, 4U);
    EXPECT_EQ(outcome.retransmitted, 0U);
    EXPECT_TRUE(outcome.client.failed.empty());
}

TEST(Load, MessagesAtARateAreSharedOut) {
    for (const std::uint64_t sessions : {1U, 3U}) {
        const Outcome outcome = run({.kind = LoadKind::rc, .rate = 1000, .messages = 6 / sessions}, sessions, 0, 6);
        EXPECT_EQ(outcome.client.completed, sessions);
        EXPECT_EQ(outcome.server.messages, 6U);
    }
}

TEST(Load, SetUpsOverLossTakeLonger) {
    const Outcome lossless = run({.kind = LoadKind::cm}, 200, 0);
    const Outcome lossy = run({.kind = LoadKind::cm}, 200, 5 * per_cent);
    EXPECT_EQ(lossless.client.completed, 200U);
    EXPECT_EQ(lossy.client.completed, 200U);
    EXPECT_EQ(lossy.server.started, 200U);
    EXPECT_LT(lossless.client.set_ups.max(), 10 * capture::millisecond);
    EXPECT_GT(lossy.client.set_ups.max(), 500 * capture::millisecond);  // a REQ or REP was lost
}

TEST(Load, ASilentServerIsToldOf) {
    const Outcome outcome = run({.kind = LoadKind::cm}, 3, 100 * per_cent);
    EXPECT_THAT(outcome.client.failed, testing::ElementsAre(testing::Pair("no answer to REQ", 3U)));
    EXPECT_EQ(outcome.server.started, 0U);
    EXPECT_EQ(outcome.open, 0U);
}

TEST(Load, SmcConnectionsEcho) {
    const Outcome outcome = run({.kind = LoadKind::smc, .messages = 3, .size = 1000}, 20, 0);
    EXPECT_EQ(outcome.client.completed, 20U);
    EXPECT_EQ(outcome.server.completed, 20U);
    EXPECT_EQ(outcome.client.octets, 60'000U);
    EXPECT_EQ(outcome.server.octets, 60'000U);
    EXPECT_EQ(outcome.client.wrong + outcome.server.wrong, 0U);
}

TEST(Load, SmcConnectionsOverLossTellWhatIsSentAgain) {
    const Outcome outcome = run({.kind = LoadKind::smc, .messages = 50, .size = 1000}, 5, per_cent);
    EXPECT_EQ(outcome.client.completed, 5U);
    EXPECT_GT(outcome.retransmitted, 5U);
}

TEST(Load, AHostBeginsNoMoreSmcConnectionsThanItHasPorts) {
    LoadAccount account;
    const LoadPlan plan{.kind = LoadKind::smc, .peer = server_ip, .peer_mac = server_mac};
    const auto client = make_load_client(plan, account, 0, client_ip, client_mac);
    while (account.started < 40'000 && client->may_start()) client->start_session(0, 0);
    EXPECT_EQ(account.started, 32'768U);
}

TEST(Load, AServerThatEndsTakesNoNewSessions) {
    LoadAccount of_client, of_server;
    LoadPlan plan{.kind = LoadKind::rc, .messages = 1};
    plan.peer = server_ip;
    plan.peer_mac = server_mac;
    const auto client = make_load_client(plan, of_client, 0, client_ip, client_mac);
    const auto server = make_load_server(plan, of_server, server_ip, server_mac);
    stack::Fabric fabric(1, 0);
    fabric.attach(*client, 0);
    fabric.attach(*server, 0);
    fabric.set_routing([](stack::PortId from, ByteView) { return 1 - from; });
    fabric.at(0, [&] { server->stop(0); });
    fabric.at(capture::millisecond, [&] { client->start_session(fabric.now(), fabric.now()); });
    fabric.run(10 * capture::second);
    EXPECT_EQ(of_server.started, 0U);
    EXPECT_EQ(of_client.all_failed(), 1U);
    EXPECT_EQ(client->open() + server->open(), 0U);
}

// ---- the report ------------------------------------------------------------------------------------

TEST(LoadReport, Text) {
    LoadRun run;
    run.seconds = 2;
    run.open = 3;
    run.frames_sent = 4000;
    run.frames_received = 3990;
    run.frames_dropped = 7;
    run.account.started = 1010;
    run.account.completed = 1000;
    run.account.failed = {{"no answer", 5}, {"rejected", 2}};
    run.account.messages = 20'000;
    run.account.octets = 2'000'000;
    run.account.wrong = 1;
    run.frames_retransmitted = 12;
    for (int i = 1; i <= 100; ++i) run.account.set_ups.add(i * capture::millisecond);
    const auto text = [&](LoadKind kind, const std::string& peer) {
        LoadPlan plan;
        plan.kind = kind;
        LoadWay way;
        way.peer = peer;
        way.address = "192.0.2.110";
        std::ostringstream out;
        write_text(out, plan, way, run, {});
        return out.str();
    };
    const std::string client = text(LoadKind::rc, "192.0.2.120");
    EXPECT_THAT(client, testing::StartsWith("rc to 192.0.2.120, 2.00 s\n"));
    EXPECT_THAT(client, testing::HasSubstr("1,010 started, 1,000 completed, 7 failed, 3 not ended; 500 a second\n"));
    EXPECT_THAT(client, testing::HasSubstr("    5 x no answer\n    2 x rejected\n"));
    EXPECT_THAT(client, testing::HasSubstr("Messages: 20,000; 10,000 a second\n"));
    EXPECT_THAT(client, testing::HasSubstr("Octets: 2,000,000; 1.00 MB/s\n"));
    EXPECT_THAT(client, testing::HasSubstr("1 are not what was sent"));
    EXPECT_THAT(client, testing::HasSubstr("4,000 sent, 3,990 received, 12 retransmitted, 7 lost here"));
    EXPECT_THAT(client, testing::ContainsRegex("set-up +(49|5[01])\\.[0-9] ms .* 100 ms +100\n"));
    const std::string server = text(LoadKind::cm, "");
    EXPECT_THAT(server, testing::StartsWith("cm served at 192.0.2.110, 2.00 s\n"));
    EXPECT_THAT(server, testing::Not(testing::HasSubstr("Messages"))) << "there are none";
}

}  // namespace
}  // namespace fabricscope::replay
