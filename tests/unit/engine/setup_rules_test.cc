// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the set-up and of the end of connections: which frames a finding names, healthy neighbours, and what is
// undecided where the capture does not tell. What plainly breaks a rule is in tests/traffic/smcr.rules.
#include <gtest/gtest.h>

#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine::smcr {
namespace {

using namespace test;
using enum Side;
using capture::fin, capture::rst, capture::second;
using Frames = std::vector<std::uint64_t>;

Octets accept(World& w, bool first = true, std::uint32_t token = 0x109, std::uint32_t rkey = 0x5009) {
    return World::accept_or_confirm(wire::ClcType::accept, w.port[server], token, rkey, first);
}
Octets confirm(World& w, bool first = true, std::uint32_t token = 0x209, std::uint32_t rkey = 0xC009) {
    return World::accept_or_confirm(wire::ClcType::confirm, w.port[client], token, rkey, first);
}
/// The octets with one of them changed.
Octets with(Octets octets, std::size_t at, std::uint8_t value) {
    octets.at(at) = value;
    return octets;
}
const Finding& first_finding(const World& w) { return w.tracker.model().findings.at(0); }

/// A new handshake and PROPOSAL, after which ACCEPT is due.
void propose(World& w) {
    w.client_port = 50000;
    w.handshake();
    w.send(client, World::proposal());
}

// ---- R01: option ---------------------------------------------------------------------------------

TEST(SetupRules, R01SynAckWithoutOption) {
    World w;
    w.handshake(true, false);
    w.send(client, World::proposal());
    EXPECT_EQ(found(w), Ids{"SMCR-R01"});
    EXPECT_EQ(first_finding(w).frames, (Frames{2, 4}));
}

TEST(SetupRules, R01SynWithoutOption) {
    World w;
    w.handshake(false, true);
    w.send(client, World::proposal());
    EXPECT_EQ(found(w), Ids{"SMCR-R01"});
    EXPECT_EQ(first_finding(w).frames, (Frames{1, 4}));
}

TEST(SetupRules, R01NeitherHasTheOption) {
    World w;
    w.handshake(false, false);
    w.send(client, World::proposal());
    w.send(server, accept(w));
    w.send(client, confirm(w));
    EXPECT_EQ(found(w), Ids{"SMCR-R01"});
    EXPECT_EQ(first_finding(w).frames, (Frames{1, 2, 4}));
    EXPECT_TRUE(w.connection(1).setup.confirm) << "it is followed all the same";
}

TEST(SetupRules, R01IsUndecidedWithoutHandshake) {
    World w;
    w.sequence = {{5000, 7000}};
    w.send(client, World::proposal());
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::option_in_both_syns).undecided, 1U);
}

TEST(SetupRules, R01HoldsOncePerConnection) {
    World w;
    w.connect(1, true);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::option_in_both_syns).satisfied, 1U);
}

// ---- R02: format ---------------------------------------------------------------------------------

TEST(SetupRules, R02TrailerOfAccept) {
    World w;
    propose(w);
    w.send(server, with(accept(w), 67, 0));
    EXPECT_EQ(found(w), Ids{"SMCR-R02"});
    EXPECT_EQ(first_finding(w).frames, (Frames{5}));
    EXPECT_EQ(first_finding(w).session, "smcr-1");
}

TEST(SetupRules, R02IsUndecidedIfADeclineMayBeMissing) {
    World w;
    w.handshake();
    w.acknowledged[client] = w.sequence[server] + 28;
    w.send(client, {'G', 'E', 'T', ' ', '/', '\r', '\n'});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::clc_format).undecided, 1U);
}

// ---- R03: order ----------------------------------------------------------------------------------

/// A segment that was captured on another interface may come late; what its sender knew counts.
TEST(SetupRules, R03DoesNotTakeCaptureOrderForOrder) {
    World w;
    w.handshake();
    w.acknowledged[server] = w.sequence[client] + static_cast<std::uint32_t>(World::proposal().size());
    w.send(server, accept(w));
    w.send(client, World::proposal());
    w.send(client, confirm(w));
    EXPECT_EQ(found(w), Ids{});
}

// ---- R04: reserved -------------------------------------------------------------------------------

TEST(SetupRules, R04ReservedOctetOfAccept) {
    World w;
    propose(w);
    w.send(server, with(accept(w), 51, 1));
    EXPECT_EQ(found(w), Ids{"SMCR-R04"});
    EXPECT_EQ(first_finding(w).text, "smcr.clc.reserved2 at offset 51 is not zero");
}

TEST(SetupRules, R04ReservedOctetsOfLlcAndCdc) {
    World w;
    w.connect(1, true);
    Octets test(44);
    test[0] = 7, test[1] = 44, test[43] = 1;
    w.request(client, World::send_only, test);
    wire::Cdc cdc;
    cdc.sequence = 1;
    cdc.alert_token = 0x101;
    w.request(client, World::send_only, with(octets_of(cdc), 40, 1));
    EXPECT_EQ(found(w), (Ids{"SMCR-R04", "SMCR-R04"}));
    EXPECT_EQ(first_finding(w).text, "smcr.llc.test_link.reserved at offset 20 is not zero");
}

TEST(SetupRules, R04LeavesFailoverValidationAlone) {
    World w;
    w.connect(1, true);
    wire::Cdc cdc;
    cdc.alert_token = 0x101;
    cdc.flags.failover_validation = true;
    w.request(client, World::send_only, with(octets_of(cdc), 40, 1));
    EXPECT_EQ(tally(w, rules::reserved_is_zero).broken, 0U);
}

TEST(SetupRules, R04NoEyeCatchersIsAHabitOfLinux) {
    World w, s(strict());
    for (World* world : {&w, &s}) world->connect(1, true);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::reserved_is_zero).waived, 3U) << "both CONFIRM LINKs, and the flag of CONFIRM";
    found(s);
    EXPECT_EQ(tally(s, rules::reserved_is_zero).broken, 3U);
}

// ---- R05: prefixes -------------------------------------------------------------------------------

Octets proposal_with(std::uint8_t mask_length, std::uint8_t prefixes, std::uint8_t prefix_length = 64) {
    wire::Proposal body;
    body.ip.emplace().prefix_count = prefixes;
    body.ip->mask_length = mask_length;
    const Octets octets(prefixes * layout::size_of<wire::Ipv6Prefix>, prefix_length);
    body.prefixes = {octets};
    wire::ClcMessage m;
    m.body = body;
    return World::clc(wire::ClcType::proposal, m);
}

Ids after_proposal(const Octets& proposal, Address::Kind kind) {
    World w;
    w.tcp_kind = kind;
    w.handshake();
    w.send(client, proposal);
    return found(w);
}

TEST(SetupRules, R05SubnetOrPrefixes) {
    constexpr auto v4 = Address::Kind::ipv4, v6 = Address::Kind::ipv6;
    const Ids broken{"SMCR-R05"};
    EXPECT_EQ(after_proposal(proposal_with(0, 9), v6), broken);
    EXPECT_EQ(after_proposal(proposal_with(24, 1), v6), broken);
    EXPECT_EQ(after_proposal(proposal_with(0, 1, 129), v6), broken);
    EXPECT_EQ(after_proposal(proposal_with(0, 8), v6), Ids{});
    EXPECT_EQ(after_proposal(proposal_with(24, 1), v4), broken);
    EXPECT_EQ(after_proposal(proposal_with(33, 0), v4), broken);
    EXPECT_EQ(after_proposal(proposal_with(32, 0), v4), Ids{});
}

// ---- R06, R07: codes -----------------------------------------------------------------------------

TEST(SetupRules, R06MtuOfASubsequentContactDoesNotCount) {
    World w;
    w.connect(1, true);
    w.announce_rmb(server, 0x5009);
    propose(w);
    w.send(server, with(accept(w, false), 50, 0x00));
    EXPECT_EQ(found(w), Ids{});
}

TEST(SetupRules, R06LargeElementsAreAHabitOfLinux) {
    World w, s(strict());
    for (World* world : {&w, &s}) {
        propose(*world);
        world->send(server, with(accept(*world), 50, 0x63));
    }
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(found(s), Ids{"SMCR-R06"});
}

// ---- R08: peer ID --------------------------------------------------------------------------------

TEST(SetupRules, R08ConfirmFromAnotherPeer) {
    World w;
    w.handshake();
    w.send(client, with(World::proposal(), 15, 0x0A));
    w.send(server, accept(w));
    w.send(client, with(confirm(w), 15, 0x0B));
    EXPECT_EQ(found(w), Ids{"SMCR-R08"});
    EXPECT_EQ(first_finding(w).frames, (Frames{4, 6}));
}

TEST(SetupRules, R08WithoutRnicThereIsNoPeerId) {
    World w;
    w.handshake();
    w.send(client, with(World::proposal(), 15, 0x0A));
    w.send(server, accept(w));
    w.send(client, World::decline(0x03000000));
    EXPECT_EQ(found(w), Ids{});
}

// ---- R09: out of synchronization -----------------------------------------------------------------

/// A link group that comes to its end, after RMBs for another connection were announced.
void end_group(World& w) {
    w.connect(1, true);
    w.announce_rmb(server, 0x5009);
    w.announce_rmb(client, 0xC009);
    w.delete_group();
}

TEST(SetupRules, R09ConfirmsADeletedLink) {
    World w;
    end_group(w);
    w.pass(2 * second);
    propose(w);
    w.send(server, accept(w, false));
    w.send(client, confirm(w, false));
    EXPECT_EQ(found(w), Ids{"SMCR-R09"});
    EXPECT_EQ(first_finding(w).frames.size(), 3U) << "DELETE LINK, ACCEPT, CONFIRM";
}

TEST(SetupRules, R09DeclinesADeletedLink) {
    for (const bool out_of_sync : {true, false}) {
        World w;
        end_group(w);
        w.pass(2 * second);
        propose(w);
        w.send(server, accept(w, false));
        w.send(client, World::decline(0x04000000, out_of_sync));
        EXPECT_EQ(found(w), out_of_sync ? Ids{} : Ids{"SMCR-R09"});
    }
}

TEST(SetupRules, R09AcceptAndDeleteLinkMayCross) {
    World w;
    end_group(w);
    propose(w);
    w.send(server, accept(w, false));
    w.send(client, confirm(w, false));
    EXPECT_EQ(found(w), Ids{});
}

TEST(SetupRules, R09IsUndecidedForALinkFromBefore) {
    World w;
    w.connect(1, false);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::known_link).undecided, 1U);
}

TEST(SetupRules, R09ALinkThatIsAddedIsNotTheOneThatAcceptNames) {
    World w;
    w.connect(1, false);
    w.add_link();
    EXPECT_EQ(found(w), Ids{});
}

// ---- R10: new link groups ------------------------------------------------------------------------

TEST(SetupRules, R10QueuePairOfAnotherGroup) {
    World w;
    w.connect(1, true);
    w.port[client].qpn = 0x12;
    w.connect(2, true);
    EXPECT_EQ(found(w), Ids{"SMCR-R10"});
}

TEST(SetupRules, R10RmbOfAnotherGroup) {
    World w;
    w.connect(1, true);
    w.port[client].qpn = 0x12, w.port[server].qpn = 0x15;
    propose(w);
    w.send(server, accept(w, true, 0x109, 0x5001));
    w.send(client, confirm(w));
    EXPECT_EQ(found(w), Ids{"SMCR-R10"});
}

TEST(SetupRules, R10EverythingNew) {
    World w;
    w.connect(1, true);
    w.port[client].qpn = 0x12, w.port[server].qpn = 0x15;
    w.connect(2, true);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::new_group_is_new).satisfied, 4U);
}

TEST(SetupRules, R10IsUndecidedForAQuietGroup) {
    World w;
    w.connect(1, true);
    w.pass(60 * second);
    w.connect(2, true);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::new_group_is_new).undecided, 2U);
}

// ---- R11: no chase -------------------------------------------------------------------------------

TEST(SetupRules, R11DeclineChasesProposal) {
    World w;
    propose(w);
    w.send(client, World::decline(0x03030000));
    EXPECT_EQ(found(w), Ids{"SMCR-R11"});
    EXPECT_EQ(first_finding(w).frames, (Frames{4, 5}));
}

TEST(SetupRules, R11DeclineChasesAccept) {
    World w;
    propose(w);
    w.send(server, accept(w));
    w.send(server, World::decline(0x03030000));
    EXPECT_EQ(found(w), Ids{"SMCR-R11"});
}

TEST(SetupRules, R11DeclineOfAnAgreedSubsequentContact) {
    for (const Side from : {client, server}) {
        World w;
        w.connect(1, true);
        w.connect(2, false);
        w.send(from, World::decline(0x03030000));
        EXPECT_EQ(found(w), Ids{"SMCR-R11"}) << name_of(from);
    }
}

TEST(SetupRules, R11DeclineInsteadOfAMessage) {
    World instead_of_proposal;
    instead_of_proposal.handshake();
    instead_of_proposal.send(client, World::decline(0x03030000));
    EXPECT_EQ(found(instead_of_proposal), Ids{});

    World instead_of_confirm;
    propose(instead_of_confirm);
    instead_of_confirm.send(server, accept(instead_of_confirm));
    instead_of_confirm.send(client, World::decline(0x03030000));
    EXPECT_EQ(found(instead_of_confirm), Ids{});
    EXPECT_EQ(tally(instead_of_confirm, rules::no_chase).satisfied, 1U);
}

/// The ACCEPT was not captured, but has been acknowledged.
TEST(SetupRules, R11AnswerThatWasNotCaptured) {
    World w;
    propose(w);
    w.sequence[server] += 68;
    w.send(client, World::decline(0x03030000));
    EXPECT_EQ(found(w), Ids{});
}

// ---- R12: decline in time ------------------------------------------------------------------------

TEST(SetupRules, R12DeclineAfterAddLinkWasAnswered) {
    World w;
    w.connect(1, true);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    w.pass(second);
    w.send(server, World::decline(0x02020000));
    EXPECT_EQ(found(w), Ids{"SMCR-R12"});
    EXPECT_EQ(first_finding(w).frames.size(), 3U);
}

TEST(SetupRules, R12DeclineAndReplyMayCross) {
    World w;
    w.connect(1, true);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    w.send(server, World::decline(0x02020000));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::decline_in_time).undecided, 1U);
}

TEST(SetupRules, R12DeclineBeforeTheSecondLink) {
    World w;
    w.connect(1, true);
    w.pass(second);
    w.send(server, World::decline(0x02010000));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::decline_in_time).satisfied, 1U);
}

// ---- R13: decline ends RDMA ----------------------------------------------------------------------

TEST(SetupRules, R13DataAfterDecline) {
    World w;
    w.connect(1, true);
    w.send(server, World::decline(0x02010000));
    w.pass(second);
    w.cdc(client, 0x101, 1, {0, 0}, {0, 0});
    w.cdc(client, 0x101, 2, {0, 0}, {0, 0});
    EXPECT_EQ(found(w), Ids{"SMCR-R13"}) << "told once";
    EXPECT_EQ(first_finding(w).frames.size(), 2U);
}

TEST(SetupRules, R13DataMayCrossDecline) {
    World w;
    w.connect(1, true);
    w.send(server, World::decline(0x02010000));
    w.cdc(client, 0x101, 1, {0, 0}, {0, 0});
    w.segment(client, fin | capture::ack);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::decline_ends_rdma).satisfied, 1U);
}

// ---- R44: aborts ---------------------------------------------------------------------------------

constexpr wire::CdcStateFlags abort_flag{.abnormal_close = true}, closed_flag{.connection_closed = true};

/// Two connections, so that the link stays in use when the first one ends.
void exchange_data(World& w) {
    w.connect(1, true);
    w.write(client, 0x5001, 0, {1, 2, 3});
    w.cdc(client, 0x101, 1, {0, 3}, {0, 0});
    w.cdc(server, 0x201, 1, {0, 0}, {0, 3});
}

TEST(SetupRules, R44AbortWithoutAnswer) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    const std::uint64_t abort = w.frames;
    w.acknowledge(server);
    w.pass(11 * second);
    w.acknowledge(server);
    w.hear(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R44"});
    EXPECT_EQ(first_finding(w).frames, (Frames{abort}));
}

TEST(SetupRules, R44AbortWithAnswer) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 3}, abort_flag);
    w.pass(11 * second);
    w.acknowledge(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).satisfied, 1U);
}

TEST(SetupRules, R44LinuxDoesNotAnswerOnceItIsDoneSending) {
    World w;
    exchange_data(w);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 3}, {.sending_done = true});
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.acknowledge(server);
    w.pass(11 * second);
    w.acknowledge(server);
    w.hear(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).waived, 1U);
}

TEST(SetupRules, R44NothingIsDueFromWhoHasClosed) {
    World w;
    exchange_data(w);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 3}, closed_flag);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.pass(11 * second);
    w.acknowledge(server);
    EXPECT_EQ(found(w), Ids{});
}

TEST(SetupRules, R44IsUndecidedIfThePeerMayBeGone) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.pass(11 * second);
    w.segment(client, capture::ack);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).undecided, 1U);
}

TEST(SetupRules, R44IsUndecidedWithAGap) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.lose(server);  // the answer
    w.llc(server, wire::TestLink{});
    w.pass(11 * second);
    w.acknowledge(server);
    EXPECT_EQ(tally(w, rules::abort_answer).broken, 0U);
    EXPECT_EQ(tally(w, rules::abort_answer).undecided, 1U);
}

TEST(SetupRules, R44IsUndecidedWhenTheCaptureEnds) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.acknowledge(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).undecided, 1U);
}

TEST(SetupRules, R44ResetWithoutAbort) {
    World w;
    exchange_data(w);
    w.segment(client, rst | capture::ack);
    const std::uint64_t reset = w.frames;
    w.acknowledge(client);
    w.acknowledge(server);
    w.pass(2 * second);
    w.acknowledge(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R44"});
    EXPECT_EQ(first_finding(w).frames, (Frames{reset}));
}

TEST(SetupRules, R44ResetOnALinkThatShowsLaterThatItWorks) {
    World w;
    exchange_data(w);
    w.segment(client, rst | capture::ack);
    for (const Side from : {client, server, client, server}) {
        w.pass(5 * second);
        w.acknowledge(from);
    }
    EXPECT_EQ(found(w), Ids{"SMCR-R44"});
}

TEST(SetupRules, R44ResetOnADeadLink) {
    World w;
    exchange_data(w);
    w.segment(client, rst | capture::ack);
    w.acknowledge(client);
    w.pass(2 * second);
    w.segment(server, capture::ack);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).undecided, 1U);
}

TEST(SetupRules, R44ResetAlongWithAbort) {
    World w;
    exchange_data(w);
    w.segment(client, rst | capture::ack);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, abort_flag);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 3}, abort_flag);
    w.pass(12 * second);
    w.acknowledge(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::abort_answer).satisfied, 2U);
}

// ---- R45: FIN ------------------------------------------------------------------------------------

TEST(SetupRules, R45FinBeforeBothHaveClosed) {
    World w, s(strict());
    for (World* world : {&w, &s}) {
        exchange_data(*world);
        world->cdc(client, 0x101, 2, {0, 3}, {0, 0}, closed_flag);
        world->segment(client, fin | capture::ack);
    }
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::fin_after_close).waived, 1U);
    EXPECT_EQ(tally(s, rules::fin_after_close).broken, 1U);
}

TEST(SetupRules, R45FinAfterBothHaveClosed) {
    World s(strict());
    exchange_data(s);
    s.cdc(client, 0x101, 2, {0, 3}, {0, 0}, closed_flag);
    s.cdc(server, 0x201, 2, {0, 0}, {0, 3}, closed_flag);
    s.segment(client, fin | capture::ack);
    EXPECT_EQ(tally(s, rules::fin_after_close).satisfied, 1U);
    EXPECT_EQ(tally(s, rules::fin_after_close).broken, 0U);
}

TEST(SetupRules, R45IsUndecidedOnTwoInterfaces) {
    World s(strict());
    exchange_data(s);
    s.interface = 1;
    s.segment(client, fin | capture::ack);
    EXPECT_EQ(tally(s, rules::fin_after_close).undecided, 1U);
}

// ---- R48: TCP after the switch -------------------------------------------------------------------

TEST(SetupRules, R48KeepalivesAndFinAreNoData) {
    World w;
    w.connect(1, true);
    for (const Side from : {client, server}) {
        --w.sequence[from];
        w.segment(from, capture::ack, {0});
        --w.sequence[from];
        w.segment(from, capture::ack);
        ++w.sequence[from];
    }
    w.segment(client, fin | capture::ack);
    w.segment(server, fin | capture::ack);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::tcp_after_switch).satisfied, 2U);
}

TEST(SetupRules, R48DataAfterDecline) {
    World w;
    w.connect(1, true);
    w.send(server, World::decline(0x02010000));
    w.send(client, {'h', 'i'});
    EXPECT_EQ(found(w), Ids{});
}

TEST(SetupRules, R48IsUndecidedIfADeclineMayBeMissing) {
    World w;
    w.connect(1, true);
    w.sequence[server] += 28;
    w.send(client, {'h', 'i'});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::tcp_after_switch).undecided, 1U);
}

// ---- R50: RMB elements ---------------------------------------------------------------------------

TEST(SetupRules, R50ElementOfAClosedConnection) {
    World w;
    exchange_data(w);
    w.cdc(client, 0x101, 2, {0, 3}, {0, 0}, closed_flag);
    w.cdc(server, 0x201, 2, {0, 0}, {0, 3}, closed_flag);
    propose(w);
    w.send(server, accept(w, false, 0x109, 0x5001));
    EXPECT_EQ(found(w), Ids{});
}

TEST(SetupRules, R50IsUndecidedWithAGap) {
    World w;
    exchange_data(w);
    w.lose(client);
    w.llc(client, wire::TestLink{});
    propose(w);
    w.send(server, accept(w, false, 0x109, 0x5001));
    EXPECT_EQ(tally(w, rules::element_reuse).broken, 0U);
    EXPECT_EQ(tally(w, rules::element_reuse).undecided, 1U);
}

// ---- R53: versions -------------------------------------------------------------------------------

TEST(SetupRules, R53VersionThatWasNotOffered) {
    World w;
    propose(w);
    wire::SmcrAcceptConfirm body;
    body.body.version = 2;
    body.body.gid = gid_of(20);
    body.body.rmb_index = 1;
    body.body.mtu = 3;
    body.body.first_contact = true;
    body.v2.emplace();
    wire::ClcMessage m;
    m.body = body;
    w.send(server, World::clc(wire::ClcType::accept, m));
    EXPECT_EQ(found(w), Ids{"SMCR-R53"});
}

}  // namespace
}  // namespace fabricscope::engine::smcr
