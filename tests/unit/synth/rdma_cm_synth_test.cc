// SPDX-License-Identifier: GPL-2.0-or-later
// Communication Management and queue pairs of both sides against each other, and the analyzer's account against theirs.
#include "replay/synth/rdma_cm.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "replay/stack/core/random.h"
#include "tests/unit/synth/analysed.h"

namespace fabricscope::synth::rdma_cm_synth_test {
namespace {

using engine::rdma_cm::Outcome;
using engine::rdma_cm::Side;
using stack::RdmaPeerAccount;

struct Played {
    RdmaCmAccounts accounts;
    std::unique_ptr<engine::Engine> analysis;
};

Played play(const std::string& text) {
    Played played;
    const Recording recording = run_rdma_cm(parse_scenario(text), &played.accounts);
    engine::Options options;
    options.rdma_cm = options.rdma = true;
    played.analysis = analysed(recording, options);
    return played;
}

const RdmaPeerAccount& account_of(const std::vector<RdmaPeerAccount>& accounts, std::optional<std::uint32_t> qpn) {
    static const RdmaPeerAccount none;
    const auto found = std::ranges::find(accounts, qpn, [](const auto& a) { return std::optional(a.qpn); });
    EXPECT_NE(found, accounts.end());
    return found == accounts.end() ? none : *found;
}

/// What the client says became of its request, in the analyzer's words. A server that waits for RTU in vain ends what
/// the client had taken for a connection.
Outcome outcome_of(const RdmaPeerAccount& client) {
    if (client.outcome == "rejected" && client.reject_reason != ib::reject_timeout) return Outcome::rejected;
    if (client.outcome == "timeout") return Outcome::timeout;
    return Outcome::connected;
}

enum class Transfer : std::uint8_t { send, write, read, add, swap };

struct Case {
    std::string text;
    Transfer transfer;
    bool refused;
};

/// A scenario of anything: carriers, sizes, paces, READs and WRITEs, who ends the connection.
Case random_case(std::uint64_t seed, const std::string& faults) {
    stack::Random random(seed * 6151);
    const char* const carriers[] = {"ipv4", "ipv6", "roce-v1"};
    const char* const transfers[] = {"send", "write", "read", "add", "swap"};
    const char* const mtus[] = {"256", "1024", "4096"};
    const char* const service = seed % 3 == 0 ? "xrc" : "rc";
    const auto transfer = static_cast<Transfer>(random.below(std::size(transfers)));
    const bool refused = random.below(6) == 0;
    return {
        fmt::format(
            "protocol rdma-cm\nseed {}\ncarrier over={}\n{}\n"
            "listen echo={} answer={} think={}us mra={} buffers={}\n"
            "connect count={} interval={}us messages={} octets={} transfer={} pause={}us mtu={} hold={}us service={}\n",
            seed, carriers[random.below(3)], faults, transfer == Transfer::send && random.below(2) == 0 ? "yes" : "no",
            refused ? "reject" : "accept", random.below(500), random.below(3) == 0 ? 20 : 0, random.between(2, 64),
            random.between(1, 5), random.below(3'000), random.between(0, 30), random.between(1, 20'000),
            transfers[static_cast<std::size_t>(transfer)], random.below(100), mtus[random.below(3)],
            random.below(1'000), service),
        transfer, refused};
}

/// The payload that went from `from` is what its owner, and the other side, count of it.
void expect_same(
    const engine::rdma_cm::Connection& seen, const Case& played, const RdmaPeerAccount& client,
    const RdmaPeerAccount& server) {
    EXPECT_TRUE(client.data_right && server.data_right);
    EXPECT_EQ(seen.from[Side::client].bytes, client.sent);
    EXPECT_EQ(seen.from[Side::client].sends + seen.from[Side::client].writes, client.messages_sent);
    EXPECT_EQ(seen.from[Side::server].bytes, client.received);
    if (played.transfer == Transfer::send) {
        EXPECT_EQ(server.received, client.sent);
        EXPECT_EQ(client.received, server.sent);
    } else if (played.transfer == Transfer::read) {
        EXPECT_EQ(seen.from[Side::client].reads, client.messages_received);
    }
}

void expect_no_findings(const Played& played, std::string_view but = "") {
    for (const engine::Finding* finding : played.analysis->findings())
        if (finding->rule->id != but)
            ADD_FAILURE() << finding->rule->id << " in frame " << finding->frames.back() << ": " << finding->text;
}

void expect_all_done(const Case& made) {
    SCOPED_TRACE(made.text);
    const Played played = play(made.text);
    expect_no_findings(played);
    const auto& connections = played.analysis->rdma_cm().connections;
    ASSERT_EQ(connections.size(), played.accounts.client.size());
    ASSERT_EQ(connections.size(), played.accounts.server.size());
    for (const auto& seen : connections) {
        const RdmaPeerAccount& client = account_of(played.accounts.client, seen.end[Side::client].qpn);
        EXPECT_EQ(client.outcome, made.refused ? "rejected" : "disconnected");
        EXPECT_EQ(seen.outcome, outcome_of(client));
        if (made.refused) {
            ASSERT_TRUE(seen.reject);
            EXPECT_EQ(seen.reject->reason, client.reject_reason);
        } else {
            EXPECT_TRUE(seen.dreq && seen.drep);
            expect_same(seen, made, client, account_of(played.accounts.server, seen.end[Side::server].qpn));
        }
    }
}

TEST(RdmaCmPeers, WhateverIsSentArrivesAndTheAnalyzerKnows) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        expect_all_done(random_case(seed, ""));
        if (testing::Test::HasFailure()) return;
    }
}

TEST(RdmaCmPeers, AlsoWhenTheNetworkLosesAndReorders) {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        stack::Random random(seed);
        expect_all_done(random_case(
            seed + 1'000, fmt::format(
                              "capture at=network\nfault loss=0.{}% reorder=0.{}% duplicate=0.{}%", random.below(10),
                              random.below(10), random.below(10))));
        if (testing::Test::HasFailure()) return;
    }
}

/// Annex A14: all that is asked for names the target's shared receive queue, and REP the target.
TEST(RdmaCmPeers, XrcHasItsOwnOpcodesAndHeader) {
    RdmaCmAccounts accounts;
    const Recording recording = run_rdma_cm(
        parse_scenario("protocol rdma-cm\nlisten\nconnect service=xrc transfer=read messages=2 octets=3000\n"),
        &accounts);
    std::size_t asked = 0, answered = 0;
    for (const synth::RecordedFrame& frame : recording.frames) {
        const capture::IbPacket packet = capture::decode(stack::ethernet_frame(frame.octets)).ib;
        if (packet.bth.destination_qpn == ib::gsi_qpn) continue;
        EXPECT_EQ(ib::service_of(packet.bth.opcode), ib::Service::xrc);
        const auto header = packet.rare_header<ib::XrcEth>(ib::xrceth);
        EXPECT_EQ(header.has_value(), packet.has_reth);
        EXPECT_TRUE(!header || header->shared_receive_queue == 1);
        ++(packet.has_reth ? asked : answered);
    }
    EXPECT_EQ(asked, 2U);
    EXPECT_EQ(answered, 6U);

    const Played played = play("protocol rdma-cm\nlisten\nconnect service=xrc messages=3 octets=200\n");
    ASSERT_EQ(played.analysis->rdma_cm().connections.size(), 1U);
    const engine::rdma_cm::Connection& seen = played.analysis->rdma_cm().connections.front();
    EXPECT_EQ(seen.service, engine::rdma_cm::Service::xrc);
    EXPECT_EQ(seen.end[Side::server].qpn, played.accounts.server.front().qpn);
    EXPECT_EQ(seen.from[Side::client].sends, 3U);
    ASSERT_EQ(played.analysis->rdma().streams.size(), 1U);
    EXPECT_EQ(played.analysis->rdma().streams.front().transport, engine::rdma::Transport::xrc);
    EXPECT_THROW(play("protocol rdma-cm\nlisten\nconnect service=xrc transfer=command messages=1\n"), ScenarioError);
}

// ---- queue pairs -----------------------------------------------------------------------------------

/// What a requester says of itself is what the analyzer says of what was captured beside it.
void expect_account(const engine::rdma::Direction& seen, const stack::RequesterAccount& own) {
    using Cause = stack::RequesterAccount::Cause;
    using engine::rdma::OperationType;
    const auto again = [&](Cause cause) { return own.repeated[static_cast<std::size_t>(cause)]; };
    for (const auto& [type, works] :
         {std::pair{OperationType::send, std::vector{stack::WorkType::send}},
          {OperationType::write, {stack::WorkType::rdma_write}},
          {OperationType::read, {stack::WorkType::rdma_read}},
          {OperationType::atomic, {stack::WorkType::compare_and_swap, stack::WorkType::fetch_and_add}}}) {
        stack::RequesterAccount::Count all;
        for (const stack::WorkType work : works) {
            all.count += own.operations[static_cast<std::size_t>(work)].count;
            all.octets += own.operations[static_cast<std::size_t>(work)].octets;
        }
        EXPECT_EQ(seen.operations[static_cast<std::size_t>(type)].count, all.count) << name_of(type);
        EXPECT_EQ(seen.operations[static_cast<std::size_t>(type)].bytes, all.octets) << name_of(type);
    }
    if (own.packets == 0) return;  // what it retransmitted are answers
    EXPECT_EQ(seen.retransmitted.packets, own.all_repeated());
    // As long as nothing has come from the peer, no cause is claimed.
    EXPECT_LE(seen.retransmitted.nak, again(Cause::nak));
    EXPECT_LE(seen.retransmitted.timeout, again(Cause::timeout));
    EXPECT_LE(seen.retransmitted.rnr, again(Cause::rnr));
    EXPECT_LE(seen.retransmitted.implied, again(Cause::implied));
    EXPECT_LE(seen.operation_time.count(), own.completed);
    // From when a packet was to be sent to when it left.
    constexpr capture::Time longest_queue = capture::millisecond;
    EXPECT_LE(seen.operation_time.max().value_or(0), own.longest);
    // Responses that come in disorder are all there to the analyzer; this requester asks for some of them again. What
    // was asked for again after several gaps has no time.
    if (again(Cause::implied) != 0) return;
    EXPECT_EQ(seen.operation_time.count(), own.completed);
    EXPECT_GE(seen.operation_time.max().value_or(0) + longest_queue, own.longest);
}

TEST(RdmaPeers, TheirOwnAccountIsTheAnalyzersOnAnyNetwork) {
    std::uint64_t repeated = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        stack::Random random(seed * 31);
        const bool at_client = random.below(2) == 0;
        const bool duplicates = random.below(2) == 0;
        const std::string faults = fmt::format(
            "capture at={}\nfault loss=0.{}% what=roce\nfault reorder={}% reorder-delay={}us{}",
            at_client ? "client" : "server", random.between(1, 99), random.between(1, 6), random.between(1, 400),
            duplicates ? fmt::format(" duplicate=1.{}%", random.below(10)) : "");
        const Case made = random_case(seed + 5'000, faults);
        // Only packets over IPv4 have numbers, by which what was sent again is told from what the network doubled.
        if (made.text.find("over=ipv4") == std::string::npos) continue;
        SCOPED_TRACE(made.text);
        const Played played = play(made.text);
        const auto& model = played.analysis->rdma();
        for (const engine::rdma::Stream& stream : model.streams) {
            if (stream.merged || stream.cm_connection == 0) continue;
            const auto side = at_client ? engine::rdma::a : engine::rdma::b;
            const RdmaPeerAccount& account = account_of(
                at_client ? played.accounts.client : played.accounts.server, stream.end[side].qpn);
            expect_account(stream.from[side], account.requester);
            repeated += stream.from[side].retransmitted.packets;
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(repeated, 0U);
}

TEST(RdmaPeers, CommandsFillTheMemoryThatTheyNameAndTakeItsKeyAway) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const Played played = play(fmt::format(
            "protocol rdma-cm\nseed {}\ncapture at=network\nfault loss=0.{}% reorder=0.{}% what=roce\n"
            "listen port=4420\nconnect port=4420 transfer=command messages=12 octets={}\n",
            seed, seed % 10, seed % 7, 1 + seed * 700));
        SCOPED_TRACE(seed);
        expect_no_findings(played);
        ASSERT_EQ(played.accounts.client.size(), 1U);
        const RdmaPeerAccount& client = played.accounts.client[0];
        EXPECT_TRUE(client.data_right);
        EXPECT_EQ(client.outcome, "disconnected");
        EXPECT_EQ(client.messages_received, 12U);
        EXPECT_EQ(client.received, 12 * (1 + seed * 700));
        if (HasFailure()) return;
    }
}

TEST(RdmaPeers, MarksAndNotificationsAreCounted) {
    const Played played = play(
        "protocol rdma-cm\nclient ecn=yes\nserver cnp-interval=50us\nfault mark=20% from=client what=roce\n"
        "capture at=server\nlisten port=7174\nconnect transfer=write messages=50 octets=8000\n");
    const stack::Adapter::Congestion& congested = played.accounts.server_congestion;
    const engine::rdma::Stream& stream = played.analysis->rdma().streams.at(0);
    EXPECT_GT(congested.cnps_sent, 2U);
    EXPECT_LT(congested.cnps_sent, congested.marked);
    EXPECT_EQ(played.accounts.client_congestion.cnps_received, congested.cnps_sent);
    EXPECT_EQ(stream.from[engine::rdma::a].ce_marked, congested.marked);
    EXPECT_EQ(stream.from[engine::rdma::a].cnps, congested.cnps_sent);
    expect_no_findings(played);
}

/// A network that hardly carries anything: what the client says is what the analyzer says of the frames at the client.
TEST(RdmaCmPeers, WhatBecameOfARequestIsKnown) {
    std::set<Outcome> met;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        stack::Random random(seed);
        const std::string text = fmt::format(
            "protocol rdma-cm\nseed {}\ncapture at=client\nfault loss={}%\nclient cm-retries={} response-timeout=12\n"
            "listen answer={}\nconnect count=3 interval=1ms messages=0\n",
            seed, random.between(30, 70), random.between(1, 4), random.below(3) == 0 ? "reject" : "accept");
        SCOPED_TRACE(text);
        const Played played = play(text);
        expect_no_findings(played, "IPCM-06");  // a message that is never answered
        const auto& connections = played.analysis->rdma_cm().connections;
        ASSERT_EQ(connections.size(), played.accounts.client.size());
        for (const auto& seen : connections) {
            EXPECT_EQ(seen.outcome, outcome_of(account_of(played.accounts.client, seen.end[Side::client].qpn)));
            met.insert(seen.outcome);
        }
        if (HasFailure()) return;
    }
    EXPECT_EQ(met, (std::set{Outcome::connected, Outcome::rejected, Outcome::timeout}));
}

}  // namespace
}  // namespace fabricscope::synth::rdma_cm_synth_test
