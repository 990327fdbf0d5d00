// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI Providers against each other, and the analyzer's account against their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "replay/stack/core/random.h"
#include "replay/stack/fc/link.h"
#include "replay/synth/families.h"
#include "replay/synth/fcvi.h"
#include "tests/unit/synth/analysed.h"

namespace fabricscope::synth::fc_fcvi_test {
namespace {

using engine::Side;
using stack::ViAccount;
using stack::vi::Return;
using stack::vi::State;

struct Played {
    Recording recording;
    FcviAccounts accounts;
    std::unique_ptr<engine::Engine> analysis;

    const engine::fcvi::Model& fcvi() const { return analysis->fcvi(); }
};

Played play(const std::string& text) {
    Played played;
    played.recording = run_fcvi(parse_scenario(text), &played.accounts);
    engine::Options options;
    options.smcr = false;
    options.fc_protocols.fcvi = true;
    SCOPED_TRACE(text);
    played.analysis = analysed(played.recording, options);
    EXPECT_EQ(played.analysis->fc().frames + played.analysis->capture().copies, played.recording.frames.size())
        << "all are Fibre Channel's";
    return played;
}

void expect_no_findings(const Played& played) {
    for (const engine::Finding& finding : played.fcvi().findings)
        ADD_FAILURE() << finding.rule->id << " in frame " << finding.frames.back() << ": " << finding.text;
}

/// What the analyzer saw one end send is what that end says, and what the other one got.
void expect_same(const engine::fcvi::Traffic& seen, const ViAccount& sender, const ViAccount& receiver) {
    EXPECT_EQ(seen.messages, sender.counters.messages_sent);
    EXPECT_EQ(seen.bytes, sender.counters.octets_sent);
    EXPECT_EQ(seen.bytes, receiver.counters.octets_received);
}

void expect_all_arrived(const Played& played) {
    expect_no_findings(played);
    ASSERT_EQ(played.fcvi().connections.size(), 1);
    const ViAccount& client = played.accounts.client.at(0);
    const ViAccount& server = played.accounts.server.at(0);
    const engine::fcvi::Connection& connection = played.fcvi().connections[0];
    EXPECT_EQ(connection.outcome, engine::fcvi::Outcome::connected);
    EXPECT_STREQ(engine::fcvi::close_of(connection), "closed");
    for (const ViAccount* account : {&client, &server}) {
        EXPECT_EQ(account->connect, Return::success);
        EXPECT_EQ(account->disconnect, Return::success);
        EXPECT_EQ(account->state, State::idle);
        EXPECT_TRUE(account->data_right);
        EXPECT_TRUE(account->in_order);
        EXPECT_EQ(account->counters.failed, 0);
    }
    expect_same(connection.from[Side::client], client, server);
    expect_same(connection.from[Side::server], server, client);
}

constexpr const char* levels[] = {"unreliable-delivery", "reliable-delivery", "reliable-reception"};
constexpr const char* transfers[] = {"send", "write", "read"};

struct Choice {
    int level = 0;
    std::string lines;
};

/// A scenario of anything that a network without faults carries.
Choice random_scenario(std::uint64_t seed, const std::string& more = "") {
    stack::Random random(seed * 7919);
    const auto one_of = [&](auto&&... words) {
        const std::array<const char*, sizeof...(words)> all{words...};
        return all[random.below(all.size())];
    };
    Choice choice;
    choice.level = static_cast<int>(random.below(3));
    const bool reliable = choice.level != 0;
    const std::uint64_t transfer = random.below(reliable ? 3 : 2);
    const std::uint64_t octets = random.below(3) == 0 ? random.between(4, 200) : random.between(4, 9'000);
    const bool echo = transfer == 0 && random.below(2) == 0;
    const std::uint64_t pipeline = random.below(5);
    const char* const version = one_of("iso", "iso", "1.0");
    const bool single_frame = std::string_view(version) == "1.0";  // connect IUs are (6.7)
    const std::string common = fmt::format(
        "level={} max-transfer={} pipeline={} preference={}", levels[choice.level], octets + random.below(1000) + 16,
        pipeline, one_of("yes", "no"));
    choice.lines = fmt::format(
        "protocol fcvi\nseed {}\n{}\ncarrier over={}\ntopology kind={} resolve={}\n"
        "hosts class={} frame-size={} credit={}\nproviders version={} iu-size={}\n"
        "listen {} echo={}\nconnect {} transfer={} messages={} octets={} pause={}us immediate-every={}\n",
        seed, more, one_of("fibre", "fcoe"), one_of("fabric", "point-to-point"), "farp", one_of("2", "3"),
        one_of(single_frame ? "512" : "256", "1024", "2112"), random.between(1, 10), version,
        random.below(2) == 0 ? 0 : 4 * random.between(100, 900), common, echo ? "yes" : "no", common,
        transfers[transfer], random.between(1, 30), octets, random.below(3) * 50, transfer == 0 ? random.below(4) : 0);
    return choice;
}

TEST(FcviProvider, WhateverIsSentArrivesAndTheAnalyzerKnows) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const Choice choice = random_scenario(seed);
        SCOPED_TRACE(choice.lines);
        expect_all_arrived(play(choice.lines));
        if (HasFailure()) return;
    }
}

/// Sends or RDMA Writes of a client over a network with faults.
std::string faulty_scenario(std::uint64_t seed, int level, const std::string& network) {
    stack::Random random(seed * 104'729);
    const std::uint64_t octets = random.between(4, 5'000);
    const std::string common = fmt::format(
        "level={} max-transfer={} pipeline={}", levels[level], octets + 16, random.below(4));
    return fmt::format(
        "protocol fcvi\nseed {}\n{}\nhosts class={} frame-size=1024\nproviders iu-size={}\nlisten {}\n"
        "connect {} messages={} octets={} pause={}us hold=1ms\n",
        seed, network, random.between(2, 3), random.below(2) == 0 ? 0 : 2'000, common, common, random.between(1, 40),
        octets, random.below(60));
}

TEST(FcviProvider, ReorderedFramesArriveOnAllLevels) {
    for (const char* at : {"network", "client", "server"})
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const std::string text = faulty_scenario(
                seed, static_cast<int>(seed % 3),
                fmt::format(
                    "capture at={}\ntopology in-order=no\nfault reorder=10% duplicate={}% what=fcvi", at,
                    seed % 2 * 5));
            SCOPED_TRACE(text);
            const Played played = play(text);
            expect_no_findings(played);
            const ViAccount &client = played.accounts.client.at(0), &server = played.accounts.server.at(0);
            EXPECT_EQ(client.connect, Return::success);
            EXPECT_EQ(server.counters.messages_received, client.counters.messages_sent);
            EXPECT_EQ(server.counters.octets_received, client.counters.octets_sent);
            EXPECT_EQ(client.succeeded, client.counters.messages_sent);
            EXPECT_TRUE(server.data_right);
            EXPECT_TRUE(seed % 3 == 0 || server.in_order);
            if (HasFailure()) return;
        }
}

/// What the levels promise (VI Architecture 2.5, table 1; ISO/IEC 14165-331, annex E).
TEST(FcviProvider, LossIsWhatTheLevelPromises) {
    std::uint64_t broken = 0, unharmed = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const int level = static_cast<int>(seed % 3);
        const std::string text = faulty_scenario(
            seed, level,
            fmt::format(
                "capture at=network\ntopology in-order={}\nfault loss={}% what=fcvi", seed % 2 == 0 ? "yes" : "no",
                seed % 4 == 0 ? "5" : "0.5"));
        SCOPED_TRACE(text);
        const Played played = play(text);
        const ViAccount &client = played.accounts.client.at(0), &server = played.accounts.server.at(0);
        EXPECT_TRUE(server.data_right);
        EXPECT_LE(server.counters.messages_received, client.counters.messages_sent);
        const bool all = server.counters.messages_received == client.counters.messages_sent;
        (all ? unharmed : broken) += 1;
        EXPECT_TRUE(level == 0 || server.in_order);
        EXPECT_TRUE(level == 0 || all || !server.errors.empty());
        if (level == 2) {
            EXPECT_LE(client.succeeded, server.counters.messages_received);
            EXPECT_LE(server.counters.messages_received, client.succeeded + 4);  // pipeline of 3 and one more
            EXPECT_TRUE(all || !client.failures.empty() || !client.errors.empty() || client.connect != Return::success);
        }
        // No answer in time is what a loss looks like.
        for (const engine::Finding& finding : played.fcvi().findings)
            if (std::string(finding.rule->id) != "FCVI-32")
                ADD_FAILURE() << finding.rule->id << " in frame " << finding.frames.back() << ": " << finding.text;
        if (HasFailure()) return;
    }
    EXPECT_GT(broken, 20);
    EXPECT_GT(unharmed, 20);
}

/// What a scenario breaks it says, and nothing else is found.
TEST(FcviProvider, EndsWhatACompletionQueueHasOverrun) {
    const Played played = play(
        "protocol fcvi\nseed 3\nlisten queue=4 level=reliable-reception\n"
        "connect messages=8 pause=1ms level=reliable-reception\n");
    expect_no_findings(played);
    const ViAccount& server = played.accounts.server.at(0);
    EXPECT_EQ(server.errors, std::vector{stack::vi::AsyncError::catastrophic});
    EXPECT_EQ(server.counters.messages_received, 5) << "the entry of the fifth was lost";
    const engine::fcvi::Connection& connection = played.fcvi().connections.at(0);
    ASSERT_FALSE(connection.disconnects.empty());
    EXPECT_EQ(connection.disconnects[0].from, Side::server);
    EXPECT_FALSE(connection.disconnects[0].by_application);
    const Played harmless = play(
        "protocol fcvi\nseed 3\nproviders harmful-overrun=no\nlisten queue=4 level=reliable-reception\n"
        "connect messages=8 level=reliable-reception\n");
    expect_no_findings(harmless);
    EXPECT_EQ(harmless.accounts.client.at(0).succeeded, 8);
}

TEST(FcviScenarios, BreakWhatTheySay) {
    unsigned played_scenarios = 0;
    for (const BuiltinScenario& builtin : builtin_scenarios()) {
        const Scenario scenario = parse_scenario(builtin.text);
        if (scenario.protocol != "fcvi") continue;
        ++played_scenarios;
        SCOPED_TRACE(builtin.name);
        const Played played = play(std::string(builtin.text));
        std::set<std::string> found;
        std::string texts;
        for (const engine::Finding& finding : played.fcvi().findings) {
            found.insert(finding.rule->id);
            texts += fmt::format("frame {}: {}\n", finding.frames.back(), finding.text);
        }
        EXPECT_EQ(found, std::set<std::string>(scenario.finds.begin(), scenario.finds.end())) << texts;
        for (const auto* accounts : {&played.accounts.client, &played.accounts.server})
            for (const ViAccount& account : *accounts) EXPECT_TRUE(account.data_right);
    }
    EXPECT_GT(played_scenarios, 40);
}

}  // namespace
}  // namespace fabricscope::synth::fc_fcvi_test
