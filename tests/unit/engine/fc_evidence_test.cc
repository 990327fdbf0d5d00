// SPDX-License-Identifier: GPL-2.0-or-later
// What a capture must hold before Fibre Channel traffic is said to break a rule: each kind of evidence, there and lost.
#include <gtest/gtest.h>

#include "analyzer/engine/fc/given_ids.h"
#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::engine {
namespace {

using fibre_channel::GivenIds;
using fibre_channel::Party;
using fibre_channel::Port;

constexpr Port port{0, 0x01'0200};

GivenIds given(std::initializer_list<int> ids) {
    GivenIds all;
    for (const int id : ids) all.note(port, Party::originator, static_cast<std::uint16_t>(id));
    return all;
}

TEST(GivenIds, NoneIsMissing) {
    const GivenIds ids = given({5, 6, 7, 8});
    EXPECT_TRUE(ids.has_all(port, 5, 8));
    EXPECT_TRUE(ids.has_all(port, 6, 6));
    EXPECT_FALSE(ids.has_all(port, 4, 8));
    EXPECT_FALSE(ids.has_all(port, 5, 9));
    EXPECT_FALSE(ids.has_all(Port{1, port.id}, 5, 8));
}

TEST(GivenIds, AMissingOneIsAnExchangeThatWasNotCaptured) {
    const GivenIds ids = given({5, 6, 8, 9});
    EXPECT_FALSE(ids.has_all(port, 5, 9));
    EXPECT_TRUE(ids.has_all(port, 8, 9));
}

TEST(GivenIds, MayComeInAnotherOrderAndWrap) {
    const GivenIds ids = given({0xFFFE, 0, 0xFFFF, 1});
    EXPECT_TRUE(ids.has_all(port, 0xFFFE, 1));
}

TEST(GivenIds, OfAPoolTheyProveNothing) {
    const GivenIds ids = given({5, 6, 5});
    EXPECT_FALSE(ids.has_all(port, 5, 6));
}

TEST(GivenIds, RxIdsMayCountWithOxIdsOrByThemselves) {
    GivenIds together;
    together.note(port, Party::originator, 5);
    together.note(port, Party::responder, 6);
    together.note(port, Party::originator, 7);
    EXPECT_TRUE(together.has_all(port, 5, 7));
    GivenIds apart = given({5, 6, 7});
    apart.note(port, Party::responder, 6);
    EXPECT_TRUE(apart.has_all(port, 5, 7)) << "OX_IDs are a row of their own";
    GivenIds lost = given({5, 7, 8});
    lost.note(port, Party::responder, 7);
    lost.note(port, Party::responder, 6);
    EXPECT_FALSE(lost.has_all(port, 5, 8)) << "RX_IDs have a counter of their own, since it gives 7 once more";
}

TEST(GivenIds, AtRandomTheyProveNothing) {
    GivenIds ids;
    for (unsigned i = 0; i < 1000; ++i) ids.note(port, Party::originator, static_cast<std::uint16_t>(i * 40503U));
    ids.note(port, Party::originator, 0x8000);
    ids.note(port, Party::originator, 0x8001);
    EXPECT_FALSE(ids.has_all(port, 0x8000, 0x8001));
}

namespace fcvi_evidence {

using namespace fcvi;
using namespace fcvi::test;

constexpr const char* two_sends = "message side=client at=1ms octets=100\nmessage side=client at=3ms octets=100\n";

traffic::Recording sends(Reliability level, Version version = Version::iso) {
    return connection(version, level, two_sends);
}

std::optional<UndecidedReason> why(const World& w, RuleRef rule) { return w.model().of(rule).why; }

// A MSG_ID that was not seen in use.

TEST(FcviEvidence, ALostMessageIsNotHeldAgainstTheDisconnect) {
    const World w(sends(Reliability::unreliable_delivery), {"FCVI_SEND_RQST/2 drop"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::disconnect_msg_id), UndecidedReason::frames_missing);
}

TEST(FcviEvidence, WithoutItsResponseADisconnectIsUndecided) {
    const World w(
        sends(Reliability::unreliable_delivery),
        {"server:FCVI_DISCONNECT_RQST set fcvi.msg_id=9", "client:FCVI_DISCONNECT_RESP drop"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::disconnect_msg_id), UndecidedReason::response_not_captured);
}

TEST(FcviEvidence, OfRevision10TheDisconnectCountsOn) {
    const traffic::Recording whole = sends(Reliability::unreliable_delivery, Version::rev_1_0);
    EXPECT_EQ(World(whole, {"FCVI_SEND_RQST/2 drop"}).found(), Ids{});
    EXPECT_EQ(
        World(whole, {"client:FCVI_DISCONNECT_RQST set fcvi.msg_id=7", "client:FCVI_DISCONNECT_RQST end"}).found(),
        Ids{"FCVI-09"});
    EXPECT_EQ(
        World(whole, {"client:FCVI_DISCONNECT_RQST set fcvi.msg_id=1", "client:FCVI_DISCONNECT_RQST end"}).found(),
        Ids{"FCVI-09"});
}

// A setup of which an answer was not seen.

TEST(FcviEvidence, AnAnswerThatWasNotSeenMayHaveRefused) {
    const traffic::Recording setup = connection(Version::iso, Reliability::unreliable_delivery, "");
    const World w(setup, {"FCVI_CONNECT_RESP1 drop", "FCVI_CONNECT_RESP3 end"});
    EXPECT_EQ(w.connection().outcome, Outcome::unknown);
    const World used(sends(Reliability::unreliable_delivery), {"FCVI_CONNECT_RESP1 drop"});
    EXPECT_EQ(used.connection().outcome, Outcome::connected) << "Messages go to the handle that RESP2 names";
    EXPECT_EQ(used.model().connections.size(), 1U);
    EXPECT_EQ(used.found(), Ids{});
}

TEST(FcviEvidence, AfterARefusalAnotherSetupMayHaveBeenMissed) {
    const Edits refused{"FCVI_CONNECT_RESP1 set fcvi.flags.conn_sts=1 fcvi.reason=4", "FCVI_SEND_RQST end"};
    const traffic::Recording whole = sends(Reliability::unreliable_delivery);
    EXPECT_EQ(World(whole, refused).found(), Ids{"VI-R10"});
    Edits later = refused;
    later.emplace_back("FCVI_SEND_RQST set fabricscope.fc.ox_id=+1");
    const World w(whole, later);
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::silence_after_reject), UndecidedReason::frames_missing);
}

// A Message whose end was not seen.

TEST(FcviEvidence, AnAnsweredMessageWithoutItsEndIsNoShortOne) {
    const World w(
        connection(
            Version::iso, Reliability::reliable_reception, "message side=client at=1ms octets=200\n", "",
            "frame-data=100"),
        {"FCVI_SEND_RQST/2 drop"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.message().state, MessageState::incomplete);
    EXPECT_EQ(why(w, rules::whole_message), UndecidedReason::frames_missing);
}

// A response that was not seen in time.

TEST(FcviEvidence, OnlyWhoWaitsShowsThatNoResponseCame) {
    EXPECT_EQ(World("fcvi_response_timeout").found(), Ids{"FCVI-32"});
    const World w("fcvi_response_timeout", {"ABTS drop"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::response_in_time), UndecidedReason::response_not_captured);
}

TEST(FcviEvidence, WhatHasComeWasInTimeThoughTheCaptureEndsBefore) {
    const World w("fcvi_client_server");
    EXPECT_NE(w.model().of(rules::response_in_time).satisfied, 0U);
}

// Messages that seem to be open.

TEST(FcviEvidence, OpenIsWhatIsAnsweredLater) {
    const Edits depth{
        "FCVI_CONNECT_RQST set fcvi.attributes.qos.pipeline_depth=1",
        "FCVI_CONNECT_RESP1 set fcvi.attributes.qos.pipeline_depth=1"};
    EXPECT_EQ(World("fcvi_streaming", depth).found(), (Ids{"FCVI-29", "FCVI-29"}));
    Edits unanswered = depth;
    unanswered.emplace_back("FCVI_SEND_RESP/all drop");
    const World w("fcvi_streaming", unanswered);
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::pipeline_depth), UndecidedReason::response_not_captured);
}

// A handle whose connection may have ended.

TEST(FcviEvidence, ADisconnectMayHaveBeenMissed) {
    const traffic::Recording two = traffic::play_text(
        "protocol fcvi\nlisten level=reliable-reception vis=2\n"
        "connect level=reliable-reception vis=2 interval=20ms hold=100ms\n");
    const Edits reused{"FCVI_CONNECT_RQST/2 set fcvi.connect.handle=@FCVI_CONNECT_RQST/1", "FCVI_CONNECT_RQST/2 end"};
    EXPECT_EQ(World(two, reused).found(), Ids{"VI-R16"});
    Edits later = reused;
    later.emplace_back("FCVI_CONNECT_RQST/2 set fabricscope.fc.ox_id=+2");
    const World w(two, later);
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(why(w, rules::handle_reuse), UndecidedReason::frames_missing);
}

}  // namespace fcvi_evidence
}  // namespace
}  // namespace fabricscope::engine
