// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of WRITEs and CDC messages: corner cases, healthy traffic close by, and traffic of which too little was
// captured. What plainly breaks a rule is in tests/traffic/smcr.rules.
#include "analyzer/engine/smcr/transfer_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine::smcr {
namespace {

using namespace test;
using enum Side;

constexpr std::uint32_t element_size = 16384;  // of every RMB element here

/// smcr-1, a first contact: the client writes to the server's RMB 0x5001 and names token 0x101.
class TransferRulesTest : public ::testing::Test {
protected:
    explicit TransferRulesTest(Options options = {}) : w(options) { w.connect(1, true); }

    static wire::Cdc message(std::uint16_t sequence, wire::Cursor producer, wire::Cursor consumer = {}) {
        wire::Cdc cdc;
        cdc.sequence = sequence;
        cdc.producer = producer;
        cdc.consumer = consumer;
        return cdc;
    }
    void send(Side from, wire::Cdc cdc) {
        cdc.alert_token = from == client ? 0x101 : 0x201;
        w.cdc(from, cdc);
    }
    void write(Side from, std::uint64_t offset, std::size_t length) {
        w.write(from, from == client ? 0x5001 : 0xC001, offset, Octets(length));
    }
    /// The client fills the server's RMB element.
    void fill() {
        for (std::uint32_t at = 0; at < element_size; at += 1024) write(client, at, 1024);
        send(client, message(1, {1, 0}));
    }
    const Finding& finding() const { return w.tracker.model().findings.at(0); }
    std::uint64_t undecided(RuleRef rule) const { return tally(w, rule).undecided; }

    // ---- a second link ----
    /// On which RKeys are by 100h more.
    void add_link() {
        for (const Side from : {server, client}) w.llc(from, w.addition(from, 2));
        for (const Side from : {server, client}) {
            wire::AddLinkContinuation body;
            body.reply = from == client;
            body.link = 2;
            body.rtokens_left = 1;
            const std::uint32_t reference = from == server ? 0x5001 : 0xC001;
            const wire::RkeyPair pair{reference, reference + 0x100, World::address_of(reference + 0x100)};
            w.llc(from, body, octets_of(pair));
        }
        w.change_link();
        for (const Side from : {server, client}) w.llc(from, w.confirmation(from, 2));
        w.change_link();
    }
    void validate(std::uint16_t sequence) {
        wire::Cdc cdc = message(sequence, {});
        cdc.flags.failover_validation = true;
        send(client, cdc);
    }

    /// The client moves to the second link, and names a message that the capture does not have.
    void name_unseen_message() {
        add_link();
        send(client, message(1, {0, 0}));
        w.change_link();
        validate(2);
    }

    World w;
};

class StrictTransferRulesTest : public TransferRulesTest {
protected:
    StrictTransferRulesTest() : TransferRulesTest(strict()) { add_link(); }  // before which no data may flow
};

TEST_F(TransferRulesTest, HealthyTransferBreaksNone) {
    fill();
    send(server, message(1, {0, 0}, {1, 0}));
    write(client, 0, 1000);
    send(client, message(2, {1, 1000}));
    write(server, 0, 10);
    send(server, message(2, {0, 10}, {1, 1000}));
    EXPECT_EQ(found(w), Ids{});
    for (const RuleRef rule : std::initializer_list<RuleRef>{
             rules::cdc_sequence, rules::cursor_range, rules::window, rules::write_range, rules::write_before_cdc,
             rules::consumer_behind_producer, rules::path_mtu, rules::initial_psn, rules::known_token,
             rules::data_after_confirm}) {
        EXPECT_GT(tally(w, rule).satisfied, 0U) << (*rule).id;
        EXPECT_EQ(tally(w, rule).undecided, 0U) << (*rule).id;
    }
}

// ---- R18: who may begin --------------------------------------------------------------------------

TEST(DataBeforeConfirm, R18OfTheServer) {
    World w;
    w.connect(1, true);
    w.rendezvous_before_confirm(2, false);
    w.cdc(server, 0x202, 1, {0, 0}, {0, 0});
    w.send_confirm(2, false);
    EXPECT_EQ(found(w), Ids{"SMCR-R18"});
    EXPECT_EQ(w.tracker.model().findings[0].session, "smcr-2");
}

TEST(DataBeforeConfirm, R18IsUndecidedOnTwoInterfaces) {
    World w;
    w.connect(1, true);
    w.rendezvous_before_confirm(2, false);
    w.interface = 1;
    w.cdc(server, 0x202, 1, {0, 0}, {0, 0});
    w.interface = 0;
    w.send_confirm(2, false);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::data_after_confirm).undecided, 1U);
}

// ---- R32: tokens ---------------------------------------------------------------------------------

TEST_F(TransferRulesTest, R32UnknownToken) {
    write(client, 0, 100);
    wire::Cdc cdc = message(1, {0, 100});
    cdc.alert_token = 0x777;
    w.cdc(client, cdc);
    w.now += 3 * capture::second;
    w.llc(client, wire::TestLink{});
    EXPECT_EQ(found(w), Ids{"SMCR-R32"});
    EXPECT_EQ(finding().frames.size(), 2U) << "the WRITE and the message";
}

TEST_F(TransferRulesTest, R32TokenOfAConnectionOutOfSight) {
    wire::Cdc cdc = message(5, {0, 100});
    cdc.alert_token = 0x777;
    w.cdc(client, cdc);
    w.now += 3 * capture::second;
    w.llc(client, wire::TestLink{});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::known_token), 1U);
}

// ---- R33: sequence numbers -----------------------------------------------------------------------

TEST_F(TransferRulesTest, R33Steps) {
    send(client, message(1, {0, 0}));
    send(client, message(3, {0, 0}));
    send(client, message(4, {0, 0}));
    EXPECT_EQ(found(w), Ids{"SMCR-R33"});
    EXPECT_EQ(finding().frames.size(), 2U);
}

TEST_F(TransferRulesTest, R33IsUndecidedBehindAGap) {
    send(client, message(1, {0, 0}));
    w.lose(client);
    send(client, message(3, {0, 0}));
    send(client, message(4, {0, 0}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::cdc_sequence), 1U);
    EXPECT_EQ(tally(w, rules::cdc_sequence).satisfied, 2U) << "before the gap and after it";
}

/// The clock of the interface that shows RoCE is behind: the first message comes before the connection's CLC messages.
TEST(Midway, R33FirstMessageThatAnotherInterfaceShowedEarly) {
    World w;
    w.interface = 1;
    for (const Side side : {server, client}) w.hear(side);
    w.cdc(client, 0x102, 1, {0, 100}, {});
    w.cdc(server, 0x202, 1, {0, 0}, {0, 100});
    w.interface = 0;
    w.rendezvous(2, false);
    w.interface = 1;
    w.cdc(client, 0x102, 2, {0, 200}, {});
    w.cdc(server, 0x202, 2, {0, 0}, {0, 200});
    EXPECT_EQ(found(w), Ids{});
}

TEST_F(TransferRulesTest, R33MessagesOutOfOrderAreNotJudged) {
    send(client, message(1, {0, 0}));
    const std::uint32_t psn = w.port[client].psn;
    w.lose(client);
    send(client, message(3, {0, 0}));
    wire::Cdc cdc = message(2, {0, 0});
    cdc.alert_token = 0x101;
    w.repeat(client, World::send_only, psn, octets_of(cdc));
    send(client, message(4, {0, 0}));
    EXPECT_EQ(found(w), Ids{});
}

// ---- R34: cursors --------------------------------------------------------------------------------

TEST(EyeCatcher, R34ProducerBeforeTheDataArea) {
    World w;
    w.rendezvous(1, true);
    w.confirm_link(true);
    w.cdc(client, 0x101, 1, {0, 4}, {0, 4});
    w.cdc(client, 0x101, 2, {0, 2}, {0, 4});
    EXPECT_EQ(found(w), Ids{"SMCR-R34"});
}

TEST_F(TransferRulesTest, R34IsUndecidedBehindAGap) {
    write(client, 0, 100);
    send(client, message(1, {0, 100}));
    w.lose(client, 3);
    send(client, message(9, {2, 200}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::cursor_range), 1U);
}

// ---- R35: the window -----------------------------------------------------------------------------

TEST_F(TransferRulesTest, R35WriteBeyondTheWindow) {
    fill();
    write(client, 0, 10);
    send(client, message(2, {1, 10}));
    w.hear(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R35"});
}

TEST_F(TransferRulesTest, R35FullWindowIsNoMore) {
    fill();
    send(server, message(1, {0, 0}, {0, 10}));
    write(client, 0, 10);
    send(client, message(2, {1, 10}));
    EXPECT_EQ(found(w), Ids{});
}

TEST_F(TransferRulesTest, R35IsUndecidedIfAnUpdateMayBeMissing) {
    fill();
    w.lose(server);
    w.llc(server, wire::TestLink{});
    write(client, 0, 10);
    send(client, message(2, {1, 10}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::window), 2U) << "WRITE and CDC";
}

TEST_F(TransferRulesTest, R35IsUndecidedIfAMessageWasAcknowledgedButNotCaptured) {
    constexpr std::uint8_t acknowledge_only = 0x11;
    fill();
    w.repeat(client, acknowledge_only, w.port[server].psn, {});
    write(client, 0, 10);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::window), 1U);
}

TEST_F(TransferRulesTest, R35IsUndecidedBetweenInterfaces) {
    send(server, message(1, {0, 0}));
    w.interface = 1;
    fill();
    write(client, 0, 10);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::window), 1U);
}

// ---- R36: where WRITEs go ------------------------------------------------------------------------

TEST_F(TransferRulesTest, R36BeforeTheRmb) {
    w.request(client, World::write_only, {1, 2, 3}, ib::Reth{World::address_of(0x5001) - 8, 0x5001, 3});
    w.hear(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R36"});
}

TEST_F(TransferRulesTest, R36RkeyOfAnotherLink) {
    add_link();
    write(client, 0, 3);
    EXPECT_EQ(found(w), Ids{});
    w.write(client, 0x5101, 3, {1, 2, 3});
    w.hear_on_both_links(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R36"});
}

TEST_F(TransferRulesTest, R36IsUndecidedIfTheAnnouncementMayBeMissing) {
    w.lose(server);
    w.llc(server, wire::TestLink{});
    w.write(client, 0x7777, 0, {1, 2, 3});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::write_range), 1U);
}

// ---- R37, R38: WRITEs before CDC, immediate data -------------------------------------------------

TEST_F(TransferRulesTest, R37NotAllWritten) {
    write(client, 0, 100);
    send(client, message(1, {0, 101}));
    EXPECT_EQ(found(w), Ids{"SMCR-R37"});
    EXPECT_EQ(finding().frames.size(), 2U) << "the last WRITE and the message";
}

TEST_F(TransferRulesTest, R37IsUndecidedBehindAGap) {
    write(client, 0, 100);
    w.lose(client);
    send(client, message(1, {0, 200}));
    send(client, message(2, {0, 300}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::write_before_cdc), 2U) << "what was lost may have gone anywhere in the window";
}

/// Of two connections that have the server's RMB element one after the other, the second one announces what it wrote.
void use_element_again(World& w) {
    w.client_port = 40002;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 0x102, 0x5001, false));
    w.announce_rmb(client, 0xC002);
    w.send_confirm(2, false);
    w.cdc(client, 0x102, 1, {0, 100}, {0, 0});
}

TEST_F(TransferRulesTest, R37OfAnElementThatIsUsedAgain) {
    use_element_again(w);
    EXPECT_THAT(found(w), testing::Contains("SMCR-R37"));
    EXPECT_EQ(undecided(rules::write_before_cdc), 0U);
}

TEST_F(TransferRulesTest, R37IsUndecidedOnTwoInterfacesIfTheElementIsUsedAgain) {
    w.interface = 1;
    send(server, message(1, {0, 0}));
    w.interface = 0;
    use_element_again(w);
    EXPECT_THAT(found(w), testing::Not(testing::Contains("SMCR-R37")));
    EXPECT_EQ(undecided(rules::write_before_cdc), 1U) << "its WRITE may have been taken for the first connection's";
}

TEST_F(TransferRulesTest, R37LateWriteCounts) {
    const std::uint32_t psn = w.port[client].psn;
    w.lose(client);
    write(client, 100, 100);
    w.repeat(client, World::write_only, psn, Octets(100), ib::Reth{World::address_of(0x5001), 0x5001, 100});
    send(client, message(1, {0, 200}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::write_before_cdc).satisfied, 1U);
}

// ---- R39: the consumer ---------------------------------------------------------------------------

TEST_F(TransferRulesTest, R39IsUndecidedIfAnAnnouncementMayBeMissing) {
    write(client, 0, 100);
    send(client, message(1, {0, 100}));
    w.lose(client, 2);
    w.llc(client, wire::TestLink{});
    send(server, message(1, {0, 0}, {0, 200}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::consumer_behind_producer), 1U);
}

TEST(ConsumerBehindProducer, R39IsUndecidedBeforeTheFirstRequestOfALinkBegunBefore) {
    World w;
    w.connect(1, false);
    w.cdc(client, 0x101, 1, {0, 0}, {0, 0});
    w.cdc(server, 0x201, 1, {0, 0}, {0, 33});
    w.cdc(client, 0x101, 2, {0, 0}, {0, 0});
    EXPECT_EQ(found(w), Ids{"SMCR-R39"});
    World lacking;
    lacking.connect(1, false);
    lacking.cdc(server, 0x201, 1, {0, 0}, {0, 0});
    lacking.cdc(server, 0x201, 2, {0, 0}, {0, 33});
    lacking.cdc(client, 0x101, 2, {0, 33}, {0, 0});
    EXPECT_EQ(found(lacking), Ids{});
    EXPECT_EQ(tally(lacking, rules::consumer_behind_producer).undecided, 1U);
}

// ---- R40, R41: updates ---------------------------------------------------------------------------

TEST_F(TransferRulesTest, R40IsLinuxHabit) {
    write(client, 0, 100);
    send(client, message(1, {0, 100}));
    send(server, message(1, {0, 0}, {0, 100}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::small_updates).waived, 1U);
}

TEST_F(StrictTransferRulesTest, R40UpdateThatWasAskedFor) {
    write(client, 0, 100);
    wire::Cdc cdc = message(1, {0, 100});
    cdc.flags.consumer_update_requested = true;
    send(client, cdc);
    send(server, message(1, {0, 0}, {0, 100}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::small_updates).satisfied, 1U);
}

TEST_F(StrictTransferRulesTest, R40UpdateThatOpensTheWindow) {
    fill();
    send(server, message(1, {0, 0}, {0, 8000}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::small_updates).satisfied, 1U);
}

TEST_F(StrictTransferRulesTest, R41UpdateMayBeUnderWay) {
    fill();
    send(server, message(1, {0, 0}, {0, 8000}));
    wire::Cdc cdc = message(2, {1, 0});
    cdc.flags.writer_blocked = true;
    send(client, cdc);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::update_when_blocked), 1U);
}

// ---- R42, R71: urgent data -----------------------------------------------------------------------

TEST_F(TransferRulesTest, R42WaitsForUrgentData) {
    write(client, 0, 100);
    wire::Cdc cdc = message(1, {0, 100});
    cdc.flags.urgent_pending = cdc.flags.urgent_present = true;
    send(client, cdc);
    send(server, message(1, {0, 0}, {0, 100}));
    write(client, 100, 10);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::urgent_order).satisfied, 1U);
}

TEST_F(TransferRulesTest, R42IsUndecidedIfAnUpdateMayBeMissing) {
    write(client, 0, 100);
    wire::Cdc cdc = message(1, {0, 100});
    cdc.flags.urgent_pending = cdc.flags.urgent_present = true;
    send(client, cdc);
    w.lose(server);
    w.llc(server, wire::TestLink{});
    write(client, 100, 10);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::urgent_order), 1U);
}

// ---- R43: silence --------------------------------------------------------------------------------

TEST_F(TransferRulesTest, R43WriteToAnElementThatIsFreeAgain) {
    wire::Cdc cdc = message(1, {0, 0});
    cdc.state.connection_closed = true;
    send(client, cdc);
    send(server, cdc);
    write(client, 0, 10);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::silence_after_close), 1U);
}

TEST_F(TransferRulesTest, R43AsLinuxBreaksIt) {
    wire::Cdc closing = message(1, {0, 0});
    closing.state.connection_closed = true;
    send(client, closing);
    write(client, 0, 10);
    closing.sequence = 2;
    closing.producer = {0, 10};
    send(client, closing);
    send(server, message(1, {0, 0}));
    EXPECT_EQ(found(w), Ids{}) << "what its send buffer held";
    EXPECT_EQ(tally(w, rules::silence_after_close).waived, 2U);
    send(client, message(3, {0, 10}));
    EXPECT_EQ(found(w), Ids{"SMCR-R43"}) << "it takes back that it has closed";
}

TEST_F(TransferRulesTest, R43UpdatesAfterSendingDone) {
    wire::Cdc cdc = message(1, {0, 0});
    cdc.state.sending_done = true;
    send(client, cdc);
    write(server, 0, 10);
    send(server, message(1, {0, 10}));
    cdc.sequence = 2;
    cdc.consumer = {0, 10};
    send(client, cdc);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::silence_after_close).satisfied, 1U);
}

// ---- R46, R47: failover --------------------------------------------------------------------------

TEST_F(TransferRulesTest, FailoverBreaksNone) {
    add_link();
    send(client, message(1, {0, 0}));
    write(client, 0, 10);
    send(client, message(2, {0, 10}));
    w.change_link();
    validate(1);
    w.write(client, 0x5101, 0, Octets(10));
    send(client, message(2, {0, 10}));
    w.write(client, 0x5101, 10, Octets(10));
    send(client, message(3, {0, 20}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::failover_validation).satisfied, 2U) << "what it names, and that it comes first";
    EXPECT_EQ(tally(w, rules::failover_replay).satisfied, 1U);
    const LinkMove& move = w.connection(1).from[client].move;
    EXPECT_EQ(move.from, 1);
    EXPECT_EQ(move.to, 2);
    EXPECT_NE(move.frame, 0U);
}

TEST_F(TransferRulesTest, R46WhatWasOvertakenOnTheOldLinkIsNoMove) {
    add_link();
    send(client, message(1, {0, 0}));
    w.change_link();
    validate(1);
    w.write(client, 0x5101, 0, Octets(10));
    send(client, message(2, {0, 10}));
    w.change_link();
    send(client, message(2, {0, 10}));
    w.change_link();
    w.write(client, 0x5101, 10, Octets(10));
    send(client, message(3, {0, 20}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::failover_validation).undecided, 0U);
    EXPECT_EQ(w.connection(1).from[client].move.to, 2);
}

TEST_F(TransferRulesTest, FailoverOfASideThatWasDoneSending) {
    add_link();
    write(client, 0, 10);
    send(client, message(1, {0, 10}));
    write(client, 10, 10);
    send(client, message(2, {0, 20}));
    wire::Cdc done = message(3, {0, 20});
    done.state.sending_done = true;
    send(client, done);
    w.change_link();
    validate(0);
    w.write(client, 0x5101, 0, Octets(10));
    send(client, message(1, {0, 10}));
    w.write(client, 0x5101, 10, Octets(10));
    send(client, message(2, {0, 20}));
    send(client, done);
    EXPECT_EQ(tally(w, rules::failover_replay).satisfied, 3U);
    w.write(client, 0x5101, 20, Octets(10));
    w.hear_on_both_links(server);
    EXPECT_EQ(found(w), Ids{"SMCR-R43"}) << "only what is new";
}

TEST_F(TransferRulesTest, FailoverOfASideThatHasClosed) {
    add_link();
    write(client, 0, 10);
    send(client, message(1, {0, 10}));
    wire::Cdc closed = message(2, {0, 10});
    closed.state.connection_closed = true;
    send(client, closed);
    w.change_link();
    validate(0);
    w.write(client, 0x5101, 0, Octets(10));
    send(client, message(1, {0, 10}));
    send(client, closed);
    EXPECT_EQ(found(w), Ids{});
}

TEST_F(TransferRulesTest, FailoverToALinkThatFailsToo) {
    add_link();
    send(client, message(1, {0, 0}));
    write(client, 0, 10);
    w.change_link();
    validate(1);
    w.change_link();
    validate(1);  // went out before, over another RNIC
    w.change_link();
    w.write(client, 0x5101, 0, Octets(10));
    send(client, message(2, {0, 10}));
    EXPECT_EQ(found(w), Ids{});
}

TEST_F(TransferRulesTest, FailoverWithTheWholeWindowUnderWay) {
    constexpr std::uint64_t part = 1024;
    add_link();
    const std::uint64_t size = w.connection(1).from[client].rmbe_size.value();
    for (std::uint64_t at = 0; at < size; at += part) write(client, at, part);
    send(client, message(1, {1, 0}));
    w.change_link();
    validate(0);
    for (std::uint64_t at = 0; at < size; at += part) w.write(client, 0x5101, at, Octets(part));
    send(client, message(1, {1, 0}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(w.connection(1).from[client].bytes_written, size);
    EXPECT_EQ(w.connection(1).from[client].bytes_replayed, size);
}

TEST_F(TransferRulesTest, FailoverWithMessagesMadeOne) {
    add_link();
    send(client, message(1, {0, 0}));
    send(client, message(2, {0, 0}));
    w.change_link();
    validate(0);
    send(client, message(4, {0, 0}));
    EXPECT_EQ(found(w), Ids{}) << "number 3 may have been lost with the link";
    EXPECT_EQ(tally(w, rules::failover_replay).satisfied, 1U);
}

TEST_F(TransferRulesTest, R46IsUndecidedBetweenHealthyLinks) {
    add_link();
    send(client, message(1, {0, 0}));
    w.change_link();
    send(client, message(2, {0, 0}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::failover_validation), 1U);
}

TEST_F(TransferRulesTest, R46IsUndecidedBehindAGap) {
    add_link();
    send(client, message(1, {0, 0}));
    w.lose(client);
    w.llc(client, wire::TestLink{});
    w.change_link();
    validate(2);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::failover_validation), 1U);
}

TEST_F(TransferRulesTest, TheInterfaceOfTheOldLinkMayHaveEndedEarly) {
    add_link();
    send(client, message(1, {0, 0}));
    w.change_link();
    w.interface = 1;
    validate(3);
    send(client, message(3, {2, 0}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::failover_validation), 1U);
    EXPECT_EQ(undecided(rules::cursor_range), 1U);
}

TEST_F(TransferRulesTest, R46WhatFollowsShowsThatTheMessageThatIsNamedWasSent) {
    name_unseen_message();
    send(client, message(3, {0, 0}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(undecided(rules::failover_validation), 0U);
}

TEST_F(TransferRulesTest, R46WhatFollowsShowsThatTheMessageThatIsNamedWasNotSent) {
    name_unseen_message();
    send(client, message(2, {0, 0}));
    ASSERT_EQ(found(w), Ids{"SMCR-R46"});
    EXPECT_EQ(finding().text, "message 2 is named, but the last one was 1: message 2 follows");
}

TEST_F(TransferRulesTest, R47NewDataWithoutWhatWasNotAcknowledged) {
    add_link();
    write(client, 0, 10);
    send(client, message(1, {0, 10}));
    write(client, 10, 20);
    send(client, message(2, {0, 30}));
    w.change_link();
    validate(1);
    w.write(client, 0x5101, 15, Octets(30));
    send(client, message(3, {0, 45}));
    ASSERT_EQ(found(w), Ids{"SMCR-R47"});
    EXPECT_EQ(
        finding().text, "message 3 follows, although 5 of 20 octets announced behind message 1 were not written again");
}

TEST_F(TransferRulesTest, WhatHasBeenConsumedNeedsNoReplay) {
    add_link();
    write(client, 0, 10);
    send(client, message(1, {0, 10}));
    send(server, message(1, {0, 0}, {0, 10}));
    w.change_link();
    validate(0);
    w.write(client, 0x5101, 10, Octets(10));
    send(client, message(2, {0, 20}));
    EXPECT_EQ(found(w), Ids{});
}

TEST_F(TransferRulesTest, FailoverWithOneWriteOfOldAndNewData) {
    add_link();
    write(client, 0, 10);
    send(client, message(1, {0, 10}));
    w.change_link();
    validate(0);
    w.write(client, 0x5101, 0, Octets(25));
    send(client, message(2, {0, 25}));
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(w.connection(1).from[client].bytes_written, 25U);
    EXPECT_EQ(w.connection(1).from[client].bytes_replayed, 10U);
}

TEST_F(TransferRulesTest, R47MessageLeftOut) {
    add_link();
    for (std::uint16_t n = 1; n <= 3; ++n) send(client, message(n, {0, 0}));
    w.change_link();
    validate(1);
    send(client, message(3, {0, 0}));
    EXPECT_EQ(found(w), Ids{"SMCR-R47"});
}

// ---- R49, R70: packets ---------------------------------------------------------------------------

TEST(InitialPsn, R70IsUndecidedIfTheBeginIsMissing) {
    World w;
    w.client_port = 40001;
    w.handshake();
    w.send(client, World::proposal());
    w.send(server, World::accept_or_confirm(wire::ClcType::accept, w.port[server], 0x101, 0x5001, true));
    w.send(client, World::accept_or_confirm(wire::ClcType::confirm, w.port[client], 0x201, 0xC001, true));
    w.lose(client, 7);
    w.llc(client, wire::TestLink{});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::initial_psn).undecided, 1U);
}

TEST(PathMtu, R49OneOfferTellsHowLargeItIsAtMost) {
    constexpr std::uint8_t send_only = 0x04;
    for (const bool both : {true, false}) {
        World w;
        w.rendezvous_before_confirm(1, true);
        if (both) w.send_confirm(1, true);
        w.confirm_link();
        const Link& link = w.tracker.model().link_groups.at(0).links.at(0);
        EXPECT_EQ(link.mtu, both ? std::optional(1024U) : std::nullopt);
        EXPECT_EQ(tally(w, rules::path_mtu).undecided, both ? 0U : 2U) << "the first packet of each side";
        EXPECT_EQ(tally(w, rules::path_mtu).broken, 0U);
        w.request(client, send_only, Octets(1025));
        EXPECT_EQ(tally(w, rules::path_mtu).broken, 1U);
    }
}

// ---- captures that begin midway ------------------------------------------------------------------

TEST(MidstreamTransfer, SaysUndecidedOrNothing) {
    World w;
    w.cdc(client, 0x101, 40, {7, 500}, {3, 20});
    w.cdc(server, 0x201, 50, {3, 90}, {7, 500});
    w.cdc(client, 0x101, 41, {9, 500}, {3, 90});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_GT(tally(w, rules::cdc_sequence).undecided, 0U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
