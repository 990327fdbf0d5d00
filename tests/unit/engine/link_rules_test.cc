// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of LLC: timing, crossing messages, healthy neighbours, and what is undecided. What plainly breaks a rule is
// in tests/traffic/smcr.rules.
#include <gtest/gtest.h>

#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine::smcr {
namespace {

using namespace test;
using enum Side;

constexpr Time long_silence = 11 * capture::second;

/// Data that stand alone: one octet and its announcement.
void send_data(World& w, Side from) {
    if (from == client) {
        w.write(client, 0x5001, 0, {1});
        w.cdc(client, 0x101, 1, {0, 1}, {0, 0});
    } else {
        w.write(server, 0xC001, 0, {1});
        w.cdc(server, 0x201, 1, {0, 1}, {0, 0});
    }
}

wire::TestLink test_link(bool reply) {
    wire::TestLink body;
    body.reply = reply;
    return body;
}

/// Both sides show that they are awake, for longer than anyone waits for an answer.
void stay_awake(World& w, Side from) {
    for (int i = 0; i < 2; ++i) {
        w.llc(from, test_link(false));
        w.llc(other(from), test_link(true));
        w.now += long_silence;
    }
    w.llc(from, test_link(false));
    w.llc(other(from), test_link(true));
}

void reject_link(World& w, std::uint8_t number, std::uint8_t reason) {
    wire::AddLink body = w.addition(client, number);
    body.reject = true;
    Octets octets{2, 44, reason};
    const Octets rest = octets_of(body);
    octets.insert(octets.end(), rest.begin(), rest.end());
    w.request(client, World::send_only, octets);
}

Octets link_rtoken(std::uint8_t number, std::uint32_t rkey) {
    return octets_of(wire::LinkRtoken{number, rkey, World::address_of(rkey)});
}

/// RTokens of `rkey` for the link that is being added.
void continue_link(World& w, Side from, std::uint8_t left, std::uint32_t reference, std::uint8_t number = 2) {
    wire::AddLinkContinuation body;
    body.reply = from == client;
    body.link = number;
    body.rtokens_left = left;
    Octets slots;
    for (unsigned i = 0; i < std::min<unsigned>(left, 2); ++i) {
        const Octets slot = octets_of(wire::RkeyPair{reference + i, 0x9000 + i, 0x1000});
        slots.insert(slots.end(), slot.begin(), slot.end());
    }
    w.llc(from, body, slots);
}

wire::DeleteRkey delete_rkey(std::uint8_t count, bool reply) {
    wire::DeleteRkey body;
    body.reply = reply;
    body.count = count;
    return body;
}

Octets rkey_slot(std::uint32_t rkey) { return octets_of(wire::DeletedRkey{rkey}); }

const std::vector<std::uint64_t>& frames_of_finding(const World& w) { return w.tracker.model().findings.at(0).frames; }

TEST(LinkRules, HealthyLinksBreakNone) {
    World w(strict());
    w.connect(1, true);
    w.add_link();
    send_data(w, client);
    send_data(w, server);
    wire::ConfirmRkey both = World::announcement(0x5002, false);
    both.other_links = 1;
    w.llc(server, both, link_rtoken(2, 0x5002));
    both.reply = true;
    w.llc(client, both, link_rtoken(2, 0x5002));
    w.llc(server, World::deletion(server, 2));
    w.llc(client, World::deletion(client, 2));
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{});
    for (const RuleRef rule : std::initializer_list<RuleRef>{
             rules::confirm_link_follows, rules::confirm_link_identity, rules::max_links, rules::second_link_first,
             rules::serialized_exchanges, rules::link_topology, rules::link_number_reuse, rules::add_link_reject,
             rules::confirm_rkey_tokens, rules::delete_link_answer, rules::test_link_echo, rules::llc_format}) {
        EXPECT_NE(tally(w, rule).satisfied, 0U) << (*rule).id;
        EXPECT_EQ(tally(w, rule).undecided, 0U) << (*rule).id;
    }
}

// ---- CONFIRM LINK --------------------------------------------------------------------------------

TEST(LinkRules, WhatWasAskedIsNotKnownOfARequestThatWasCut) {
    for (const std::size_t kept : {0U, 3U, 4U, 8U, 20U}) {
        World w;
        w.rendezvous(1, true);
        const auto ask_and_reply = [&](const auto& request, const auto& reply, const Octets& slots = {}) {
            w.kept = kept;
            w.llc(server, request, slots);
            w.kept = wire::llc_size;
            w.llc(client, reply, slots);
        };
        ask_and_reply(w.confirmation(server), w.confirmation(client));
        for (const std::uint32_t rkey : {0x5002U, 0x5003U})
            ask_and_reply(World::announcement(rkey, false), World::announcement(rkey, true));
        ask_and_reply(delete_rkey(1, false), delete_rkey(1, true), rkey_slot(0x5002));
        wire::TestLink request = test_link(false), reply = test_link(true);
        request.user_data.octets[15] = reply.user_data.octets[15] = 1;
        ask_and_reply(request, reply);
        ask_and_reply(w.addition(server, 2), w.addition(client, 2));
        w.change_link();
        ask_and_reply(w.confirmation(server, 2), w.confirmation(client, 2));
        w.change_link();
        ask_and_reply(World::deletion(server, 2), World::deletion(client, 2));
        const std::size_t asked = w.group(1).exchange_count;
        w.kept = kept;
        w.llc(client, reply);
        EXPECT_EQ(w.group(1).exchange_count, asked) << kept;
        w.kept = wire::llc_size;
        for (const Side from : {server, client}) w.hear(from);
        EXPECT_EQ(found(w), Ids{}) << kept;
    }
}

TEST(LinkRules, R14IsUndecidedWithoutTheFirstPacket) {
    World w;
    w.rendezvous(1, true);
    w.lose(server);
    w.llc(server, test_link(false));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::confirm_link_follows).undecided, 1U);
}

TEST(LinkRules, R15IsUndecidedWithoutAnnouncement) {
    World w;
    w.confirm_link();
    EXPECT_EQ(found(w), Ids{});
    EXPECT_NE(tally(w, rules::confirm_link_identity).undecided, 0U);
}

TEST(LinkRules, R16ClientNeedNotSay) {
    World w;
    w.rendezvous(1, true);
    w.llc(server, w.confirmation(server));
    wire::ConfirmLink body = w.confirmation(client);
    body.max_links = 0;
    w.llc(client, body);
    EXPECT_EQ(found(w), Ids{});
}

// ---- first data ----------------------------------------------------------------------------------

TEST(LinkRules, R17NoSecondLinkIsAHabit) {
    for (const Profile profile : {Profile::standard, Profile::linux_}) {
        Options options;
        options.profile = profile;
        World w(options);
        w.connect(1, true);
        send_data(w, client);
        EXPECT_EQ(found(w), Ids{}) << "ADD LINK may be what the capture lacks";
        send_data(w, server);
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"SMCR-R17"} : Ids{});
        EXPECT_EQ(tally(w, rules::second_link_first).waived, profile == Profile::standard ? 0U : 2U);
    }
}

TEST(LinkRules, R17DataWhileTheLinkIsAdded) {
    World w;
    w.connect(1, true);
    w.llc(server, w.addition(server, 2));
    send_data(w, server);
    const std::uint64_t data = w.frames - 1;
    reject_link(w, 2, 1);
    EXPECT_EQ(found(w), Ids{"SMCR-R17"});
    EXPECT_EQ(frames_of_finding(w).back(), data);
}

TEST(LinkRules, R17DataBeforeTheNewLinkIsConfirmed) {
    World w;
    w.connect(1, true);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    send_data(w, client);
    w.change_link();
    for (const Side from : {server, client}) w.llc(from, w.confirmation(from, 2));
    EXPECT_EQ(found(w), Ids{"SMCR-R17"});
}

TEST(LinkRules, R17DataMayFlowWhileYetAnotherLinkIsAdded) {
    World w(strict());
    w.max_links = 8;
    w.connect(1, true);
    w.add_link(2);
    w.llc(server, w.addition(server, 3));
    send_data(w, server);
    reject_link(w, 3, 1);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::second_link_first).satisfied, 1U);
}

TEST(LinkRules, R17IsUndecidedAcrossInterfaces) {
    World w(strict());
    w.connect(1, true);
    w.interface = 1;
    send_data(w, client);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::second_link_first).undecided, 1U);
}

TEST(LinkRules, R17AfterARejectionDataFlow) {
    World w(strict());
    w.connect(1, true);
    w.llc(server, w.addition(server, 2));
    reject_link(w, 2, 1);
    send_data(w, client);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::second_link_first).satisfied, 1U);
}

// ---- RMBs for connections ------------------------------------------------------------------------

/// The server's ACCEPT of a second connection.
void accept_second(World& w, std::uint32_t rkey) {
    w.client_port = 40002;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 0x102, rkey, false));
}

/// An RMB of the server that the client refuses.
void announce_in_vain(World& w, std::uint32_t rkey) {
    w.llc(server, World::announcement(rkey, false));
    wire::ConfirmRkey refusal = World::announcement(rkey, true);
    refusal.negative = true;
    w.llc(client, refusal);
}

TEST(LinkRules, R19NotAnnounced) {
    World w;
    w.connect(1, true);
    accept_second(w, 0x5002);
    w.hear(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R19"});
    EXPECT_EQ(w.tracker.model().findings[0].session, "smcr-2");
}

TEST(LinkRules, R19RefusedAndNotWaitedFor) {
    World w;
    w.connect(1, true);
    announce_in_vain(w, 0x5002);
    accept_second(w, 0x5002);
    w.hear(server);  // and does not ask once more
    EXPECT_EQ(found(w), Ids{"SMCR-R19"});

    World v;
    v.connect(1, true);
    v.llc(server, World::announcement(0x5002, false));
    accept_second(v, 0x5002);
    v.llc(client, World::announcement(0x5002, true));
    EXPECT_EQ(found(v), Ids{"SMCR-R19"});
}

TEST(LinkRules, R19IsUndecidedIfARefusedRmbMayHaveBeenAnnouncedOnceMore) {
    World w;
    w.connect(1, true);
    announce_in_vain(w, 0x5002);
    for (const Side from : {server, client}) w.lose(from);
    accept_second(w, 0x5002);
    w.hear(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::announced_rtoken).undecided, 1U);
}

TEST(LinkRules, R19IsUndecidedMidway) {
    World w;
    w.connect(1, false);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::announced_rtoken).undecided, 2U);
}

TEST(LinkRules, R19IsUndecidedBeforeTheLinkIsHeardByAnotherInterface) {
    World w;
    w.rendezvous(1, true);
    accept_second(w, 0x5002);
    w.interface = 1;
    w.confirm_link();
    w.announce_rmb(server, 0x5002);
    w.hear(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::announced_rtoken).undecided, 1U);
}

TEST(LinkRules, R19IsUndecidedAfterAGap) {
    World w;
    w.connect(1, true);
    w.lose(server);
    w.llc(server, test_link(false));
    accept_second(w, 0x5002);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::announced_rtoken).undecided, 1U);
}

// ---- requests and replies ------------------------------------------------------------------------

TEST(LinkRules, R20TheRequestIsMissing) {
    World w;
    w.connect(1, true);
    w.lose(server);
    w.llc(client, test_link(true));
    w.hear(server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::llc_format).undecided, 1U);
}

TEST(LinkRules, R20ReplyToNothingMidway) {
    World w;
    w.connect(1, false);
    w.llc(client, test_link(true));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::llc_format).undecided, 1U);
}

TEST(LinkRules, R20ReplyOnAnotherLink) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(server, test_link(false));
    w.change_link();
    w.llc(client, test_link(true));
    w.hear(server);  // on that link, too, nothing was missed that the reply might belong to
    EXPECT_EQ(found(w), Ids{"SMCR-R20"});
}

/// Connection 2, whose RMBs were announced and used on the second link, goes on on the first.
void come_back_to_first_link(World& w) {
    w.client_port = 40002;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.second[server], 0x102, 0x5002, false));
    w.send(client, World::accept_or_confirm(wire::ClcType::confirm, w.second[client], 0x202, 0xC002, false));
    wire::Cdc validation;
    validation.alert_token = 0x102;
    validation.sequence = 17;
    validation.flags.failover_validation = true;
    w.cdc(client, validation);
    w.write(client, 0x793, 0, {1});
    w.cdc(client, 0x102, 18, {0, 1}, {0, 0});
    for (const Side from : {client, server}) w.hear(from);
}

TEST(LinkRules, WhatRanOnALinkThatWasNotCapturedIsNotKnown) {
    for (const bool is_captured : {false, true}) {
        World w;
        w.connect(1, true);
        w.add_link();
        World without;
        without.connect(1, true);
        for (const Side from : {server, client}) without.llc(from, without.addition(from, 2));
        World& seen = is_captured ? w : without;
        come_back_to_first_link(seen);
        if (is_captured)
            for (const Side from : {server, client}) w.hear_on_both_links(from);
        EXPECT_EQ(found(seen).empty(), !is_captured);
        EXPECT_EQ(seen.connection(2).from[client].bytes_written, is_captured ? 0U : 1U) << "a cursor told its RMB";
    }
}

TEST(LinkRules, ALinkBetweenPortsThatAreHeardIsHeardIfItIsUsed) {
    World w;
    w.connect(1, true);
    w.add_link(2);  // between the second ports
    const auto ports = w.second;
    w.second = {{Port{10, 0x31, 1}, Port{21, 0x34, 2}}};
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 3));
    come_back_to_first_link(w);
    w.second = ports;
    for (const Side from : {server, client}) w.hear_on_both_links(from);
    EXPECT_FALSE(found(w).empty());
}

TEST(LinkRules, R20LateRejectionIsAHabit) {
    for (const Profile profile : {Profile::standard, Profile::linux_}) {
        Options options;
        options.profile = profile;
        World w(options);
        w.connect(1, true);
        for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
        reject_link(w, 2, 1);
        w.hear(server);
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"SMCR-R20"} : Ids{});
    }
}

TEST(LinkRules, R21TwoAtATime) {
    World w;
    w.connect(1, true);
    w.llc(client, World::announcement(0xC002, false));
    w.llc(client, World::announcement(0xC003, false));
    const std::uint64_t second = w.frames;
    w.llc(server, World::announcement(0xC002, true));
    w.llc(server, World::announcement(0xC003, true));
    EXPECT_EQ(found(w), Ids{"SMCR-R21"});
    EXPECT_EQ(frames_of_finding(w).back(), second);
}

TEST(LinkRules, R21IsNotProvenWithoutTheReply) {
    World w;
    w.connect(1, true);
    w.llc(client, World::announcement(0xC002, false));
    w.lose(server);  // the reply
    w.llc(client, World::announcement(0xC003, false));
    w.llc(server, World::announcement(0xC003, true));
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R21IsNotProvenByADamagedReply) {
    World w;
    w.connect(1, true);
    w.llc(client, World::announcement(0xC002, false));
    w.request(server, World::send_only, Octets(44, 0x1F));  // the reply
    for (const std::uint32_t rkey : {0xC003U, 0xC004U}) w.announce_rmb(client, rkey);
    EXPECT_EQ(found(w), Ids{"SMCR-R20"});
}

TEST(LinkRules, R21BothSidesMayAnnounceAtOnce) {
    World w;
    w.connect(1, true);
    w.llc(client, World::announcement(0xC002, false));
    w.llc(server, World::announcement(0x5002, false));
    w.llc(server, World::announcement(0xC002, true));
    w.llc(client, World::announcement(0x5002, true));
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R21WhileALinkIsAdded) {
    World w;
    w.connect(1, true);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    w.llc(client, World::announcement(0xC002, false));
    const std::uint64_t early = w.frames;
    w.change_link();
    for (const Side from : {server, client}) w.llc(from, w.confirmation(from, 2));
    EXPECT_EQ(found(w), Ids{"SMCR-R21"});
    EXPECT_EQ(frames_of_finding(w).back(), early);
}

TEST(LinkRules, R21CrossingIsNoViolation) {
    World w;
    w.connect(1, true);
    w.llc(server, w.addition(server, 2));
    w.llc(client, World::announcement(0xC002, false));  // may not have seen ADD LINK yet
    wire::ConfirmRkey refusal = World::announcement(0xC002, true);
    refusal.negative = true;
    w.llc(server, refusal);
    reject_link(w, 2, 1);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::negative_while_changing).satisfied, 1U);
}

TEST(LinkRules, R22AgreedDuringAddLink) {
    World w;
    w.connect(1, true);
    w.llc(server, w.addition(server, 2));
    w.llc(client, World::announcement(0xC002, false));
    w.llc(server, World::announcement(0xC002, true));
    reject_link(w, 2, 1);
    EXPECT_EQ(found(w), Ids{"SMCR-R22"});
}

TEST(LinkRules, R22AgreedDuringDeleteLink) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(server, World::deletion(server, 2));
    wire::ConfirmRkey both = World::announcement(0xC002, false);
    both.other_links = 1;
    w.llc(client, both, link_rtoken(2, 0xC002));
    both.reply = true;
    w.llc(server, both, link_rtoken(2, 0xC002));
    w.llc(client, World::deletion(client, 2));
    EXPECT_EQ(found(w), Ids{"SMCR-R22"});
}

TEST(LinkRules, R22IsNotAboutWhatTheClientAsksFor) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(client, World::request_for_deletion(2));
    wire::ConfirmRkey both = World::announcement(0xC002, false);
    both.other_links = 1;
    w.llc(client, both, link_rtoken(2, 0xC002));
    both.reply = true;
    w.llc(server, both, link_rtoken(2, 0xC002));
    for (const Side from : {server, client}) w.llc(from, World::deletion(from, 2));
    EXPECT_EQ(found(w), Ids{});
}

// ---- which links there are -----------------------------------------------------------------------

TEST(LinkRules, R21AKeyIsToldAgainOverAnotherLink) {
    World w;
    w.connect(1, true);
    w.add_link();
    wire::ConfirmRkey body = World::announcement(0x5002, false);
    body.other_links = 1;
    w.llc(server, body, link_rtoken(2, 0x5102));
    w.change_link();
    body = World::announcement(0x5102, false);
    w.llc(server, body);
    body.reply = true;
    w.llc(client, body);
    w.change_link();
    w.llc(client, World::announcement(0x5002, true), link_rtoken(2, 0x5102));
    EXPECT_EQ(tally(w, rules::serialized_exchanges).broken, 0U);
}

TEST(LinkRules, R23SecondAsymmetricLink) {
    World w;
    w.connect(1, true);
    w.second = {{Port{11, 0x21, 1}, Port{20, 0x24, 2}}};
    w.add_link(2);
    w.second = {{Port{12, 0x31, 1}, Port{20, 0x34, 2}}};
    w.add_link(3);
    EXPECT_EQ(found(w), Ids{"SMCR-R23"});
}

TEST(LinkRules, R23OneAsymmetricLinkIsNotCounted) {
    World w;
    w.connect(1, true);
    w.second = {{Port{11, 0x21, 1}, Port{20, 0x24, 2}}};
    w.add_link(2);
    w.second = {{Port{12, 0x31, 1}, Port{22, 0x34, 2}}};
    w.add_link(3);
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R23ASymmetricLinkTakesThePlaceOfAnAsymmetricOne) {
    World w;
    w.connect(1, true);
    w.second = {{Port{10, 0x21, 1}, Port{21, 0x24, 2}}};
    w.add_link(2);
    w.second = {{Port{11, 0x31, 1}, Port{21, 0x34, 2}}};
    w.add_link(3);
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R24ARejectedNumberIsNotUsed) {
    World w;
    w.connect(1, true);
    w.llc(server, w.addition(server, 2));
    reject_link(w, 2, 1);
    w.add_link(2);
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R25ParallelLink) {
    World w;
    w.connect(1, true);
    w.second = {{Port{10, 0x21, 1}, Port{20, 0x24, 2}}};
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    EXPECT_EQ(found(w), Ids{"SMCR-R25"});
}

// ---- RTokens -------------------------------------------------------------------------------------

TEST(LinkRules, R26CountDoesNotFall) {
    World w;
    w.connect(1, true);
    w.announce_rmb(server, 0x5002);
    w.announce_rmb(server, 0x5003);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    continue_link(w, server, 3, 0x5001);
    continue_link(w, client, 0, 0);
    continue_link(w, server, 2, 0x5002);
    EXPECT_EQ(found(w), Ids{"SMCR-R26"});
}

TEST(LinkRules, R26EmptyMessagesAreFine) {
    World w;
    w.connect(1, true);
    w.announce_rmb(server, 0x5002);
    w.announce_rmb(server, 0x5003);
    for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
    continue_link(w, server, 3, 0x5001);
    continue_link(w, client, 1, 0xC001);
    continue_link(w, server, 1, 0x5003);
    continue_link(w, client, 0, 0);
    w.change_link();
    for (const Side from : {server, client}) w.llc(from, w.confirmation(from, 2));
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R27LinkLeftOut) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.announce_rmb(server, 0x5002);
    const std::uint64_t request = w.frames - 1;
    w.now += 2 * capture::second;
    w.change_link();
    w.llc(server, test_link(false));
    w.llc(client, test_link(true));
    EXPECT_EQ(found(w), Ids{"SMCR-R27"});
    EXPECT_EQ(frames_of_finding(w).back(), request);
}

TEST(LinkRules, R27LinkLeftOutBecauseItFails) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.announce_rmb(server, 0x5002);
    w.now += 2 * capture::second;
    for (const Side from : {server, client}) w.llc(from, World::deletion(from, 2));
    w.announce_rmb(server, 0x5003);
    EXPECT_EQ(found(w), Ids{});
}

/// A link group of links 1 to `last`.
void connect_over_links(World& w, std::uint8_t last) {
    w.max_links = 8;
    w.connect(1, true);
    for (std::uint8_t number = 2; number <= last; ++number) {
        const auto host = static_cast<std::uint8_t>(10 + number);
        w.second = {{Port{host, 0x30U + number, 1}, Port{static_cast<std::uint8_t>(10 + host), 0x40U + number, 1}}};
        w.add_link(number);
    }
}

/// Of link `first` and the next one.
Octets two_link_rtokens(std::uint8_t first) {
    Octets slots = link_rtoken(first, 0x5002);
    const Octets second = link_rtoken(static_cast<std::uint8_t>(first + 1), 0x5002);
    slots.insert(slots.end(), second.begin(), second.end());
    return slots;
}

/// CONFIRM RKEY and the reply.
void announce_with_others(World& w, std::uint8_t others) {
    for (const bool reply : {false, true}) {
        wire::ConfirmRkey body = World::announcement(0x5002, reply);
        body.other_links = others;
        w.llc(reply ? client : server, body, two_link_rtokens(2));
    }
}

void continue_announcement(World& w, std::uint8_t left) {
    for (const bool reply : {false, true}) {
        wire::ConfirmRkeyContinuation more;
        more.reply = reply;
        more.rtokens_left = left;
        w.llc(reply ? client : server, more, two_link_rtokens(4));
    }
}

/// CONFIRM RKEY for four other links, with a continuation that says how many RTokens are left.
void announce_on_five_links(World& w, std::uint8_t left) {
    connect_over_links(w, 5);
    announce_with_others(w, 4);
    continue_announcement(w, left);
}

TEST(LinkRules, R27Continuation) {
    World w;
    announce_on_five_links(w, 2);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::confirm_rkey_tokens).undecided, 0U);

    World v;
    announce_on_five_links(v, 1);
    EXPECT_EQ(found(v), Ids{"SMCR-R27"});
}

TEST(LinkRules, R27ThreeOtherLinksWithoutContinuation) {
    World w;
    connect_over_links(w, 4);
    announce_with_others(w, 3);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::confirm_rkey_tokens).undecided, 1U);
}

TEST(LinkRules, R19UsedBeforeTheContinuation) {
    World w;
    connect_over_links(w, 5);
    announce_with_others(w, 4);
    accept_second(w, 0x5002);
    continue_announcement(w, 2);
    EXPECT_EQ(found(w), Ids{"SMCR-R19"});
}

// ---- DELETE LINK ---------------------------------------------------------------------------------

TEST(LinkRules, R28NoAnswer) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(server, World::deletion(server, 2));
    const std::uint64_t request = w.frames;
    stay_awake(w, client);
    w.hear_on_both_links(client);
    EXPECT_EQ(found(w), Ids{"SMCR-R28"});
    EXPECT_EQ(frames_of_finding(w), std::vector{request});
}

TEST(LinkRules, R28AnotherThanWasAsked) {
    for (const bool all : {false, true}) {
        World w;
        w.connect(1, true);
        w.add_link();
        w.llc(server, all ? World::deletion_of_all(server) : World::deletion(server, 2));
        w.llc(client, World::deletion_of_all(client));
        EXPECT_EQ(found(w), all ? Ids{} : Ids{"SMCR-R28"});
    }
}

TEST(LinkRules, R28NoAnswerAboutALinkThatNeverCameUpIsAHabit) {
    for (const Profile profile : {Profile::standard, Profile::linux_}) {
        Options options;
        options.profile = profile;
        World w(options);
        w.connect(1, true);
        for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
        w.llc(server, World::deletion(server, 2));
        stay_awake(w, client);
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"SMCR-R28"} : Ids{});
    }
}

TEST(LinkRules, R28NoAnswerCaptured) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(server, World::deletion(server, 2));
    w.lose(client);  // the reply
    stay_awake(w, client);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::delete_link_answer).undecided, 1U);
}

TEST(LinkRules, R28TheLinkIsStillUsed) {
    World w;
    w.connect(1, true);
    w.add_link();
    for (const Side from : {server, client}) w.llc(from, World::deletion(from, 2));
    w.change_link();
    w.llc(client, test_link(false));  // was on its way
    w.now += 2 * capture::second;
    w.llc(client, test_link(false));
    EXPECT_EQ(found(w), Ids{"SMCR-R28"});
}

TEST(LinkRules, R29IsUndecidedIfAnotherLinkMayHaveCarriedIt) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.second = {{Port{12, 0x31, 1}, Port{21, 0x34, 2}}};
    w.add_link(3);
    w.llc(client, World::request_for_deletion(2));
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::disorderly_delete).undecided, 1U);
}

TEST(LinkRules, R29OrderlyCanWait) {
    World w;
    w.connect(1, true);
    w.add_link();
    wire::DeleteLink body = World::request_for_deletion(2);
    body.orderly = true;
    w.llc(client, body);
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{});
}

/// RFC 7609, 3.5.4: the server must comply, whatever the reason.
TEST(LinkRules, R29OrderlyForAllLinksCannotWait) {
    World w;
    w.connect(1, true);
    wire::DeleteLink body = World::request_for_deletion(1);
    body.orderly = true;
    body.all = true;
    w.llc(client, body);
    EXPECT_EQ(w.group(1).links[0].state, LinkState::active) << "the client only asks";
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{"SMCR-R29"});
}

TEST(LinkRules, R29ForAllLinksOneIsNotEnough) {
    World w;
    w.connect(1, true);
    w.add_link();
    wire::DeleteLink body = World::request_for_deletion(1);
    body.all = true;
    w.llc(client, body);
    for (const Side from : {server, client}) w.llc(from, World::deletion(from, 2));
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{"SMCR-R29"});
}

TEST(LinkRules, R29ServerFollows) {
    World w;
    w.connect(1, true);
    w.add_link();
    w.llc(client, World::request_for_deletion(2));
    for (const Side from : {server, client}) w.llc(from, World::deletion(from, 2));
    stay_awake(w, server);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::disorderly_delete).satisfied, 1U);
}

// ---- DELETE RKEY ---------------------------------------------------------------------------------

TEST(LinkRules, R30UseIsUndecidedAfterAGap) {
    World w;
    w.connect(1, true);
    send_data(w, client);
    w.lose(server);  // may have closed
    w.llc(server, delete_rkey(1, false), rkey_slot(0x5001));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::delete_rkey).undecided, 1U);
}

TEST(LinkRules, R30WriteWithADeletedKey) {
    World w;
    w.connect(1, true);
    w.llc(server, delete_rkey(1, false), rkey_slot(0x5001));
    w.write(client, 0x5001, 0, {1});  // still in time
    w.llc(client, delete_rkey(1, true), rkey_slot(0x5001));
    w.write(client, 0x5001, 1, {2});
    const std::uint64_t late = w.frames;
    w.hear(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R30"});
    EXPECT_EQ(frames_of_finding(w).back(), late);
}

TEST(LinkRules, R30TheKeyOfANewRmb) {
    World w;
    w.connect(1, true);
    w.announce_rmb(server, 0x5002);
    w.llc(server, delete_rkey(1, false), rkey_slot(0x5002));
    w.llc(client, delete_rkey(1, true), rkey_slot(0x5002));
    w.connect(2, false);
    w.write(client, 0x5002, 0, {1});
    w.cdc(client, 0x102, 1, {0, 1}, {0, 0});
    EXPECT_EQ(found(w), Ids{});
}

// ---- answers that do not come --------------------------------------------------------------------

TEST(LinkRules, R31NoAnswer) {
    World w;
    w.connect(1, true);
    w.llc(client, test_link(false));
    for (int i = 0; i < 3; ++i) {
        w.announce_rmb(server, 0x5002 + static_cast<std::uint32_t>(i));
        w.now += long_silence;
    }
    EXPECT_EQ(found(w), Ids{"SMCR-R31"});
}

TEST(LinkRules, R31SleeperHasTime) {
    World w;
    w.connect(1, true);
    w.llc(client, test_link(false));
    w.now += long_silence;
    w.announce_rmb(server, 0x5002);
    w.llc(server, test_link(true));
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R51DeleteRkeyWithoutAnswerIsAHabit) {
    for (const Profile profile : {Profile::standard, Profile::linux_}) {
        Options options;
        options.profile = profile;
        World w(options);
        w.connect(1, true);
        w.llc(client, delete_rkey(1, false), rkey_slot(0xC009));
        stay_awake(w, server);
        w.llc(client, test_link(false));
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"SMCR-R51"} : Ids{});
    }
}

TEST(LinkRules, R51DeleteLinkIsAConsequence) {
    World w;
    w.connect(1, true);
    w.add_link();
    wire::ConfirmRkey both = World::announcement(0xC002, false);
    both.other_links = 1;
    w.llc(client, both, link_rtoken(2, 0xC002));
    for (int i = 0; i < 3; ++i) {
        w.llc(server, test_link(false));
        w.now += long_silence;
    }
    w.llc(client, World::request_for_deletion(1));
    EXPECT_EQ(tally(w, rules::llc_timeout).satisfied, 1U);
}

TEST(LinkRules, R52DataAfterDeleteLinkForAll) {
    World w;
    w.connect(1, true);
    wire::DeleteLink body = World::deletion(server, 0);
    body.all = true;
    w.llc(server, body);
    send_data(w, client);  // was on its way
    w.now += 2 * capture::second;
    w.write(client, 0x5001, 1, {1});
    EXPECT_EQ(found(w), Ids{"SMCR-R52"});
}

TEST(LinkRules, R52SilenceIsKept) {
    World w;
    w.connect(1, true);
    wire::DeleteLink body = World::deletion(server, 0);
    body.all = true;
    w.llc(server, body);
    w.now += 2 * capture::second;
    w.port = {{Port{10, 0x12, 1}, Port{20, 0x15, 1}}};
    w.connect(2, true);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::silence_after_delete).satisfied, 1U);
}

// ---- single messages -----------------------------------------------------------------------------

TEST(LinkRules, R16OneLinkInVersion1) {
    World w;
    w.rendezvous(1, true);
    wire::ConfirmLink body = w.confirmation(server);
    body.max_links = 1;
    w.llc(server, body);
    EXPECT_EQ(found(w), Ids{"SMCR-R16"});
}

TEST(LinkRules, R20LeavesOptionalTypesAlone) {
    World w;
    w.connect(1, true);
    Octets llc(44);
    llc[0] = 0x8A;
    llc[1] = 44;
    w.request(client, World::send_only, llc);
    EXPECT_EQ(found(w), Ids{});
}

TEST(LinkRules, R31OtherUserData) {
    World w;
    w.connect(1, true);
    w.llc(client, wire::TestLink{});
    wire::TestLink reply;
    reply.reply = true;
    reply.user_data.octets[3] = 1;
    w.llc(server, reply);
    EXPECT_EQ(found(w), Ids{"SMCR-R31"});
    EXPECT_EQ(w.tracker.model().findings[0].frames.size(), 2U) << "request and reply";
}

TEST(LinkRules, R31IsUndecidedWithSeveralUnderWay) {
    World w;
    w.connect(1, true);
    w.llc(client, wire::TestLink{});
    w.llc(client, wire::TestLink{});
    wire::TestLink reply;
    reply.reply = true;
    reply.user_data.octets[3] = 1;
    w.llc(server, reply);
    EXPECT_EQ(found(w), Ids{});
}

}  // namespace
}  // namespace fabricscope::engine::smcr
