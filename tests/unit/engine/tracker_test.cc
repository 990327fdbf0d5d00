// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/tracker.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine::smcr {
namespace {

using namespace test;
using enum Side;

const Octets hello_text{'h', 'e', 'l', 'l', 'o'};

TEST(Rendezvous, FirstContactComesUp) {
    World w;
    w.connect(1, true);
    w.write(client, 0x5001, 0, hello_text);
    w.cdc(client, 0x101, 1, {0, 5}, {0, 0});
    w.cdc(server, 0x201, 1, {0, 0}, {0, 5});
    w.tracker.finish();
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::smc_r);
    EXPECT_EQ(to_string(*c.client), "192.0.2.10:40001");
    EXPECT_EQ(to_string(*c.server), "192.0.2.20:18001");
    EXPECT_EQ(c.first_contact, true);
    EXPECT_EQ(c.link_group, 1U);
    EXPECT_TRUE(
        c.setup.syn && c.setup.proposal && c.setup.accept && c.setup.confirm && c.setup.confirm_link &&
        c.setup.first_data);
    EXPECT_LT(c.setup.confirm->time, c.setup.confirm_link->time);
    EXPECT_EQ(c.from[client].bytes_announced, 5U);
    EXPECT_EQ(c.from[client].bytes_written, 5U);
    EXPECT_EQ(c.from[client].bytes_acknowledged, 5U);
    EXPECT_EQ((w.streams[{1, client}]), hello_text);
    EXPECT_EQ(c.close, Close::open);
    const LinkGroup& g = w.group(1);
    EXPECT_EQ(g.cursor_base, 0);
    ASSERT_EQ(g.links.size(), 1U);
    EXPECT_EQ(g.links[0].state, LinkState::active);
    EXPECT_EQ(g.links[0].number, 1);
    EXPECT_EQ(g.links[0].end[client].qpn, 0x11U);
}

TEST(Rendezvous, ClcSplitAtAnyByte) {
    for (const std::size_t step : {1U, 2U, 3U, 7U, 51U}) {
        World w;
        w.connect(1, true, step);
        ASSERT_EQ(w.clcs.size(), 3U) << step;
        EXPECT_EQ(w.connection(1).alert_token[server], 0x101U) << step;
        w.tracker.finish();
        EXPECT_EQ(w.connection(1).outcome, Outcome::smc_r) << step;
    }
}

TEST(Rendezvous, ApplicationDataBehindDeclineIsLeftAlone) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    Octets octets = World::decline(0x03030000);
    octets.insert(octets.end(), {0xE2, 0xD4, 0xC3, 0xD9, 1, 0, 52, 0});  // data that looks like the next message
    w.send(server, octets);
    w.tracker.finish();
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::fallback);
    ASSERT_TRUE(c.decline);
    EXPECT_EQ(c.decline->by, server);
    EXPECT_EQ(c.decline->code, 0x03030000U);
    EXPECT_STREQ(c.decline->name(), "no SMC device found");
    EXPECT_EQ(w.clcs.size(), 2U);
}

TEST(Rendezvous, DeclineInsteadOfConfirmLeavesNoGroup) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 1, 2, true));
    w.send(client, World::decline(0x03070000));
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).outcome, Outcome::fallback);
    EXPECT_EQ(w.connection(1).decline->by, client);
    EXPECT_EQ(w.connection(1).link_group, 0U);
    EXPECT_FALSE(came_to_be(w.group(1)));
}

TEST(Rendezvous, OfferedButNotTakenUp) {
    World w;
    w.handshake(true, false);
    w.send(client, hello_text);
    w.segment(client, capture::fin | capture::ack);
    w.segment(server, capture::fin | capture::ack);
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).outcome, Outcome::plain_tcp);
    EXPECT_EQ(w.connection(1).close, Close::orderly);
    EXPECT_TRUE(w.clcs.empty());
}

TEST(Rendezvous, OrdinaryTcpIsNotClaimed) {
    World w;
    w.handshake(false, false);
    w.send(client, {0xE2, 0xD4, 0xC3, 0xD9, ' ', 'b', 'u', 't', ' ', 'n', 'o', 't', ' ', 'C', 'L', 'C'});
    w.tracker.finish();
    EXPECT_TRUE(w.tracker.model().connections.empty());
    EXPECT_TRUE(w.facts.empty());
}

TEST(Rendezvous, ConnectionsThatDoNotOfferSmcAreCounted) {
    World w;
    w.handshake(false, false);
    EXPECT_EQ(w.tracker.model().not_offered, 1U);
    w.handshake(true, false);
    w.handshake(true, true);
    EXPECT_EQ(w.tracker.model().not_offered, 1U);
    w.handshake(false, false);
    EXPECT_EQ(w.tracker.model().not_offered, 2U);
}

TEST(Rendezvous, ASynThatComesAgainIsCountedOnce) {
    World w;
    w.handshake(false, false);
    w.sequence[client] -= 1;
    w.segment(client, capture::syn);
    EXPECT_EQ(w.tracker.model().not_offered, 1U);
}

TEST(Rendezvous, AServerThatTakesUpWhatItsSynDidNotOfferIsFollowed) {
    World w;
    w.handshake(false, true);
    EXPECT_EQ(w.tracker.model().connections.size(), 1U);
    EXPECT_EQ(w.tracker.model().not_offered, 0U);
    w.sequence[server] += 1000;  // another SYN-ACK to the same SYN
    w.segment(server, capture::syn | capture::ack, {}, true);
    EXPECT_EQ(w.tracker.model().not_offered, 0U);
}

TEST(Rendezvous, SynNotCaptured) {
    World w;
    w.sequence = {{5000, 7000}};
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 1, 2, true));
    w.send(client, World::accept_or_confirm(wire::ClcType::confirm, w.port[client], 3, 4, true));
    w.confirm_link();
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 1U);
    EXPECT_EQ(w.connection(1).outcome, Outcome::smc_r);
    EXPECT_FALSE(w.connection(1).setup.syn);
}

TEST(Rendezvous, ResetDuringSetUpIsAFailure) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    w.segment(server, capture::rst | capture::ack);
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).outcome, Outcome::failed);
    EXPECT_EQ(w.connection(1).close, Close::abnormal);
    EXPECT_EQ(w.connection(1).reset_by, server);
}

TEST(Rendezvous, ResetInAnswerToTheSynIsARefusal) {
    for (const std::uint32_t sequence : {0U, 77U}) {
        World w;
        w.sequence = {{1000, sequence}};
        w.segment(client, capture::syn, {}, true);
        w.segment(server, capture::rst | capture::ack);
        w.tracker.finish();
        EXPECT_EQ(w.connection(1).outcome, sequence == 0 ? Outcome::failed : Outcome::unknown)
            << "a sequence number is that of a connection, whose SYN-ACK was not captured";
        EXPECT_TRUE(w.connection(1).setup.beyond_syn);
    }
}

TEST(Rendezvous, SynsAloneTellNothing) {
    World w;
    w.segment(client, capture::syn, {}, true);
    --w.sequence[client];
    w.segment(client, capture::syn, {}, true);
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).outcome, Outcome::unknown);
    EXPECT_FALSE(w.connection(1).setup.beyond_syn);
}

TEST(Rendezvous, PortUsedAgainIsAnotherConnection) {
    World w;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::decline(0x03010000));
    w.connect(0, true);
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 2U);
    EXPECT_EQ(w.connection(1).outcome, Outcome::fallback);
    EXPECT_EQ(w.connection(2).outcome, Outcome::smc_r);
}

TEST(Rendezvous, PortUsedAgainWithoutItsSynsIsAnotherConnection) {
    World w;
    w.connect(1, true);
    w.sequence = {{50'000'000, 70'000'000}};
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 0x102, 0x5001, false));
    w.send(client, World::accept_or_confirm(wire::ClcType::confirm, w.port[client], 0x202, 0xC001, false));
    w.cdc(client, 0x102, 1, {0, 0}, {0, 0});
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 2U);
    EXPECT_EQ(w.connection(2).from[client].cdcs, 1U);
    EXPECT_EQ(tally(w, rules::known_token).broken, 0U);
}

TEST(LinkGroups, SubsequentContactJoinsTheGroup) {
    World w;
    w.connect(1, true);
    w.connect(2, false);
    w.write(client, 0x5002, 0, hello_text);
    w.cdc(client, 0x102, 1, {0, 5}, {0, 0});
    w.tracker.finish();
    EXPECT_EQ(w.tracker.model().link_groups.size(), 1U);
    EXPECT_EQ(w.group(1).connections, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(w.connection(2).from[client].bytes_written, 5U);
    EXPECT_EQ(w.connection(1).from[client].bytes_written, 0U);
}

TEST(LinkGroups, EyeCatcherMovesTheBase) {
    World w;
    w.client_port = 40001;
    w.connect(1, false);  // CLC only; the group's CONFIRM LINK follows
    w.confirm_link(true);
    w.write(client, 0x5001, 4, hello_text);
    w.cdc(client, 0x101, 1, {0, 9}, {0, 4});
    w.tracker.finish();
    EXPECT_EQ(w.group(1).cursor_base, 4);
    EXPECT_EQ(w.connection(1).from[client].bytes_announced, 5U);
    EXPECT_EQ((w.streams[{1, client}]), hello_text);
}

TEST(LinkGroups, RepeatedPacketsCountOnce) {
    World w;
    w.connect(1, true);
    w.write(client, 0x5001, 0, hello_text);
    const std::uint32_t psn = w.port[client].psn - 1;
    w.repeat(client, World::write_only, psn, hello_text, ib::Reth{World::address_of(0x5001), 0x5001, 5});
    w.cdc(client, 0x101, 1, {0, 5}, {0, 0});
    w.tracker.finish();
    const Direction& d = w.connection(1).from[client];
    EXPECT_EQ(d.bytes_written, 5U);
    EXPECT_EQ(d.writes, 1U);
    EXPECT_EQ(d.retransmissions, 1U);
}

TEST(LinkGroups, WriteThatLooksLikeACdcIsData) {
    World w;
    w.connect(1, true);
    wire::Cdc cdc;
    cdc.alert_token = 0x101;
    cdc.producer = {5, 5};
    w.write(client, 0x5001, 0, octets_of(cdc));
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).from[client].cdcs, 0U);
    EXPECT_EQ(w.connection(1).from[client].bytes_written, 44U);
}

TEST(LinkGroups, QueuePairsThatCommunicationManagementUsesAgainAreNoLonger) {
    World w;
    w.connect(1, true);
    const auto packets = [&] { return w.group(1).links[0].packets; };
    const auto before = packets();
    w.mad(client, ib::CmAttribute::req, w.port[client].qpn + 1);
    w.request(server, World::send_only, Octets(100));
    EXPECT_EQ(packets(), before + 1) << "another queue pair";
    w.mad(client, ib::CmAttribute::req, w.port[client].qpn);
    w.request(server, World::send_only, Octets(100));
    EXPECT_EQ(packets(), before + 1);
    w.request(client, World::send_only, Octets(100));
    EXPECT_EQ(packets(), before + 2) << "nothing is known of the server's yet";
    w.mad(server, ib::CmAttribute::rep, w.port[server].qpn);
    w.request(client, World::send_only, Octets(100));
    EXPECT_EQ(packets(), before + 2);
}

TEST(LinkGroups, LlcReplyIsLinkedToItsRequest) {
    World w;
    w.connect(1, true);
    w.llc(client, wire::TestLink{});
    const std::uint64_t request = w.frames;
    wire::TestLink reply;
    reply.reply = true;
    w.llc(server, reply);
    EXPECT_EQ(w.facts.back().request_frame, request);
    EXPECT_EQ(w.facts.back().time - w.facts.back().request_time, capture::millisecond);
    ASSERT_EQ(w.group(1).exchanges.size(), 2U);
    EXPECT_EQ(w.group(1).exchanges[1].reply->frame, w.frames);
}

TEST(LinkGroups, CloseStates) {
    World w;
    w.connect(1, true);
    w.connect(2, false);
    w.connect(3, false);
    w.cdc(client, 0x101, 1, {}, {}, {.connection_closed = true});
    w.cdc(server, 0x201, 1, {}, {}, {.connection_closed = true});
    w.cdc(client, 0x102, 1, {}, {}, {.abnormal_close = true});
    w.cdc(client, 0x103, 1, {}, {}, {.sending_done = true});
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).close, Close::orderly);
    EXPECT_EQ(w.connection(2).close, Close::abnormal);
    EXPECT_EQ(w.connection(3).close, Close::half);
}

/// Both sides have ended TCP, whatever they closed before that over the link group: their FINs may be missing, of which
/// the server's last acknowledgment tells.
Connection with_tcp_ended(bool fins_are_missing) {
    World w;
    w.connect(1, true);
    wire::Cdc blocked;
    blocked.alert_token = 0x101;
    blocked.sequence = 1;
    blocked.flags.writer_blocked = true;
    w.cdc(client, blocked);
    w.cdc(server, 0x201, 1, {}, {});
    for (const Side side : {client, server})
        if (fins_are_missing) ++w.sequence[side];
    w.segment(server, capture::ack);
    w.tracker.finish();
    return w.connection(1);
}

TEST(LinkGroups, WhatBeginsBeforeAFinThatIsMissingMayHaveEnded) {
    const Connection open = with_tcp_ended(false), lacking = with_tcp_ended(true);
    EXPECT_EQ(open.close, Close::open);
    EXPECT_EQ(open.from[client].blocked.count, 1U);
    EXPECT_EQ(lacking.close, Close::unknown);
    EXPECT_EQ(lacking.from[client].blocked.count, 0U) << "it is not known until when";
}

TEST(LinkGroups, ConnectionMetBeforeItsSetUpWaitsForIt) {
    World w;
    w.connect(1, true);
    // Frames of two interfaces out of order: the data of connection 2 come first.
    w.interface = 1;
    w.write(client, 0x5002, 0, hello_text);
    w.cdc(client, 0x102, 1, {0, 5}, {0, 0});
    w.interface = 0;
    w.connect(2, false);
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 2U);
    EXPECT_EQ((w.streams[{2, client}]), hello_text);
    EXPECT_EQ(w.connection(2).from[client].bytes_announced, 5U);
}

TEST(LinkGroups, AcceptMetBehindItsConfirmIsOfTheSameLink) {
    World w;
    w.handshake();
    w.interface = 1;
    w.send(client, World::proposal());
    w.send_confirm(1, true);
    w.interface = 0;
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 0x101, 0x5001, true));
    ASSERT_EQ(w.tracker.model().link_groups.size(), 1U);
    EXPECT_EQ(w.group(1).connections.size(), 1U);
    EXPECT_EQ(w.group(1).links.size(), 1U);
}

TEST(LinkGroups, DataBetweenAcceptAndConfirmWaitBehindEarlierOnes) {
    World w;
    w.connect(1, true);
    w.announce_rmb(server, 0x5002);
    w.interface = 1;
    w.write(client, 0x5002, 0, Octets(10));
    w.cdc(client, 0x102, 1, {0, 10}, {0, 0});
    w.interface = 0;
    w.rendezvous_before_confirm(2, false);
    w.interface = 1;
    w.write(client, 0x5002, 10, Octets(10));
    w.cdc(client, 0x102, 2, {0, 20}, {0, 0});
    w.interface = 0;
    w.send_confirm(2, false);
    w.hear(client);
    w.tracker.finish();
    EXPECT_EQ(w.connection(2).from[client].bytes_announced, 20U);
    EXPECT_EQ(w.connection(2).from[client].bytes_written, 20U);
    EXPECT_EQ(tally(w, rules::cdc_sequence).satisfied, 2U) << "in their order";
}

TEST(LinkGroups, MessagesWithAnUnknownTokenStayInTheirOrder) {
    World w;
    w.rendezvous_before_confirm(1, true);
    w.confirm_link();
    w.rendezvous_before_confirm(2, false);
    w.cdc(server, 0x201, 1, {0, 0}, {0, 0});
    w.send_confirm(2, false);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 0});
    w.cdc(server, 0x201, 3, {0, 0}, {0, 0});
    w.tracker.finish();
    EXPECT_EQ(tally(w, rules::cdc_sequence).broken, 0U);
}

TEST(LinkGroups, QueuePairsUsedAgainAreAnotherLinks) {
    for (const bool confirm_seen : {true, false}) {
        World w;
        w.connect(1, true);
        w.delete_group();
        w.port[client].psn = 5'000'000, w.port[server].psn = 9'000'000;
        w.handshake();
        w.send(client, World::proposal());
        w.sequence[server] += 68;  // the ACCEPT, which was not captured
        if (confirm_seen) w.send_confirm(2, true);
        w.confirm_link();
        w.connect(3, false);
        w.cdc(client, 0x103, 1, {0, 0}, {0, 0});
        w.tracker.finish();
        EXPECT_EQ(w.tracker.model().link_groups.size(), 2U);
        EXPECT_EQ(w.connection(3).link_group, 2U);
        EXPECT_TRUE(w.tracker.model().findings.empty());
    }
}

TEST(LinkGroups, WhoWaitsAtTheEndHasWaitedUntilBothSidesWereHeardLast) {
    constexpr std::uint32_t window = 16'384;
    for (const bool complete : {true, false}) {
        World w;
        w.connect(1, true);
        w.write(client, 0x5001, 0, Octets(window));
        w.cdc(client, 0x101, 1, {1, 0}, {0, 0});
        w.pass(5 * capture::second);
        if (!complete) w.lose(server);
        w.hear(client), w.hear(server);
        w.tracker.finish();
        const Direction& direction = w.connection(1).from[client];
        EXPECT_EQ(direction.waits_at_end, complete);
        EXPECT_EQ(direction.stalls.total >= 5 * capture::second, complete) << "what is missing may have ended it";
    }
}

/// Whether the server's first message with an unknown token is taken for that of a connection whose CONFIRM is missing.
bool takes_for_lacking_confirm(bool cut_before) {
    World w;
    w.connect(1, true);
    w.rendezvous_before_confirm(2, false);
    if (cut_before) w.request(server, World::send_only, {wire::cdc_type, wire::cdc_size});
    w.cdc(server, 0x202, 1, {0, 0}, {0, 0});
    return w.connection(2).alert_token[client] == 0x202;
}

TEST(LinkGroups, MessageThatLacksItsConfirmIsNobodysBehindOneThatWasCut) {
    EXPECT_TRUE(takes_for_lacking_confirm(false));
    EXPECT_FALSE(takes_for_lacking_confirm(true)) << "the one that was cut may have been the connection's first";
}

/// The client has not got the option of the SYN-ACK.
void lose_option_of_syn_ack(World& w, bool two_taps) {
    w.handshake();
    if (two_taps) {
        --w.sequence[server];
        w.segment(server, capture::syn | capture::ack);
    }
    w.send(client, Octets(300, 'a'));
}

TEST(Rendezvous, AnOptionThatWasRemovedOnItsWayIsNotTheClientsFault) {
    for (const bool two_taps : {false, true}) {
        World w;
        lose_option_of_syn_ack(w, two_taps);
        w.send(server, Octets(300, 'b'));
        for (const Side from : {client, server}) w.segment(from, capture::fin | capture::ack);
        w.tracker.finish();
        EXPECT_EQ(w.connection(1).outcome, Outcome::plain_tcp);
        EXPECT_EQ(w.connection(1).close, Close::orderly);
        EXPECT_EQ(w.connection(1).setup.option_removed[server], two_taps);
        EXPECT_TRUE(w.tracker.model().findings.empty());
        EXPECT_EQ(tally(w, rules::clc_format).undecided, 1U);
    }
    World w;
    lose_option_of_syn_ack(w, false);
    w.segment(server, capture::rst | capture::ack);
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).outcome, Outcome::failed);
}

TEST(Rendezvous, ASynThatIsRepeatedWithoutTheOptionIsNoCopy) {
    World w;
    for (const Time later : {Time{0}, 2 * capture::second}) {
        w.now += later;
        w.sequence[client] = 1000;
        w.segment(client, capture::syn, {}, later == 0);
    }
    EXPECT_FALSE(w.connection(1).setup.option_removed[client]);
    w.sequence[client] = 1000;
    w.segment(client, capture::syn);
    EXPECT_FALSE(w.connection(1).setup.option_removed[client]);
}

TEST(Rendezvous, AResetBesideTheWindowIsNone) {
    World w;
    w.connect(1, true);
    for (const std::int32_t off : {-100'000, 0}) {
        w.sequence[client] += static_cast<std::uint32_t>(off);
        w.segment(client, capture::rst);
        EXPECT_EQ(w.connection(1).reset, off == 0);
        w.sequence[client] -= static_cast<std::uint32_t>(off);
    }
}

TEST(Rendezvous, WhatBecameOfTheProposal) {
    World w;
    w.handshake();
    const std::uint32_t first = w.sequence[client];
    for (int i = 0; i < 3; ++i) w.sequence[client] = first, w.send(client, World::proposal());
    EXPECT_EQ(w.connection(1).setup.proposals, 3U);
    EXPECT_FALSE(w.connection(1).setup.proposal_acknowledged);
    w.segment(server, capture::ack);
    EXPECT_TRUE(w.connection(1).setup.proposal_acknowledged);
    w.segment(client, capture::fin | capture::ack);
    ASSERT_TRUE(w.connection(1).end);
    EXPECT_EQ(w.connection(1).ended_by, client);
}

TEST(TransferRules, FramesInOrderOfTimeNeedNotBeInOrderOfNumbers) {
    World w;
    w.rendezvous_before_confirm(1, true);
    w.frames += 100;
    w.send_confirm(1, true);
    w.frames -= 100;
    w.now += capture::millisecond;
    w.confirm_link();
    w.write(server, 0xC001, 0, {1});
    EXPECT_TRUE(w.tracker.model().findings.empty());
}

TEST(LinkGroups, AReplyMayBeAmongWhatIsMissing) {
    for (const bool lost : {false, true}) {
        World w;
        w.connect(1, true);
        w.hear(server);  // TEST LINK
        w.lose(client, lost ? 1 : 0);
        w.hear(client);
        w.tracker.finish();
        EXPECT_EQ(w.group(1).exchanges.at(1).reply_may_be_lost, lost);
    }
}

TEST(Midstream, OneConnectionSeenFromTheMiddle) {
    World w;
    w.write(client, 0x5001, 1000, hello_text);
    w.cdc(client, 0x101, 70, {3, 1005}, {2, 800});
    w.write(server, 0xC001, 800, hello_text);
    w.cdc(server, 0x201, 65, {2, 805}, {3, 1005});
    w.write(client, 0x5001, 1005, hello_text);
    w.cdc(client, 0x101, 71, {3, 1010}, {2, 805});
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 1U);
    const Connection& c = w.connection(1);
    EXPECT_TRUE(c.midstream);
    EXPECT_FALSE(c.client);
    EXPECT_EQ(c.outcome, Outcome::smc_r);
    EXPECT_FALSE(w.group(1).roles_known);
    EXPECT_EQ(w.group(1).links.size(), 1U);
    EXPECT_EQ(c.from[client].bytes_written, 10U);
    EXPECT_EQ(c.from[server].bytes_written, 5U);
    EXPECT_EQ((w.streams[{1, client}]), (Octets{'h', 'e', 'l', 'l', 'o', 'h', 'e', 'l', 'l', 'o'}));
    EXPECT_FALSE(c.from[client].rmbe_size);
}

TEST(Midstream, LaterHandshakeTellsWhoIsWho) {
    World w;
    std::swap(w.port[client], w.port[server]);  // the first one seen to send is the server
    w.cdc(client, 0x101, 70, {3, 1005}, {2, 800});
    w.cdc(server, 0x201, 65, {2, 805}, {3, 1005});
    std::swap(w.port[client], w.port[server]);
    w.connect(2, false);
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().link_groups.size(), 1U);
    EXPECT_TRUE(w.group(1).roles_known);
    EXPECT_EQ(w.group(1).links[0].end[server].qpn, 0x14U);
    EXPECT_EQ(w.connection(1).alert_token[client], 0x101U) << "the client assigned what the server sent";
    EXPECT_EQ(w.connection(2).link_group, 1U);
}

TEST(Midstream, AnAnswerToAddLinkTellsWhoIsWho) {
    World w;
    w.llc(server, w.addition(server, 2));  // the first one seen to send is taken for the client
    wire::AddLink refusal = w.addition(client, 2);
    refusal.reject = true;
    w.llc(client, refusal);
    EXPECT_TRUE(w.group(1).roles_known);
    ASSERT_EQ(w.group(1).exchanges.size(), 1U);
    EXPECT_EQ(w.group(1).exchanges[0].from, server);
    EXPECT_TRUE(w.group(1).exchanges[0].refused);
}

TEST(Midstream, PlainRoceIsNotClaimed) {
    World w;
    w.request(client, World::send_only, Octets(44));
    w.request(client, World::send_only, Octets(44, 0xFE));
    w.write(client, 1, 0, hello_text);
    w.tracker.finish();
    EXPECT_TRUE(w.tracker.model().link_groups.empty());
    EXPECT_TRUE(w.facts.empty());
}

TEST(LinkLife, DeletedBeforeItWasConfirmedItFailed) {
    World w;
    w.rendezvous(1, true);
    w.llc(server, w.confirmation(server));
    w.delete_group();
    w.tracker.finish();
    EXPECT_EQ(w.group(1).links[0].state, LinkState::failed);
}

TEST(LinkLife, AConfirmationThatIsMissingMayHaveBeenSent) {
    World w;
    w.rendezvous(1, true);
    for (const Side from : {server, client}) w.lose(from);
    w.delete_group();
    w.tracker.finish();
    EXPECT_EQ(w.group(1).links[0].state, LinkState::deleted);
}

TEST(LinkLife, AConfirmationThatIsCutMayHaveBeenSent) {
    World w;
    w.rendezvous(1, true);
    w.kept = 20;  // DELETE LINK is known by fewer octets
    w.confirm_link();
    w.delete_group();
    w.tracker.finish();
    EXPECT_EQ(w.group(1).links[0].state, LinkState::deleted);
}

TEST(LinkLife, SilenceBehindADeletionThatIsCutIsNoFailure) {
    World w;
    w.connect(1, true);
    const std::uint32_t psn = w.port[server].psn;
    w.kept = 4;  // not even which links it is about
    w.llc(server, World::deletion(server, 1));
    for (int i = 0; i < 8; ++i) w.repeat(server, World::send_only, psn, Octets(wire::llc_size));
    w.tracker.finish();
    EXPECT_EQ(w.group(1).links[0].state, LinkState::active);
}

TEST(LinkLife, AnInterfaceThatEndsBeforeTcpTellsOfNoFailure) {
    for (const std::uint32_t of_links : {0U, 1U}) {
        World w;
        w.rendezvous(1, true);
        w.interface = of_links;
        w.llc(server, w.confirmation(server));
        w.acknowledge(client);
        w.interface = 0;
        w.segment(client, capture::rst | capture::ack);
        w.tracker.finish();
        EXPECT_EQ(w.connection(1).outcome, of_links == 0 ? Outcome::failed : Outcome::unknown);
    }
}

TEST(Limits, ConnectionsAndGroupsAreBounded) {
    Options options;
    options.limits.connections = 3;
    options.limits.link_groups = 1;
    World w(options);
    for (std::uint32_t n = 1; n <= 5; ++n) {
        w.port[server].qpn = 0x100 + n;
        w.connect(n, true);
    }
    w.tracker.finish();
    EXPECT_EQ(w.tracker.model().connections.size(), 3U);
    EXPECT_GT(w.tracker.model().dropped_connections, 0U);
    EXPECT_EQ(w.tracker.model().link_groups.size(), 1U);
    EXPECT_GT(w.tracker.model().dropped_link_groups, 0U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
