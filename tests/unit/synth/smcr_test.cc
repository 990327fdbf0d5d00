// SPDX-License-Identifier: GPL-2.0-or-later
// The SMC-R peers against each other, and the analyzer's account against their own.
#include "replay/synth/smcr.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/stack/core/random.h"
#include "replay/synth/families.h"
#include "tests/unit/synth/analysed.h"

namespace fabricscope::synth {
namespace {

using engine::smcr::Side;
using stack::smcr::PeerAccount;

struct Played {
    SmcrAccounts accounts;
    std::unique_ptr<engine::Engine> analysis;
};

Played play(const std::string& text, engine::Profile profile = engine::Profile::linux_) {
    Played played;
    const Recording recording = run_smcr(parse_scenario(text), &played.accounts);
    engine::Options options;
    options.smcr_options.profile = profile;
    SCOPED_TRACE(text);
    played.analysis = analysed(recording, options);
    return played;
}

/// What the analyzer saw of one direction is what its two ends did.
void expect_same(const engine::smcr::Direction& seen, const PeerAccount& sender, const PeerAccount& receiver) {
    EXPECT_EQ(seen.bytes_announced, sender.produced);
    EXPECT_EQ(seen.bytes_written, sender.produced);
    EXPECT_EQ(seen.bytes_acknowledged, sender.acknowledged);
    EXPECT_LE(seen.bytes_acknowledged, receiver.consumed);
    EXPECT_EQ(seen.wraps, sender.wraps);
    EXPECT_EQ(seen.cdcs, sender.messages);
    EXPECT_EQ(sender.sent.octets, sender.produced);
}

void expect_same(const Played& played) {
    for (const engine::Finding* finding : played.analysis->findings())
        ADD_FAILURE() << finding->rule->id << " in frame " << finding->frames.back() << ": " << finding->text;
    const auto& connections = played.analysis->smcr().connections;
    ASSERT_EQ(connections.size(), played.accounts.client.size());
    ASSERT_EQ(played.accounts.server.size(), played.accounts.client.size());
    for (const auto& connection : connections) {
        const auto is_it = [&](const PeerAccount& account) { return account.client_port == connection.client->port; };
        const auto client = std::ranges::find_if(played.accounts.client, is_it);
        const auto server = std::ranges::find_if(played.accounts.server, is_it);
        ASSERT_NE(client, played.accounts.client.end());
        ASSERT_NE(server, played.accounts.server.end());
        SCOPED_TRACE(fmt::format("client port {}", client->client_port));
        EXPECT_EQ(client->outcome, "smc-r");
        EXPECT_EQ(connection.outcome, engine::smcr::Outcome::smc_r);
        EXPECT_EQ(connection.first_contact, client->first_contact);
        EXPECT_EQ(connection.version, client->version);
        EXPECT_EQ(client->received, server->sent);
        EXPECT_EQ(server->received, client->sent);
        EXPECT_EQ(client->close, "Closed");
        EXPECT_EQ(server->close, "Closed");
        EXPECT_EQ(connection.close, engine::smcr::Close::orderly);
        expect_same(connection.from[Side::client], *client, *server);
        expect_same(connection.from[Side::server], *server, *client);
    }
}

constexpr const char* sizes[] = {"16K", "32K", "64K"};

/// A scenario of anything: sizes, paces, buffers, urgent bytes, ends; `profile` and `faults` are lines of it.
std::string random_scenario(std::uint64_t seed, const std::string& profile, const std::string& faults) {
    stack::Random random(seed * 7919);
    const bool echo = random.below(2) == 0;
    const char* const yes_no[] = {"no", "yes"};
    const char* const ends[] = {"close", "shutdown"};
    const bool ping_pong = echo && random.below(2) == 0;
    const std::uint64_t server_messages = echo ? 0 : random.below(10);
    // Who closes before all has come back aborts what the other still sends.
    const bool may_close = ping_pong || (!echo && server_messages == 0);
    return fmt::format(
        "protocol smc-r\nseed {}\n{}\n{}\nclient rmbe={}\nserver rmbe={}\nhosts send-buffer={}\n"
        "listen echo={} read-size={} read-interval={}us read-from={}ms messages={} octets={} ping-pong=no\n"
        "connect count={} interval={}us messages={} octets={} ping-pong={} urgent-every={} pause={}us end={} hold=1ms "
        "read-size={} read-interval={}us\n",
        seed, profile, faults, sizes[random.below(3)], sizes[random.below(3)], random.between(1'000, 100'000),
        yes_no[echo], random.below(3) == 0 ? 0 : random.between(200, 9'000), random.below(300), random.below(20),
        server_messages, random.between(1, 9'000), random.between(1, 4), random.below(5'000), random.between(1, 40),
        random.between(1, 12'000), yes_no[ping_pong], random.below(3) == 0 ? random.between(1, 5) : 0,
        random.below(200), may_close ? ends[random.below(2)] : "shutdown",
        random.below(3) == 0 ? 0 : random.between(200, 9'000), random.below(300));
}

TEST(SmcrPeer, WhateverIsSentArrivesAndTheAnalyzerKnows) {
    for (const char* profile : {"hosts profile=linux", "hosts profile=linux version=1", "hosts profile=rfc7609"})
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const std::string text = random_scenario(seed, profile, "");
            SCOPED_TRACE(text);
            expect_same(play(text));
            if (HasFailure()) return;
        }
}

TEST(SmcrPeer, AlsoWhenTheNetworkLosesAndReorders) {
    for (const char* profile : {"hosts profile=linux", "hosts profile=linux version=1", "hosts profile=rfc7609"})
        for (std::uint64_t seed = 1; seed <= 25; ++seed) {
            stack::Random random(seed);
            const std::string faults = fmt::format(
                "capture at=network\nfault loss=0.{}% reorder=0.{}% duplicate=0.{}%", random.below(10),
                random.below(10), random.below(10));
            const std::string text = random_scenario(seed + 1000, profile, faults);
            SCOPED_TRACE(text);
            expect_same(play(text));
            if (HasFailure()) return;
        }
}

TEST(SmcrPeer, AlsoWhenDevicesComeAndGo) {
    for (const char* profile : {"hosts profile=linux", "hosts profile=linux version=1", "hosts profile=rfc7609"})
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            stack::Random random(seed * 31);
            // Never both links at once: what the last one loses is lost.
            const std::uint64_t down = random.between(300, 3'000), up = down + random.between(100, 3'000);
            const char* const sides[] = {"client", "server"};
            const char* const side = sides[random.below(2)];
            const std::uint64_t device = random.between(1, 2);
            const std::string lines = fmt::format(
                "capture at=network\nhosts devices=2\ndevice at={0}us of={2} number={3} state=down\n"
                "device at={1}us of={2} number={3} state=up",
                down, up, side, device);
            const std::string text = random_scenario(seed + 2000, profile, lines);
            SCOPED_TRACE(text);
            expect_same(play(text));
            if (HasFailure()) return;
        }
}

/// Devices of both hosts that go and come, after the first links are there. One link always stays: what the last one
/// loses is lost. Frames take no time to leave: here a device that goes down does not lose what it has queued.
std::string restless_devices(stack::Random& random, std::uint64_t most) {
    const char* const sides[] = {"client", "server"};
    const std::uint64_t devices[] = {random.between(2, most), random.between(2, most)};
    const std::uint64_t steady = random.between(1, std::min(devices[0], devices[1]));
    std::string lines = fmt::format(
        "capture at=network\nlink megabits=0\nclient devices={}\nserver devices={}\n", devices[0], devices[1]);
    for (std::uint64_t i = random.between(1, 8); i != 0; --i) {
        const std::uint64_t side = random.below(2), device = random.between(1, devices[side]);
        const std::uint64_t down = random.between(600, 5'000), up = down + random.between(50, 3'000);
        if (device == steady) continue;
        lines += fmt::format(
            "device at={0}us of={2} number={3} state=down\ndevice at={1}us of={2} number={3} state=up\n", down, up,
            sides[side], device);
    }
    return lines;
}

TEST(SmcrPeer, AlsoOverManyLinksOfWhichAnyMayFail) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        stack::Random random(seed * 613);
        const bool linux_profile = seed % 3 == 0;
        const std::string lines = restless_devices(random, linux_profile ? 2 : 8) +
                                  "connect count=12 at=500us interval=" +
                                  fmt::format(
                                      "{}us messages=5 octets=900 ping-pong=no end=shutdown\n", random.below(300));
        const std::string text = random_scenario(
            seed + 3000, linux_profile ? "hosts profile=linux" : "hosts profile=rfc7609", lines);
        SCOPED_TRACE(text);
        expect_same(play(text, linux_profile ? engine::Profile::linux_ : engine::Profile::standard));
        if (HasFailure()) return;
    }
}

TEST(SmcrPeer, ByTheWordsOfTheRfcToo) {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        const std::string text = random_scenario(seed, "hosts profile=rfc7609", "");
        SCOPED_TRACE(text);
        expect_same(play(text, engine::Profile::standard));
        if (HasFailure()) return;
    }
}

TEST(SmcrPeer, ADamagedSegmentIsSentAgain) {
    for (const char* message : {"SYN", "CLC PROPOSAL", "CLC ACCEPT", "CLC CONFIRM", "FIN"}) {
        SmcrAccounts accounts;
        run_smcr(
            parse_scenario(fmt::format(
                "protocol smc-r\nlisten\ncapture at=network\nconnect messages=2\ncorrupt message=\"{}\"\n", message)),
            &accounts);
        for (const auto& side : {accounts.client, accounts.server}) {
            ASSERT_EQ(side.size(), 1U) << message;
            EXPECT_EQ(side[0].outcome, "smc-r") << message;
            EXPECT_EQ(side[0].received.octets, 200U) << message;
        }
    }
}

TEST(SmcrScenario, Ipv6AndVlan) {
    const Played played = play(
        "protocol smc-r\nlink vlan=7\nclient address=2001:db8::10\nserver address=2001:db8::20\nlisten\n"
        "connect messages=5\n");
    expect_same(played);
    EXPECT_EQ(to_string(*played.analysis->smcr().connections.front().client).substr(0, 14), "[2001:db8::10]");
    const Recording recording = run_smcr(parse_scenario("protocol smc-r\nlink vlan=7\nlisten\nconnect\n"), nullptr);
    for (const RecordedFrame& frame : recording.frames)
        EXPECT_EQ(capture::decode(stack::ethernet_frame(frame.octets)).vlan, 7);
    EXPECT_THROW(
        run_smcr(
            parse_scenario("protocol smc-r\nhosts version=1\nclient address=2001:db8::10\nlisten\nconnect\n"), nullptr),
        ScenarioError);
}

TEST(SmcrScenario, PayloadThatIsSaid) {
    const Recording recording = run_smcr(
        parse_scenario("protocol smc-r\nlisten\nconnect messages=2 payload=\"text:hello world\"\n"), nullptr);
    std::size_t writes = 0;
    for (const RecordedFrame& frame : recording.frames) {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame.octets));
        if (packet.transport != capture::Transport::ib || !packet.ib.has_reth) continue;
        ++writes;
        EXPECT_EQ(std::string(packet.ib.payload.begin(), packet.ib.payload.end()), "hello world");
    }
    EXPECT_EQ(writes, 4U) << "both messages, there and back";
}

}  // namespace
}  // namespace fabricscope::synth
