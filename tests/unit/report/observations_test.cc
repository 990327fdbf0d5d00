// SPDX-License-Identifier: GPL-2.0-or-later
// What is observed, from models made by hand.
#include "analyzer/observations/observation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/unit/report/models.h"

namespace fabricscope::report::observations_test {
namespace {

using namespace models;
using engine::Severity;
using engine::rdma::Stream;  // not report::Stream
using observations::Observation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Of a capture with some of everything.
engine::CaptureSummary whole() {
    engine::CaptureSummary capture;
    capture.tcp_frames = capture.rdma_frames = 1;
    return capture;
}

std::vector<Observation> observed(const engine::Models& models, const engine::CaptureSummary& capture = whole()) {
    return observations::observe({.models = models, .capture = capture});
}

TEST(Observations, EveryKindSaysAllThatThereIsToSay) {
    std::set<std::string_view> ids;
    for (const observations::Kind* kind : observations::catalogue()) {
        EXPECT_TRUE(ids.insert(kind->id).second) << kind->id;
        for (const std::string text : {kind->title, kind->meaning, kind->look, kind->example})
            EXPECT_FALSE(text.empty()) << kind->id;
        EXPECT_EQ(observations::find_kind(kind->id), kind);
    }
    EXPECT_EQ(observations::find_kind("SMCR-R34"), nullptr);
}

TEST(Observations, OfAnUneventfulConnectionThereAreNone) {
    Model model;
    model.connections = {connection(1)};
    EXPECT_THAT(observed({.smcr = &model}), IsEmpty());
}

TEST(Observations, WhatFollowsFromALinkThatFailedIsCountedWithIt) {
    Model model;
    model.connections = {connection(1)};
    model.connections[0].link_group = 1;
    model.connections[0].close = Close::abnormal;
    model.link_groups = {link_group()};
    LinkGroup& group = model.link_groups[0];
    group.connections = {1};
    Link& link = group.links[0];
    link.state = LinkState::failed;
    link.packets = 30, link.retransmissions = 20;
    link.repeated[Side::client] = {.count = 20, .first = {start + 10, 11}, .last = {start + 90, 30}};
    link.heard[Side::server] = start + 5;
    LlcExchange& exchange = group.exchanges.emplace_back();
    exchange.type = wire::LlcType::test_link;
    exchange.from = Side::client;
    exchange.request = {start, 9};
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-link-failed");
    EXPECT_EQ(all[0].session, "lg-1");
    EXPECT_EQ(all[0].count, 20);
    EXPECT_THAT(all[0].text, HasSubstr("the client retransmitted 20 packets and got no answer"));
    EXPECT_THAT(all[0].cause, HasSubstr("The server was silent"));
    EXPECT_EQ(all[0].frames.back(), 30);
}

TEST(Observations, HalvesThatMayBelongTogetherAreTold) {
    Model model;
    model.link_groups = {link_group()};
    model.link_groups[0].connections = {1, 2, 3};
    for (const std::uint32_t id : {1U, 2U, 3U}) {
        Connection& half = model.connections.emplace_back(connection(id));
        half.midstream = true;
        half.alert_token[id == 3 ? Side::client : Side::server] = id;
    }
    const auto all = observed({.smcr = &model});
    const auto told = std::ranges::find(all, std::string_view("SMCR-O-halves"), &Observation::id);
    ASSERT_NE(told, all.end());
    EXPECT_EQ(told->session, "lg-1");
    EXPECT_THAT(told->text, HasSubstr("2 by what the client sent, 1 by what the server did"));
    model.connections.back().alert_token[Side::server] = 7;
    for (const Observation& one : observed({.smcr = &model})) EXPECT_STRNE(one.id, "SMCR-O-halves");
}

/// Of a connection of which this is all that came back for its SYN.
std::vector<Observation> observed_after_syn(Time repeated_for, std::optional<Side> reset_by) {
    Model model;
    model.connections = {connection(1)};
    Connection& c = model.connections[0];
    c.setup = {};
    c.setup.syn = FrameStamp{start, 1};
    c.first_time = start, c.last_time = start + repeated_for;
    c.outcome = reset_by ? Outcome::failed : Outcome::unknown;
    c.setup.beyond_syn = reset_by.has_value();
    c.reset_by = reset_by;
    c.reset_frame = reset_by ? 2 : 0;
    return observed({.smcr = &model});
}

TEST(Observations, ARefusedConnectionIsNoSetUpThatBrokeOff) {
    const auto all = observed_after_syn(1, Side::server);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-refused");
    EXPECT_THAT(all[0].frames, ElementsAre(1, 2));
    EXPECT_EQ(all[0].text, "the connection was refused: the server answered the SYN with a TCP reset");
    EXPECT_THAT(all[0].cause, HasSubstr("Nobody listens on 192.0.2.20:18001"));
}

TEST(Observations, ASynThatIsRepeatedInVainIsANote) {
    const auto all = observed_after_syn(7 * capture::second, std::nullopt);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-no-answer");
    EXPECT_EQ(all[0].severity, Severity::note);
    EXPECT_EQ(
        all[0].text, "the connection did not begin: the SYN was sent again for 7.00 s, and no answer was captured");
    EXPECT_STREQ(observed_after_syn(capture::millisecond, std::nullopt).at(0).id, "SMCR-O-unclear") << "captured twice";
}

/// A link group whose second link is gone, as a DELETE LINK says; connection 1 has moved to the first.
Model with_lost_path(std::uint32_t reason) {
    Model model;
    model.connections = {connection(1)};
    model.connections[0].from[Side::client].failover_cdcs = 1;
    model.connections[0].from[Side::client].move = {.from = 2, .to = 1, .frame = 40};
    model.link_groups = {link_group()};
    LinkGroup& group = model.link_groups[0];
    for (const std::uint8_t number : {std::uint8_t{2}, std::uint8_t{3}}) {
        Link& link = group.links.emplace_back(Link(group.links[0]));
        link.number = number;
        link.state = LinkState::deleted;
    }
    LlcExchange& deletion = group.exchanges.emplace_back();
    deletion.type = wire::LlcType::delete_link;
    deletion.from = Side::server;
    deletion.link = 1;
    deletion.request = {start, 38};
    deletion.change = {.link = 2, .reason = reason};
    LlcExchange& test = group.exchanges.emplace_back();
    test.type = wire::LlcType::test_link;
    test.from = Side::client;
    test.link = 2;
    test.request = {start, 30};
    return model;
}

TEST(Observations, ALinkThatWasDeletedForLostPathFailed) {
    const Model model = with_lost_path(0x00010000);
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(2)) << "the unanswered TEST LINK follows from it";
    EXPECT_STREQ(all[0].id, "SMCR-O-link-failed");
    EXPECT_EQ(all[0].text, "link 2 lost its path: the server deleted it");
    EXPECT_EQ(all[0].frames.back(), 38);
    EXPECT_STREQ(all[1].id, "SMCR-O-failover");
}

TEST(Observations, AReceiverOfALinkThatWasNotReady) {
    Model model;
    model.connections = {connection(1)};
    model.link_groups = {link_group()};
    Link& link = model.link_groups[0].links[0];
    link.packets = 100, link.retransmissions = 24;
    engine::rdma::Model rdma;
    Stream& stream = rdma.streams.emplace_back();
    stream.id = 1, stream.link_group = 1;
    stream.from[0].rnr_naks = 12, stream.from[0].retransmitted = {.packets = 24, .rnr = 24};
    engine::rdma::Event& nak = rdma.events.emplace_back();
    nak.stream = 1, nak.kind = engine::rdma::Event::Kind::rnr_nak, nak.frame = 7;
    const auto all = observed({.smcr = &model, .rdma = &rdma});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "RDMA-O-receiver-not-ready");
    EXPECT_EQ(all[0].session, "lg-1");
    EXPECT_EQ(all[0].count, 12);
    EXPECT_THAT(all[0].frames, ElementsAre(7));
}

TEST(Observations, AWaitThatHasNotEnded) {
    Model model;
    model.connections = {connection(1)};
    Direction& direction = model.connections[0].from[Side::client];
    direction.stalls = {.count = 1, .total = 2'000'000'000, .longest = 2'000'000'000};
    direction.waits_at_end = true;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].severity, Severity::warning);
    EXPECT_THAT(all[0].text, HasSubstr("1 time, 2.00 s in total, and still did when the capture ended"));
}

TEST(Observations, CountAndTimeOfAWaitAreOfOneMeasure) {
    Model model;
    model.connections = {connection(1)};
    Direction& direction = model.connections[0].from[Side::client];
    direction.blocked = {.count = 1, .total = 200, .longest = 200};
    direction.stalls = {.count = 13, .total = 156, .longest = 20};
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_THAT(all[0].text, HasSubstr("waited for window space 1 time, 200 ns in total"));
}

TEST(Observations, WhyTheSetUpBrokeOff) {
    Model model;
    model.connections = {connection(1)};
    Connection& c = model.connections[0];
    c.outcome = Outcome::failed;
    c.setup.confirm.reset();
    c.setup.proposal = FrameStamp{start, 4};
    c.setup.proposals = 6;
    c.end = start + 7 * capture::second;
    c.ended_by = Side::client;
    const auto text = [&] { return observed({.smcr = &model}).at(0).text; };
    EXPECT_EQ(
        text(),
        "the connection broke off during the set-up: the PROPOSAL was sent 6 times, and the server's TCP never "
        "acknowledged it; the client closed TCP");
    c.setup.proposal_acknowledged = true;
    EXPECT_EQ(
        text(),
        "the connection broke off during the set-up: the server acknowledged the PROPOSAL, but sent no ACCEPT for "
        "7.00 s; the client closed TCP");
    c.setup.decline = FrameStamp{start + 8 * capture::second, 5};
    c.decline.emplace().by = Side::server;
    c.reset_by = Side::client;
    EXPECT_EQ(
        text(),
        "the connection broke off during the set-up: the server acknowledged the PROPOSAL, but sent no ACCEPT for "
        "7.00 s; the client reset TCP, and then the server declined, with a code that was not captured");
    c.setup.decline->time = start + capture::second;
    EXPECT_EQ(
        text(),
        "the connection broke off during the set-up: the server declined, with a code that was not captured; the "
        "client reset TCP");
}

TEST(Observations, AnOptionThatWasLostOnItsWay) {
    Model model;
    model.connections = {connection(1)};
    Connection& c = model.connections[0];
    c.outcome = Outcome::plain_tcp;
    c.setup.plain[Side::client] = true;
    const auto observation = [&] { return observed({.smcr = &model}).at(0); };
    EXPECT_STREQ(observation().id, "SMCR-O-option-lost");
    EXPECT_THAT(observation().text, HasSubstr("as if the SYN-ACK had lost its SMC option on the way to it"));
    c.setup.option_removed[Side::client] = true;
    EXPECT_THAT(observation().text, HasSubstr("the SMC option of the SYN was removed on its way to the server"));
}

TEST(Observations, WhatMayHaveBeenAnsweredIsNotSaidToLackAnAnswer) {
    Model model;
    model.connections = {connection(1)};
    model.link_groups = {link_group()};
    LlcExchange& exchange = model.link_groups[0].exchanges.emplace_back();
    exchange.type = wire::LlcType::test_link;
    exchange.from = Side::server;
    exchange.request = {start, 9};
    model.link_groups[0].links[0].heard[Side::client] = start;
    engine::CaptureSummary capture = whole();
    capture.start = start;
    capture.duration = 5 * capture::second;
    EXPECT_THAT(observed({.smcr = &model}, capture), SizeIs(1));
    exchange.reply_may_be_lost = true;
    EXPECT_THAT(observed({.smcr = &model}, capture), IsEmpty());
}

TEST(Observations, AFailoverNamesTheLinkThatWasLeft) {
    const Model model = with_lost_path(0x00030000);
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-failover");
    EXPECT_EQ(all[0].text, "the connection moved from link 2 to link 1, and nothing was written again");
    EXPECT_THAT(all[0].cause, HasSubstr("of link 2"));
    EXPECT_THAT(all[0].frames, ElementsAre(38));
}

TEST(Observations, WhoAbortedFirstIsNamedFirst) {
    Model model;
    model.connections = {connection(1)};
    Connection& c = model.connections[0];
    c.close = Close::abnormal;
    for (const Side side : {Side::client, Side::server}) c.from[side].aborted = true;
    c.from[Side::client].abort_frame = 20;
    c.from[Side::server].abort_frame = 10;
    c.reset_by = Side::client;
    c.reset_frame = 30;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(
        all[0].text, "the connection closed abnormally: the server aborted, the client followed, the client reset TCP");
    EXPECT_THAT(all[0].frames, ElementsAre(10, 20, 30));
}

/// DELETE LINK of all links, by the server, in frame 8.
LlcExchange deletion_of_all() {
    LlcExchange deletion;
    deletion.type = wire::LlcType::delete_link;
    deletion.from = Side::server;
    deletion.request = {start, 8};
    deletion.change.all = true;
    deletion.change.reason = 0x00030000;
    return deletion;
}

TEST(Observations, AConnectionEndsWithItsLinkGroup) {
    Model model;
    model.connections = {connection(1)};
    Connection& c = model.connections[0];
    c.close = Close::abnormal;
    c.reset_by = Side::server;
    c.reset_frame = 30;
    model.link_groups = {link_group()};
    model.link_groups[0].roles_known = true;
    model.link_groups[0].exchanges.push_back(deletion_of_all());
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-abnormal-close");
    EXPECT_EQ(
        all[0].cause,
        "The server deleted all links of the link group (DELETE LINK, frame 8: program initiated (inactivity)).");
    EXPECT_THAT(all[0].frames, ElementsAre(8, 30));
    EXPECT_THAT(all[0].look, HasSubstr("the SMC module that was removed"));
    c.reset_frame = 7;
    EXPECT_THAT(observed({.smcr = &model}).at(0).cause, IsEmpty()) << "it had ended before";
}

TEST(Observations, BehindDeleteLinkNothingCanBeAcknowledged) {
    Model model;
    model.connections = {connection(1)};
    model.link_groups = {link_group()};
    LinkGroup& group = model.link_groups[0];
    group.exchanges.push_back(deletion_of_all());
    Link& link = group.links[0];
    link.state = LinkState::deleted;
    link.packets = 98;
    link.retransmissions = 41;
    link.repeated[Side::client] = {.count = 41, .first = {start + 1, 9}, .last = {start + 2, 50}};
    Observation o = observed({.smcr = &model}).at(0);
    EXPECT_STREQ(o.id, "RDMA-O-retransmissions");
    EXPECT_EQ(o.severity, Severity::note);
    EXPECT_THAT(o.cause, HasSubstr("behind DELETE LINK of all links (frame 8)"));
    link.repeated[Side::client].first.time = start;
    EXPECT_EQ(observed({.smcr = &model}).at(0).severity, Severity::warning);
}

TEST(Observations, ALinkThatWentWithADeclineDidNotFail) {
    Model model;
    model.connections = {declined(1, 0x03050000)};
    model.link_groups = {link_group()};
    Link& link = model.link_groups[0].links[0];
    link.state = LinkState::failed;
    link.packets = 3;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-declined");
    link.retransmissions = 1;
    EXPECT_STREQ(observed({.smcr = &model}).at(0).id, "SMCR-O-link-failed");
}

TEST(Observations, ASetUpThatWaitedForAddLink) {
    Model model;
    model.connections = {declined(1, 0x02020000)};
    model.link_groups = {link_group()};
    model.link_groups[0].links[0].packets = 3;
    for (const auto type : {wire::LlcType::confirm_link, wire::LlcType::add_link}) {
        LlcExchange& exchange = model.link_groups[0].exchanges.emplace_back();
        exchange.type = type;
        exchange.from = Side::server;
        exchange.link = 1;
        exchange.request = {start, 12};
        if (type == wire::LlcType::confirm_link) exchange.reply = FrameStamp{start, 13};
        else exchange.request = {start, 14};
    }
    EXPECT_THAT(
        observed({.smcr = &model}).at(0).cause,
        HasSubstr("ADD LINK of the server (frame 14) got no answer in this capture"));
}

TEST(Observations, AListenerThatTookUpSmcBeforeWasBusy) {
    Model model;
    model.connections = {connection(1), connection(2)};
    model.connections[1].outcome = Outcome::plain_tcp;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-not-taken-up");
    EXPECT_THAT(all[0].text, HasSubstr("but it did for other connections"));
    EXPECT_THAT(all[0].cause, HasSubstr("its listen queue was full"));
    EXPECT_THAT(all[0].look, HasSubstr("TcpExtSyncookiesSent"));
    model.connections[0].server = address(20, 18'002);
    EXPECT_THAT(observed({.smcr = &model}).at(0).cause, IsEmpty()) << "another listener";
}

TEST(Observations, ADeclineThatFollowsAnUnansweredConfirmRkeyIsTheRoCEPaths) {
    Model model;
    model.connections = {connection(1), declined(2, 0x09990003)};
    Connection& c = model.connections[1];
    c.link_group = 0;
    c.setup.proposal = FrameStamp{start, 5};
    c.setup.decline = FrameStamp{start + 2 * capture::second, 9};
    model.link_groups = {link_group()};
    LlcExchange& request = model.link_groups[0].exchanges.emplace_back();
    request.type = wire::LlcType::confirm_rkey;
    request.from = Side::server;
    request.request = {start + capture::millisecond, 6};
    request.reply = FrameStamp{start + 2 * capture::millisecond, 7};
    EXPECT_THAT(observed({.smcr = &model}).at(0).cause, HasSubstr("buffer registration"));
    Repetitions& repeated = model.link_groups[0].links[0].repeated[Side::client];
    repeated = {.count = 9, .first = {start + 5 * capture::millisecond, 8}, .last = {start + capture::second, 9}};
    const Observation o = observed({.smcr = &model}).at(0);
    EXPECT_STREQ(o.id, "SMCR-O-declined");
    EXPECT_THAT(o.cause, HasSubstr("The client's answer is in frame 7 and was sent again and again"));
    EXPECT_THAT(o.look, HasSubstr("UDP port 4791"));
    EXPECT_THAT(o.frames, ElementsAre(5, 6, 9));
    model.connections[0].server = address(30, 18'001);
    EXPECT_THAT(observed({.smcr = &model}).at(0).cause, HasSubstr("buffer registration"))
        << "a link group of other hosts";
}

TEST(Observations, FindingsThatRepeatOthersAreNoLimit) {
    Model model;
    model.dropped_findings = model.further_findings = 7;
    EXPECT_THAT(observed({.smcr = &model}), IsEmpty());
    model.dropped_findings = 8;
    EXPECT_THAT(observed({.smcr = &model}).at(0).text, HasSubstr("1 SMC-R finding left out"));
    EXPECT_THAT(observed({.smcr = &model}).at(0).look, testing::Not(HasSubstr("--limit")));
    model.dropped_connections = 1;
    EXPECT_THAT(observed({.smcr = &model}).at(0).look, HasSubstr("--limit smcr.connections=COUNT"));
}

TEST(Observations, AFewRetransmissionsAreANote) {
    Model model;
    model.link_groups = {link_group()};
    model.connections = {connection(1)};
    Link& link = model.link_groups[0].links[0];
    link.state = LinkState::active;
    link.packets = 1'000'000;
    const auto severity = [&](std::uint64_t repeated) {
        link.retransmissions = repeated;
        return observed({.smcr = &model}).front().severity;
    };
    EXPECT_EQ(severity(9), Severity::note);
    EXPECT_EQ(severity(9'999), Severity::note);
    EXPECT_EQ(severity(10'000), Severity::warning);
}

TEST(Observations, WithoutRoceOnlyConnectionsThatAgreedOnSmcrMissIt) {
    Model model;
    model.connections = {declined(1, 0x03030000)};
    model.connections[0].setup.confirm.reset();
    engine::CaptureSummary capture;
    capture.tcp_frames = 9;
    EXPECT_THAT(observed({.smcr = &model}, capture), SizeIs(1));
    model.connections.push_back(connection(2));
    const auto all = observed({.smcr = &model}, capture);
    EXPECT_EQ(std::ranges::count(all, std::string_view("CAPTURE-O-no-roce"), &Observation::id), 1);
}

TEST(Observations, AnUrgentByteMustHaveWaited) {
    Model model;
    model.connections = {connection(1)};
    Direction& direction = model.connections[0].from[Side::client];
    direction.urgent = 1;
    direction.bytes_acknowledged = direction.bytes_announced - 1;
    direction.last_data = start;
    model.connections[0].last_time = start + capture::second / 2;
    EXPECT_THAT(observed({.smcr = &model}), IsEmpty());
    model.connections[0].last_time = start + 2 * capture::second;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "SMCR-O-urgent-stall");
    direction.from_start = false;
    direction.consumer.reset();
    for (const Observation& one : observed({.smcr = &model}))
        EXPECT_STRNE(one.id, "SMCR-O-urgent-stall") << "its receiver was not heard";
}

TEST(Observations, AConnectionRequestThatWasNeverAnswered) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back();
    connection.id = 1;
    connection.outcome = engine::rdma_cm::Outcome::timeout;
    connection.req = engine::FrameStamp{start, 2};
    connection.req_transmissions = 3;
    connection.last_req.time = start + 4 * capture::second;
    connection.last_req.frame = 8;
    const auto all = observed({.rdma_cm = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].text, "no answer to 3 REQs in 4.00 s");
    EXPECT_THAT(all[0].frames, ElementsAre(2, 8));
    EXPECT_EQ(all[0].severity, Severity::error);

    connection.reject = engine::rdma_cm::RejectSeen{
        .reason = ib::reject_timeout, .frame = 9, .time = start + 12 * capture::second, .information = {}};
    connection.of_many.push_back(
        {.attribute = ib::CmAttribute::mra,
         .from = engine::Side::server,
         .about = {},
         .first = {start, 5},
         .last = {}});
    const auto waited = observed({.rdma_cm = &model});
    EXPECT_EQ(waited.at(0).text, "no answer to 3 REQs in 12.0 s: the server asked for time, and then sent nothing");
    EXPECT_THAT(waited[0].cause, HasSubstr("its MRA in frame 5"));
    EXPECT_THAT(waited[0].frames, ElementsAre(2, 9));
}

TEST(Observations, WhoAnswersAnotherRequestMeanwhileIsReached) {
    using namespace engine::rdma_cm;
    engine::rdma_cm::Model model;
    const auto asked = [&](std::uint32_t id) -> engine::rdma_cm::Connection& {
        engine::rdma_cm::Connection& connection = model.connections.emplace_back();
        connection.id = id;
        connection.service_id = 0x0106'1F47;
        connection.end[Side::client].address = Address::of(Ipv4{{192, 0, 2, 10}});
        connection.end[Side::server].address = Address::of(Ipv4{{192, 0, 2, 20}});
        connection.req = FrameStamp{start, id};
        return connection;
    };
    engine::rdma_cm::Connection& in_vain = asked(1);
    in_vain.outcome = engine::rdma_cm::Outcome::timeout;
    in_vain.req_transmissions = 16;
    in_vain.last_req.time = start + 90 * capture::second;
    engine::rdma_cm::Connection& answered = asked(2);
    answered.outcome = engine::rdma_cm::Outcome::connected;
    answered.rep = FrameStamp{start + capture::second, 7};
    const auto told = [&] { return observed({.rdma_cm = &model}).at(0); };
    EXPECT_EQ(told().text, "no answer to 16 REQs in 90.0 s, while cm-2 was answered");
    EXPECT_THAT(told().cause, HasSubstr("to cm-2, for the same service, the server sent its REP in frame 7"));
    EXPECT_THAT(told().look, HasSubstr("backlog"));

    const auto expect_path_is_blamed = [&](const char* why) {
        EXPECT_EQ(told().text, "no answer to 16 REQs in 90.0 s") << why;
        EXPECT_THAT(told().cause, HasSubstr("Nothing came back")) << why;
    };
    answered.rep->time = start - 1;
    expect_path_is_blamed("the answer came before");
    answered.rep->time = in_vain.last_req.time;
    expect_path_is_blamed("the answer came behind the last request");
    answered.rep->time = start + capture::second;
    answered.service_id = 0x0106'1F48;
    expect_path_is_blamed("another service was asked for");
    answered.service_id = in_vain.service_id;
    answered.end[Side::client].address = Address::of(Ipv4{{192, 0, 2, 11}});
    expect_path_is_blamed("another client was answered, over another path");
    answered.end[Side::client].address = in_vain.end[Side::client].address;
    answered.end[Side::server].address = Address::of(Ipv4{{192, 0, 2, 21}});
    expect_path_is_blamed("another server answered");
}

/// Of a connection that came up and ended, with all messages captured.
engine::rdma_cm::Connection cm_connection() {
    using namespace engine::rdma_cm;
    engine::rdma_cm::Connection connection;
    connection.id = 1;
    connection.outcome = engine::rdma_cm::Outcome::connected;
    connection.req = FrameStamp{start, 1};
    connection.rep = FrameStamp{start, 2};
    connection.dreq = FrameStamp{start, 4};
    connection.disconnected_by = Side::client;
    connection.req_transmissions = connection.rep_transmissions = connection.dreq_transmissions = 1;
    return connection;
}

TEST(Observations, WhatTheCmServiceRefusesNoApplicationRefused) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back(cm_connection());
    connection.outcome = engine::rdma_cm::Outcome::rejected;
    connection.dreq.reset();
    connection.reject.emplace();
    connection.reject->by = Side::server;
    connection.reject->reason = ib::consumer_reject;
    connection.reject->information.emplace().layer = 0;
    const auto told = [&] { return observed({.rdma_cm = &model}).at(0); };
    EXPECT_THAT(told().cause, HasSubstr("The RDMA IP CM service of the server refused, not its application"));
    EXPECT_THAT(told().look, HasSubstr("in the REQ in frame 1"));
    connection.reject->information->layer = 1;
    EXPECT_THAT(told().cause, HasSubstr("The application on the server refused"));
}

TEST(Observations, RepAndDreqThatWereRepeatedAreTold) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back(cm_connection());
    connection.drep = engine::FrameStamp{start, 6};
    connection.last_rep.frame = 3, connection.last_rep.times = 2;
    engine::rdma_cm::MessageOfMany& dreq = connection.of_many.emplace_back();
    dreq.attribute = ib::CmAttribute::dreq;
    dreq.first = {start, 4};
    dreq.last.frame = 5, dreq.last.times = 3;
    dreq.answered = true;
    const auto all = observed({.rdma_cm = &model});
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_STREQ(all[0].id, "CM-O-retried");
    EXPECT_EQ(all[0].text, "REP was sent 2 times before it was answered");
    EXPECT_THAT(all[0].frames, ElementsAre(2, 3));
    EXPECT_EQ(all[1].text, "DREQ was sent 3 times before it was answered");
    EXPECT_EQ(all[1].count, 3);

    connection.last_rep.times_answered = 1;
    const auto behind = observed({.rdma_cm = &model});
    EXPECT_EQ(behind.at(0).text, "REP was sent 2 times, 1 of them after its answer");
    EXPECT_THAT(behind[0].cause, HasSubstr("lost between the point of capture and"));
}

TEST(Observations, ARepThatWasRepeatedInVainIsTold) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back(cm_connection());
    connection.outcome = engine::rdma_cm::Outcome::unknown;
    connection.rtu.reset(), connection.dreq.reset();
    connection.max_cm_retries = 15;
    connection.last_rep.frame = 18, connection.last_rep.times = 16;
    const auto told = observed({.rdma_cm = &model});
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_STREQ(told[0].id, "CM-O-unanswered");
    EXPECT_EQ(told[0].text, "REP was sent 16 times, and no RTU came");
    EXPECT_EQ(told[0].severity, engine::Severity::warning);
    EXPECT_THAT(told[0].frames, ElementsAre(2, 18));
    connection.last_rep.times = 15;
    EXPECT_EQ(observed({.rdma_cm = &model}).at(0).severity, engine::Severity::note) << "it may be repeated once more";
    connection.unread_reject = true;
    EXPECT_THAT(observed({.rdma_cm = &model}), IsEmpty()) << "a REJ answered it";
    connection.unread_reject = false;
    connection.last_rep.times = 1;
    EXPECT_THAT(observed({.rdma_cm = &model}), IsEmpty());
}

TEST(Observations, AServiceResolutionWithoutAnAnswerIsTold) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back(cm_connection());
    connection.outcome = engine::rdma_cm::Outcome::unknown;
    connection.service = engine::rdma_cm::Service::ud;
    connection.rep.reset(), connection.rtu.reset(), connection.dreq.reset();
    connection.last_req.frame = 30, connection.last_req.times = 16;
    const auto told = observed({.rdma_cm = &model});
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].text, "SIDR_REQ was sent 16 times, and no SIDR_REP came");
    EXPECT_EQ(told[0].severity, engine::Severity::warning);
    connection.last_req.times = 3;
    EXPECT_EQ(observed({.rdma_cm = &model}).at(0).severity, engine::Severity::note);
}

TEST(Observations, OfAServerThatWasNeverCapturedNothingIsMissing) {
    engine::rdma_cm::Model model;
    engine::rdma_cm::Connection& connection = model.connections.emplace_back(cm_connection());
    connection.rep.reset();
    connection.dreq_transmissions = 5;
    EXPECT_THAT(observed({.rdma_cm = &model}), IsEmpty());
    connection.messages.push_back({.attribute = ib::CmAttribute::rep, .from = Side::server});
    EXPECT_STREQ(observed({.rdma_cm = &model}).at(0).id, "CM-O-disconnect-unanswered");
}

TEST(Observations, ASwitchClearsVirtualLinks) {
    using namespace engine::fibre_channel;
    engine::fibre_channel::Model model;
    model.logins.resize(1);
    model.logins[0].exchange = 3;
    const Mac by{{0, 0x0D, 0xEC, 0, 0, 1}}, station{{2, 0, 0, 0, 0, 2}};
    model.cleared_links = {
        {{start, 7}, by, station, Port{.id = 0x010203}, 2, 1, start - 21 * capture::second},
        {{start, 9}, by, station, std::nullopt, 1, 0}};
    const auto all = observed({.fc = &model});
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_STREQ(all[0].id, "FC-O-link-cleared");
    EXPECT_EQ(
        all[0].text,
        "00:0d:ec:00:00:01 cleared the virtual link of 01.02.03, which ended its login with the fabric, 21.0 s after "
        "its last keep-alive (2 frames)");
    EXPECT_EQ(all[0].session, "xchg-3");
    EXPECT_THAT(all[0].frames, ElementsAre(7));
    EXPECT_EQ(all[1].text, "00:0d:ec:00:00:01 cleared all virtual links of 02:00:00:00:00:02");
    EXPECT_EQ(all[1].session, "");
}

TEST(Observations, ARefusalThatWasFollowedByConsentIsANote) {
    using namespace engine::fibre_channel;
    Exchange exchange;
    exchange.id = 1;
    exchange.els = 3;
    Exchange refused = exchange;
    refused.rejected = Refusal{.reason = 5, .step = {start, 4}};
    Exchange accepted = exchange;
    accepted.id = 2;
    accepted.accepted = true;
    engine::fibre_channel::Model model;
    model.exchanges = {refused};
    EXPECT_EQ(observed({.fc = &model}).front().severity, Severity::warning);
    model.exchanges.push_back(accepted);
    EXPECT_EQ(observed({.fc = &model}).front().severity, Severity::note);
}

TEST(Observations, ARefusalThatPerhapsWasFollowedByConsentIsANote) {
    using namespace engine::fibre_channel;
    Exchange refused, later;
    refused.id = 1, later.id = 2;
    refused.responder = later.responder = 0x010203;
    refused.els = 3;
    refused.accepted = false;
    refused.rejected = Refusal{.reason = 5, .step = {start, 4}};
    const auto severity = [&] {
        engine::fibre_channel::Model model;
        model.exchanges = {refused, later};
        return observed({.fc = &model}).front().severity;
    };
    EXPECT_EQ(severity(), Severity::warning) << "the later one is no request";
    later.els = 4;
    EXPECT_EQ(severity(), Severity::warning) << "another request";
    later.els = 3;
    EXPECT_EQ(severity(), Severity::note) << "its answer is missing";
    later.els.reset(), later.accepted = true;
    EXPECT_EQ(severity(), Severity::note) << "its request is missing";
    refused.els.reset(), later.els = 4;
    EXPECT_EQ(severity(), Severity::note) << "what was refused is missing";
    later.responder = 0x010204;
    EXPECT_EQ(severity(), Severity::warning) << "by another port";
}

/// Two requests, the first of which was rejected and the second accepted.
engine::fibre_channel::Model refused_and_accepted() {
    using namespace engine::fibre_channel;
    engine::fibre_channel::Model model;
    for (const bool accepted : {false, true}) {
        Exchange exchange;
        exchange.id = accepted ? 2 : 1;
        exchange.originator = 0x010203, exchange.responder = 0x040506;
        exchange.els = 3;
        exchange.beginning_seen = true;
        exchange.accepted = accepted;
        if (!accepted) exchange.rejected = Refusal{.reason = 5, .step = {start, 4}};
        model.exchanges.push_back(exchange);
    }
    return model;
}

TEST(Observations, WhatAnotherWasGrantedWasNotGrantedToWhoWasRefused) {
    using namespace engine::fibre_channel;
    const auto severity = [](const auto& change) {
        engine::fibre_channel::Model model = refused_and_accepted();
        for (std::uint32_t place = 0; place < 2; ++place)
            model.exchanges.change(place, [&](Exchange& exchange) { return change(model, exchange), true; });
        return observed({.fc = &model}).front().severity;
    };
    EXPECT_EQ(severity([](auto&, Exchange&) {}), Severity::note);
    EXPECT_EQ(severity([](auto&, Exchange& x) { x.originator += x.id; }), Severity::warning) << "another port";
    EXPECT_EQ(severity([](auto&, Exchange& x) { x.fabric = static_cast<std::uint16_t>(x.id); }), Severity::warning);
    const auto query = [](std::uint32_t step) {
        return [step](auto&, Exchange& x) { x.els.reset(), x.ct = 0x121, x.question = 1 + step * x.id; };
    };
    EXPECT_EQ(severity(query(0)), Severity::note);
    EXPECT_EQ(severity(query(1)), Severity::warning) << "another name";
    EXPECT_EQ(severity([](auto&, Exchange& x) { x.els.reset(), x.ct = 0x121, x.question = x.id - 1; }), Severity::note)
        << "which name was not captured";
    const auto fabric_login = [](std::uint64_t step) {
        return [step](engine::fibre_channel::Model& model, Exchange& x) {
            Login& login = model.logins.emplace_back();
            login.parameters[Party::originator].emplace().port_name = 77 + step * x.id;
            x.els = 4, x.originator = 0;
            x.login = static_cast<std::uint32_t>(model.logins.size());
        };
    };
    EXPECT_EQ(severity(fabric_login(0)), Severity::note);
    EXPECT_EQ(severity(fabric_login(1)), Severity::warning) << "of another Port_Name";
}

TEST(Observations, ALoginThatIsSentAgainHasNoAnswer) {
    using namespace engine::fibre_channel;
    const auto told = [](const std::vector<Exchange>& exchanges) {
        engine::fibre_channel::Model model;
        for (const Exchange& exchange : exchanges) model.exchanges.push_back(exchange);
        std::vector<std::string> texts;
        for (const Observation& o : observed({.fc = &model}))
            texts.push_back((o.severity == Severity::warning ? "! " : "- ") + o.text);
        return texts;
    };
    std::vector<Exchange> exchanges;
    const auto add = [&](std::uint8_t els, int seconds) -> Exchange& {
        Exchange& exchange = exchanges.emplace_back();
        exchange.id = static_cast<std::uint32_t>(exchanges.size());
        exchange.originator = 0x010203, exchange.responder = 0x040506;
        exchange.els = els;
        exchange.beginning_seen = true;
        exchange.first_frame = exchange.last_frame = exchange.id;
        exchange.first_time = exchange.last_time = start + seconds * capture::second;
        exchange.sent[Party::originator].frames = 1;
        return exchange;
    };
    add(3, 0), add(3, 2);
    EXPECT_THAT(told(exchanges), ElementsAre("! PLOGI was sent 2 times in 2.00 s, and no answer was captured"));
    add(0x20, 3).accepted = true;
    EXPECT_THAT(told(exchanges), IsEmpty()) << "the ports went on";
    exchanges.resize(1);
    EXPECT_THAT(told(exchanges), IsEmpty()) << "the capture may end before the answer";
    Exchange& heard = add(0, 21);
    heard.els.reset();
    std::swap(heard.originator, heard.responder);
    heard.originator = 0x070809;
    EXPECT_THAT(told(exchanges), ElementsAre("- no answer to PLOGI was captured"));
    heard.last_time = heard.first_time = start + 19 * capture::second;
    EXPECT_THAT(told(exchanges), IsEmpty());
    exchanges.resize(1);
    exchanges[0].sent[Party::originator].repeated = 4;
    exchanges[0].last_time += capture::second;
    EXPECT_THAT(told(exchanges), ElementsAre("! PLOGI was sent 5 times in 1.00 s, and no answer was captured"));
}

TEST(Observations, AnAbortSaysWhatBecameOfIt) {
    using namespace engine::fibre_channel;
    Exchange exchange;
    exchange.id = 1;
    exchange.type = 8;
    exchange.abort = AbortSeen{Party::originator, {start, 4}, true, engine::FrameStamp{start, 5}, {}};
    const auto text = [&] {
        engine::fibre_channel::Model model;
        model.exchanges.push_back(exchange);
        return observed({.fc = &model}).at(0).text;
    };
    EXPECT_EQ(text(), "a Sequence of the FCP Exchange was aborted (ABTS of a Sequence by the originator, BA_ACC)");
    exchange.abort->sequence_only = false;
    EXPECT_EQ(text(), "the FCP Exchange was aborted (ABTS of the Exchange by the originator, BA_ACC)");
    exchange.abort->accepted.reset();
    exchange.abort->refused = Refusal{.reason = 9, .step = {start, 5}};
    EXPECT_EQ(text(), "an abort of the FCP Exchange was refused (ABTS of the Exchange by the originator, BA_RJT)");
}

TEST(Observations, FramesThatWereReturnedAsBusy) {
    using namespace engine::fibre_channel;
    Exchange exchange;
    exchange.id = 1;
    exchange.type = 8;
    exchange.busies = 3;
    engine::fibre_channel::Model model;
    model.exchanges.push_back(exchange);
    const auto all = observed({.fc = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].text, "3 frames of the FCP Exchange were returned as busy");
    EXPECT_EQ(all[0].count, 3U);
}

TEST(Observations, WhatNobodyAnswersOfFcVi) {
    using namespace engine::fcvi;
    engine::fcvi::Model model;
    engine::fcvi::Connection& c = model.connections.emplace_back();
    c.id = 1;
    c.first_frame = 3;
    c.last_time = start;
    c.setups.push_back({.rqst = engine::FrameStamp{start, 3}});
    engine::CaptureSummary capture = whole();
    capture.start = start;
    const auto told = [&](int seconds) {
        capture.duration = seconds * capture::second;
        std::vector<std::string> texts;
        for (const Observation& o : observed({.fcvi = &model}, capture)) texts.push_back(o.text);
        return texts;
    };
    EXPECT_THAT(told(11), ElementsAre("no response to the Connect Request was captured"));
    EXPECT_THAT(told(10), IsEmpty()) << "it may still come";
    c.setups[0].resp1 = engine::FrameStamp{start, 4};
    EXPECT_THAT(told(11), IsEmpty());
    c.outcome = engine::fcvi::Outcome::connected;
    c.end[Side::server].state = State::error;
    c.disconnects.push_back({.from = Side::client, .rqst = engine::FrameStamp{start, 9}});
    EXPECT_THAT(told(10), ElementsAre("the connection was left with the server in Error"));
    EXPECT_THAT(told(11), ElementsAre("no response to the Disconnect Request of the client was captured"))
        << "whether it arrived is not known";
    c.disconnects.clear();
    c.end[Side::server].state = State::connected;
    engine::fcvi::Message message;
    message.connection = 1;
    message.operation = engine::fcvi::Operation::read;
    message.total_length = 400;
    message.last = start;
    message.request_end = engine::FrameStamp{start, 5};
    model.messages.push_back(message);
    EXPECT_THAT(told(11), ElementsAre("no response to an RDMA Read of 400 bytes was captured"));
    EXPECT_THAT(told(10), IsEmpty());
    for (const Side side : {Side::client, Side::server}) c.end[side].state = State::idle;
    EXPECT_THAT(
        told(10), ElementsAre("no response to an RDMA Read of 400 bytes was captured before the connection ended"));
}

TEST(Observations, TheWorstComesFirst) {
    Model model;
    model.connections = {declined(1, 0x03030000), declined(2, 0x02010000)};
    model.connections[1].first_frame = 50;
    const auto all = observed({.smcr = &model});
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_STREQ(all[0].id, "SMCR-O-no-roce");
    EXPECT_STREQ(all[1].id, "SMCR-O-declined");
}

TEST(Observations, AStreamSaysWhyItsPacketsWereSentAgain) {
    using namespace engine::rdma;
    engine::rdma::Model model;
    model.streams.resize(2);
    for (std::uint32_t i : {0U, 1U}) {
        Stream& stream = model.streams[i];
        stream.id = i + 1;
        stream.first_frame = 1;
        stream.from[a].packets = 1000;
        stream.from[a].retransmitted = {.packets = 14, .nak = 4, .timeout = 10, .rnr = 0, .implied = 0};
        stream.from[a].timeouts = 2;
        stream.from[engine::rdma::b].packets = 900;
        stream.from[a].longest_timeout = 4'300 * capture::millisecond;
    }
    model.streams[1].link_group = 1;  // of which SMC-R tells
    model.events.push_back(
        {.stream = 1,
         .kind = Event::Kind::retransmission,
         .time = 0,
         .frame = 77,
         .cause = {},
         .waited = {},
         .syndrome = {}});
    const std::vector<Observation> all = observed({.rdma = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].session, "rdma-1");
    EXPECT_EQ(all[0].severity, Severity::warning);
    EXPECT_THAT(all[0].frames, ElementsAre(77));
    EXPECT_THAT(all[0].text, HasSubstr("(14 of 1,000), 4 after NAKs, 10 after timeouts of up to 4.30 s"));
    EXPECT_THAT(all[0].cause, HasSubstr("did not answer"));
}

TEST(Observations, AStreamThatNobodyAnswersGaveUp) {
    engine::rdma::Model model;
    engine::rdma::Stream& stream = model.streams.emplace_back();
    stream.id = 1;
    stream.last_frame = 9;
    stream.ending = engine::rdma::End::retries_exhausted;
    const std::vector<Observation> all = observed({.rdma = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "RDMA-O-retries-exhausted");
    EXPECT_THAT(all[0].frames, ElementsAre(9));
}

TEST(Observations, WhoDisconnectedBeforeTheNakDidNotGiveUpForIt) {
    using namespace engine::rdma;
    constexpr std::uint8_t rnr_of_640_us = 0x2C;
    engine::rdma_cm::Model cm;
    cm.connections.push_back(cm_connection());
    for (const Time behind : {-capture::microsecond, capture::microsecond}) {
        engine::rdma::Model model;
        Stream& stream = model.streams.emplace_back();
        stream.id = stream.cm_connection = 1;
        stream.ending = End::disconnected;
        stream.unanswered[a] = 1;
        model.events.push_back(
            {.stream = 1,
             .from = engine::rdma::b,
             .kind = Event::Kind::rnr_nak,
             .time = cm.connections[0].dreq->time + behind,
             .frame = 3,
             .cause = {},
             .waited = {},
             .syndrome = rnr_of_640_us});
        EXPECT_THAT(observed({.rdma_cm = &cm, .rdma = &model}), SizeIs(behind < 0 ? 1 : 0));
    }
}

// ---- latencies -------------------------------------------------------------------------------------

constexpr Time microsecond = 1'000;

/// A WRITE of 4,096 bytes, asked for in this frame and answered in the next one.
void add_write(engine::rdma::Model& model, std::uint64_t frame, Time took, std::uint64_t bytes = 4'096) {
    const Time begin = start + static_cast<Time>(frame) * 100'000 * microsecond;
    model.operations.push_back(
        {.stream = 1,
         .type = engine::rdma::OperationType::write,
         .bytes = bytes,
         .packets = 1,
         .first = {begin, frame},
         .last = {begin, frame},
         .answer = engine::FrameStamp{begin + took, frame + 1}});
}

/// Thirty ordinary WRITEs, then one that takes as long as this.
engine::rdma::Model writes_with_a_slow_one(Time took) {
    engine::rdma::Model model;
    model.streams.emplace_back().id = 1;
    for (std::uint64_t i = 0; i < 30; ++i) add_write(model, 2 * i + 1, 20 * microsecond);
    add_write(model, 101, took);
    return model;
}

TEST(Observations, AnOperationThatTookFarLongerThanItsLikeIsAnOutlier) {
    const engine::rdma::Model model = writes_with_a_slow_one(12'300 * microsecond);
    const std::vector<Observation> all = observed({.rdma = &model});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_STREQ(all[0].id, "RDMA-O-latency-outlier");
    EXPECT_EQ(all[0].severity, Severity::note);
    EXPECT_EQ(all[0].session, "rdma-1");
    EXPECT_THAT(all[0].frames, ElementsAre(101, 102));
    EXPECT_EQ(
        all[0].text,
        "1 of 31 operations took far longer than others of their kind: up to 12.3 ms, with a median of 20.0 us");
}

TEST(Observations, LessThanAMillisecondIsNoOutlier) {
    const engine::rdma::Model model = writes_with_a_slow_one(900 * microsecond);
    EXPECT_THAT(observed({.rdma = &model}), IsEmpty());
}

TEST(Observations, WhatIsLargerIsNoOutlier) {
    engine::rdma::Model model = writes_with_a_slow_one(20 * microsecond);
    add_write(model, 201, 12'300 * microsecond, 1 << 20);
    EXPECT_THAT(observed({.rdma = &model}), IsEmpty());
}

TEST(Observations, WhatARetransmissionDelayedIsNoOutlier) {
    engine::rdma::Model model = writes_with_a_slow_one(12'300 * microsecond);
    engine::rdma::Event& event = model.events.emplace_back();
    event.stream = 1;
    event.kind = engine::rdma::Event::Kind::retransmission;
    event.time = model.operations.back().first.time + microsecond;
    EXPECT_THAT(observed({.rdma = &model}), IsEmpty());
}

template <class Model> Model messages_with_a_slow_one(void (*add)(Model& model, std::uint64_t frame, Time took)) {
    Model model;
    for (std::uint64_t i = 0; i < 30; ++i) add(model, 2 * i + 1, 300 * microsecond);
    add(model, 101, 40'000 * microsecond);
    return model;
}

TEST(Observations, MessagesOfFibreChannelAreHeldAgainstTheirLikeToo) {
    const auto fcvi = messages_with_a_slow_one<engine::fcvi::Model>([](auto& model, std::uint64_t frame, Time took) {
        engine::fcvi::Message& message = model.messages.open();
        message.connection = 1;
        message.state = engine::fcvi::MessageState::complete;
        message.first = {start, frame};
        message.request_begin = message.first;
        message.response_begin = message.response_end = engine::FrameStamp{start + took, frame + 1};
    });
    const auto avionics = messages_with_a_slow_one<engine::fc_ae_rdma::Model>(
        [](auto& model, std::uint64_t frame, Time took) {
            engine::fc_ae_rdma::Message& message = model.messages.open();
            message.region = 3;
            message.state = engine::fc_ae_rdma::MessageState::complete;
            message.command = {start, frame};
            message.response = engine::FrameStamp{start + took, frame + 1};
        });
    const std::vector<Observation> all = observed({.fcvi = &fcvi, .fc_ae_rdma = &avionics});
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_STREQ(all[0].id, "FCVI-O-latency-outlier");
    EXPECT_EQ(all[0].session, "fcvi-1");
    EXPECT_STREQ(all[1].id, "AERDMA-O-latency-outlier");
    EXPECT_EQ(all[1].session, "fc-ae-rdma-region-3");
    EXPECT_THAT(all[1].frames, ElementsAre(101, 102));
}

TEST(Observations, APauseIsANoteUnlessItIsLong) {
    const auto told = [](engine::Time paused, engine::Time longest) {
        engine::rdma::Model model;
        model.pauses.push_back(
            {.by = {{2, 0, 0, 0, 0, 1}},
             .priority = 3,
             .frames = 120,
             .paused = paused,
             .longest = longest,
             .first = {0, 7}});
        engine::CaptureSummary of_100_ms = whole();
        of_100_ms.duration = 100 * capture::millisecond;
        std::vector<Observation> all = observed({.rdma = &model}, of_100_ms);
        EXPECT_THAT(all, SizeIs(1));
        return all.at(0);
    };
    const Observation few = told(4200 * microsecond, 600 * microsecond);
    EXPECT_STREQ(few.id, "RDMA-O-paused");
    EXPECT_EQ(few.severity, Severity::note);
    EXPECT_THAT(few.frames, ElementsAre(7));
    EXPECT_EQ(few.count, 120U);
    EXPECT_EQ(few.text, "02:00:00:00:00:01 paused priority 3: 120 frames, 4.20 ms in all, up to 600 us in one go");
    EXPECT_EQ(told(10 * capture::millisecond, 600 * microsecond).severity, Severity::warning)
        << "a tenth of the capture";
    EXPECT_EQ(told(10 * capture::millisecond - 1, 10 * capture::millisecond - 1).severity, Severity::note);
}

// ---- packets ---------------------------------------------------------------------------------------

/// A stream of which one side sent a thousand packets.
class OneStream : public testing::Test {
protected:
    OneStream() {
        Stream& stream = model_.streams.emplace_back();
        stream.id = 1;
        stream.first_frame = 1;
        for (const auto side : {engine::rdma::a, engine::rdma::b})
            stream.end[side].address = capture::Address::of(
                Ipv4{{192, 0, 2, static_cast<std::uint8_t>(10 + 10 * side)}});
        direction().packets = 1000;
        direction().operations[0].count = 100;
    }
    engine::rdma::Direction& direction() { return model_.streams[0].from[engine::rdma::a]; }
    std::vector<std::string> ids() const {
        std::vector<std::string> found;
        for (const Observation& each : observed({.rdma = &model_})) found.push_back(each.kind->id);
        return found;
    }
    std::string cause() const { return observed({.rdma = &model_}).at(0).cause; }

    engine::rdma::Model model_;
};

TEST_F(OneStream, WhatComesAgainAfterRnrNaksIsNoTroubleOfItsOwn) {
    direction().rnr_naks = 16;
    direction().retransmitted = {.packets = 30, .rnr = 30};
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-receiver-not-ready"));
    direction().retransmitted.packets = 40;
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-receiver-not-ready", "RDMA-O-retransmissions"));
}

/// REQ and REP tell the other end how often to try again.
TEST_F(OneStream, ARequesterGivesUpWhenItsResponderHadNoBufferAsOftenAsThatHadSaid) {
    using namespace engine::rdma;
    engine::rdma_cm::Model cm;
    engine::rdma_cm::Connection& connection = cm.connections.emplace_back();
    connection.end[engine::Side::client].qpn = 0x11, connection.end[engine::Side::client].rnr_retry_count = 0;
    connection.end[engine::Side::server].qpn = 0x22, connection.end[engine::Side::server].rnr_retry_count = 1;
    Stream& stream = model_.streams[0];
    stream.cm_connection = 1;
    stream.end[a].qpn = 0x11, stream.end[b].qpn = 0x22;
    stream.unanswered[a] = 1;
    stream.ending = End::disconnected;
    const auto gave_up = [&] {
        Event& nak = model_.events.emplace_back();
        nak.stream = 1;
        nak.from = b;
        nak.kind = Event::Kind::rnr_nak;
        nak.psn = 5;
        const std::vector<Observation> all = observed({.rdma_cm = &cm, .rdma = &model_});
        return std::ranges::any_of(all, [](const Observation& o) {
            const bool is_one = o.id == std::string("RDMA-O-retries-exhausted");
            EXPECT_EQ(is_one, o.look.find("posts too few receives") != std::string::npos);
            return is_one;
        });
    };
    EXPECT_FALSE(gave_up()) << "it may try once more";
    EXPECT_TRUE(gave_up());
    stream.ending = End::unknown;
    EXPECT_TRUE(gave_up()) << "whether it disconnected or fell silent";
    connection.end[engine::Side::server].rnr_retry_count = 7;
    for (int i = 0; i < 8; ++i) EXPECT_FALSE(gave_up()) << "7 is for ever";
}

TEST_F(OneStream, WhatTheCaptureLacksIsTold) {
    direction().not_captured = 642;
    model_.streams[0].from[engine::rdma::b].packets = 1;
    const auto all = observed({.rdma = &model_});
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(
        all[0].text,
        "642 packets of 192.0.2.10 arrived, as answers show, but were not captured: operations and bytes lack them");
    model_.streams[0].link_group = 1;
    EXPECT_THAT(ids(), IsEmpty()) << "SMC-R says what of its data is missing";
}

TEST_F(OneStream, EachSideHasItsOwnFrames) {
    using namespace engine::rdma;
    direction().retransmitted = model_.streams[0].from[b].retransmitted = {.packets = 20, .timeout = 20};
    direction().rnr_naks = 1;
    model_.streams[0].from[b].operations[0].count = 100;
    const auto happens = [&](engine::rdma::Side from, Event::Kind kind, std::uint64_t frame) {
        Event& event = model_.events.emplace_back();
        event.stream = 1;
        event.from = from;
        event.kind = kind;
        event.frame = frame;
    };
    happens(a, Event::Kind::retransmission, 5), happens(b, Event::Kind::retransmission, 6);
    happens(b, Event::Kind::rnr_nak, 7);
    const std::vector<Observation> all = observed({.rdma = &model_});
    const auto frames_of = [&](std::string_view id, std::string_view beginning) {
        for (const Observation& each : all)
            if (each.id == id && each.text.starts_with(beginning)) return each.frames;
        return std::vector<std::uint64_t>{};
    };
    EXPECT_THAT(frames_of("RDMA-O-retransmissions", "192.0.2.10"), ElementsAre(5));
    EXPECT_THAT(frames_of("RDMA-O-retransmissions", "192.0.2.20"), ElementsAre(6));
    EXPECT_THAT(frames_of("RDMA-O-receiver-not-ready", ""), ElementsAre(7));
}

TEST_F(OneStream, WhoHasDisconnectedAnswersNothing) {
    using namespace engine::rdma;
    engine::rdma_cm::Model cm;
    engine::rdma_cm::Connection& connection = cm.connections.emplace_back();
    connection.id = 1;
    connection.end[engine::Side::client].qpn = 0x22, connection.end[engine::Side::server].qpn = 0x11;
    connection.disconnected_by = engine::Side::client;
    model_.streams[0].cm_connection = 1;
    model_.streams[0].end[a].qpn = 0x11, model_.streams[0].end[b].qpn = 0x22;
    direction().retransmitted = {.packets = 10, .timeout = 10};
    direction().timeouts = 10;
    Event& again = model_.events.emplace_back();
    again.stream = 1;
    again.kind = Event::Kind::retransmission;
    again.frame = 8;
    const auto cause_with_dreq_in = [&](std::uint64_t frame) {
        connection.dreq.emplace().frame = frame;
        for (const Observation& each : observed({.rdma_cm = &cm, .rdma = &model_}))
            if (each.id == std::string_view("RDMA-O-retransmissions")) return each.cause;
        return std::string();
    };
    EXPECT_THAT(cause_with_dreq_in(6), HasSubstr("192.0.2.20 had disconnected before, with DREQ in frame 6"));
    EXPECT_THAT(cause_with_dreq_in(9), HasSubstr("192.0.2.20 did not answer in time"));
    connection.disconnected_by = engine::Side::server;
    EXPECT_THAT(cause_with_dreq_in(6), HasSubstr("192.0.2.20 did not answer in time")) << "its own DREQ";
}

TEST_F(OneStream, SaysWherePacketsAreLost) {
    direction().retransmitted = {.packets = 30, .nak = 30};
    direction().lost = direction().lost_behind = 12;
    EXPECT_EQ(cause(), "Packets are lost or overtaken between the point of capture and 192.0.2.20.");
    direction().lost_before = std::exchange(direction().lost_behind, 0);
    EXPECT_EQ(cause(), "Packets are lost between 192.0.2.10 and the point of capture.");
    direction().lost_before = 7, direction().lost_behind = 5;
    EXPECT_THAT(cause(), HasSubstr("7 before the point of capture, 5 behind it"));
    direction().out_of_order = 20;
    EXPECT_THAT(cause(), HasSubstr("Packets overtake each other on the way from 192.0.2.10 to 192.0.2.20"));
}

TEST_F(OneStream, SaysWhatDoesNotArriveBeforeATimeOut) {
    direction().retransmitted = {.packets = 10, .timeout = 10};
    direction().timeouts = 5;
    direction().longest_timeout = 4'300 * capture::millisecond;
    direction().naks = direction().unheeded_naks = 5;
    EXPECT_THAT(cause(), HasSubstr("NAKs from 192.0.2.20 have no effect"));
    direction().unheeded_naks = 0;
    direction().duplicate_requests = 9;
    EXPECT_THAT(cause(), HasSubstr("acknowledgments from 192.0.2.20 come later than the timer of 192.0.2.10 runs"));
    direction().duplicate_requests = 0;
    EXPECT_THAT(cause(), HasSubstr("192.0.2.20 did not answer in time"));
    direction().lost = 5;
    EXPECT_THAT(cause(), HasSubstr("192.0.2.20 did not answer: the last packets of a burst are lost"));
}

TEST_F(OneStream, WhoFallsSilentForGoodIsNoLossyPath) {
    direction().retransmitted = {.packets = 7, .timeout = 7};
    direction().timeouts = 5;
    model_.streams[0].from[engine::rdma::b].packets = 500;
    model_.streams[0].silence.emplace().retries = 3;
    EXPECT_THAT(cause(), HasSubstr("192.0.2.20 fell silent: it, or the path to it, failed. 192.0.2.10 began again 3"));
    direction().timeouts = 7;
    EXPECT_THAT(cause(), HasSubstr("192.0.2.20 did not answer in time")) << "most of them were answered";
    model_.streams[0].silence->retries = 7;
    model_.streams[0].silence->of = engine::rdma::b;
    EXPECT_THAT(cause(), HasSubstr("192.0.2.20 did not answer in time"));
}

TEST_F(OneStream, AFewThatComeAgainAreANoteUnlessAllStoodStill) {
    direction().retransmitted = {.packets = 2, .timeout = 2};
    direction().timeouts = 2;
    direction().longest_timeout = 20 * capture::millisecond;
    EXPECT_EQ(observed({.rdma = &model_}).at(0).severity, engine::Severity::note);
    direction().longest_timeout = 4'300 * capture::millisecond;
    EXPECT_EQ(observed({.rdma = &model_}).at(0).severity, engine::Severity::warning);
}

TEST_F(OneStream, WhoHasNoReceiveBufferIsNoLossyPath) {
    direction().retransmitted = {.packets = 300, .nak = 10, .timeout = 200, .rnr = 80};
    direction().rnr_naks = 12;
    EXPECT_THAT(observed({.rdma = &model_}).at(1).cause, HasSubstr("192.0.2.20 had no receive buffer posted"));
    direction().lost = 40;
    EXPECT_THAT(observed({.rdma = &model_}).at(1).cause, HasSubstr("are lost"));
}

TEST_F(OneStream, ResponsesThatOvertakeEachOtherAreNotLost) {
    engine::rdma::Direction& answers = model_.streams[0].from[engine::rdma::b];
    answers.packets = 500;
    answers.out_of_order = 50;
    direction().retransmitted = {.packets = 20, .implied = 20};
    EXPECT_THAT(cause(), HasSubstr("Responses overtake each other on the way from 192.0.2.20 to 192.0.2.10"));
}

TEST_F(OneStream, OneDirectionOnlyIsSaid) {
    engine::rdma::Direction& answers = model_.streams[0].from[engine::rdma::b];
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-one-direction"));
    EXPECT_EQ(observed({.rdma = &model_}).at(0).text, "nothing that 192.0.2.20 sent was captured");
    direction().retransmitted.packets = 1;  // its requester did not hear it either
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-retransmissions"));
    direction().retransmitted.packets = 0;
    direction().packets = 3;  // all of them may be outstanding
    EXPECT_THAT(ids(), ElementsAre());
    direction().operations[0].count = 0;  // answers only: somebody has asked
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-one-direction"));
    answers.packets = 3;
    EXPECT_THAT(ids(), ElementsAre());
}

TEST_F(OneStream, AnswersThatComeAgainAreTheirRequestersTrouble) {
    engine::rdma::Direction& answers = model_.streams[0].from[engine::rdma::b];
    answers.packets = 500;
    answers.retransmitted = {.packets = 100, .implied = 100};
    answers.answered_again = std::make_unique<engine::rdma::Retransmitted>(answers.retransmitted);
    direction().retransmitted = {.packets = 20, .implied = 20};
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-retransmissions"));
    EXPECT_THAT(cause(), HasSubstr("Responses from 192.0.2.20 are lost on the way to 192.0.2.10"));
}

TEST_F(OneStream, GapsOfAnUnreliableConnectionAreTold) {
    model_.streams[0].transport = engine::rdma::Transport::uc;
    direction().unseen = 12;
    EXPECT_THAT(ids(), ElementsAre("RDMA-O-unreliable-gaps"));
}

}  // namespace
}  // namespace fabricscope::report::observations_test
