// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI connections and Messages, in both versions, as the figures and annexes of the documents have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::engine::fcvi {
namespace {

using namespace test;
using enum Side;

class FcviLevels : public testing::TestWithParam<std::tuple<Version, Reliability>> {
protected:
    World w{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(
    All, FcviLevels,
    testing::Combine(
        testing::Values(Version::rev_1_0, Version::iso),
        testing::Values(
            Reliability::unreliable_delivery, Reliability::reliable_delivery, Reliability::reliable_reception)));

TEST_P(FcviLevels, FromSetupToDisconnect) {
    w.login();
    w.connect();
    for (const Side side : {client, server}) {
        w.send_message(side);
        w.write_message(side, 4000);
        if (w.level != Reliability::unreliable_delivery) w.read_message(side, 1234);
    }
    w.disconnect(client), w.disconnect(server);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    const Connection& c = w.connection();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(c.version, w.version);
    EXPECT_EQ(c.mode, wire::ConnectMode::client_server);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_EQ(c.reliability(), w.level);
    EXPECT_EQ(c.end[client].handle, handle_of(client));
    EXPECT_EQ(c.end[server].handle, handle_of(server));
    EXPECT_STREQ(close_of(c), "closed");
    EXPECT_EQ(c.end[client].state, State::idle);
    const std::size_t each = w.level == Reliability::unreliable_delivery ? 2 : 3;
    EXPECT_EQ(c.from[client].messages, each);
    EXPECT_EQ(w.model().messages.size(), 2 * each);
    for (const Message& message : w.model().messages) EXPECT_EQ(message.state, MessageState::complete) << message.id;
    EXPECT_EQ(w.message(1).bytes, 4000U);
    EXPECT_EQ(w.message(1).operation, Operation::write);
}

TEST_P(FcviLevels, AnExchangeServesOnePurpose) {
    w.rqst();
    const Change in_the_setup = [&](Spec& s) {
        s.ox_id = w.setup_ox_id(client);
        s.begins_exchange = s.first_sequence = false;
        s.header.common().handle = wire::unassigned_handle;
    };
    w.disconnect_rqst(client, in_the_setup), w.disconnect_resp(server, in_the_setup);
    EXPECT_TRUE(w.connection().disconnects.empty());
    w.resp1(), w.finish_setup();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST_P(FcviLevels, AMessageInSeveralSequences) {
    w.connect();
    w.data(client, IuType::write_rqst, 5000, 0, 2048, false);
    w.data(client, IuType::write_rqst, 5000, 2048, 4096, false);
    w.data(client, IuType::write_rqst, 5000, 4096, 5000, true);
    if (w.level == Reliability::reliable_reception) w.respond(server, IuType::write_resp);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().bytes, 5000U);
    EXPECT_EQ(w.message().sequences, 3U + (w.level == Reliability::reliable_reception));
    EXPECT_EQ(w.message().state, MessageState::complete);
    EXPECT_EQ(w.streams.at(1), traffic::message_data(0, 5000));
}

TEST(FcviTracker, EndpointStates) {
    World w;
    w.connect();
    std::vector<State> states;
    for (const StateChange& change : w.connection().end[client].states) states.push_back(change.state);
    EXPECT_EQ(states, (std::vector{State::pending_connect, State::connected}));
    w.disconnect(server);
    EXPECT_EQ(w.connection().end[client].state, State::error) << "the peer has left; an own Disconnect is due";
    EXPECT_EQ(w.connection().end[server].state, State::idle);
    EXPECT_STREQ(close_of(w.connection()), "half");
}

TEST(FcviTracker, TheUserMayForceTheVersion) {
    World w(Version::iso, Reliability::reliable_reception, {.limits = {}, .version = Version::rev_1_0, .r_a_tov = {}});
    w.rqst();
    EXPECT_EQ(w.connection().version, Version::rev_1_0);
}

TEST(FcviTracker, AConnectPayloadInSeveralFrames) {
    World w;
    const Octets whole = w.connect_payload(client);
    w.rqst(client, [&](Spec& s) { s.payload.resize(200), s.end_sequence = false, s.initiative = false, s.offset = 0; });
    w.rqst(client, [&](Spec& s) {
        s.payload.assign(whole.begin() + 200, whole.end());
        s.seq_cnt = 1, s.seq_id = 0, s.offset = 200;
    });
    w.resp1(), w.finish_setup();
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST(FcviTracker, ASetupIsRefused) {
    for (const Version version : wire::versions) {
        World w(version);
        w.rqst();
        w.refuse(server, wire::reason_code(version, wire::Reason::connect_reject));
        w.finish_refused();
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_EQ(w.connection().outcome, Outcome::rejected);
        EXPECT_EQ(w.connection().reject->by, server);
        EXPECT_STREQ(wire::reason_name(version, w.connection().reject->reason), "Connect Reject");
        EXPECT_EQ(w.connection().end[client].state, State::idle);
    }
}

TEST(FcviTracker, ClientTimesTheRequestOut) {  // C.5.6
    World w;
    w.rqst(), w.resp1();
    w.resp2(client, [](Spec& s) { s.say(0x02); });
    w.resp3(server, [](Spec& s) { s.say(0x02); });
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::rejected);
    EXPECT_EQ(w.connection().reject->by, client);
}

TEST(FcviTracker, ALostRequestIsRetried) {  // C.5.7.2
    World w;
    w.rqst();
    w.now += r_a_tov;
    w.abts(client, client, w.setup_ox_id(client));
    const Change retried = [](Spec& s) { s.set_retry(); };
    w.setup_number = 1;
    w.rqst(client, retried), w.resp1(server, retried), w.resp2(client, retried), w.resp3(server, retried);
    EXPECT_EQ(w.found(), Ids{"FCVI-32"}) << w.text();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.connection().setups.size(), 2U);
    EXPECT_TRUE(w.connection().setups[1].retry);
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST(FcviTracker, APeerWaitsForTheOther) {  // figure 9
    World w;
    w.peers = true;
    w.login();
    w.rqst(client);
    w.refuse(server, 0x03);
    w.finish_refused(client);
    w.rqst(server), w.resp1(client), w.finish_setup(server);
    w.send_message(client), w.send_message(server);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
    EXPECT_EQ(w.connection().setups.size(), 2U);
}

/// Puts another discriminator into an address of the connect payload.
Change with_discriminator(std::size_t address, char letter) {
    return [=](Spec& s) { s.payload[address + 20] = static_cast<std::uint8_t>(letter); };
}
constexpr std::size_t local_address = 12, remote_address = 12 + 148;

TEST(FcviTracker, PeersMatchByWhatTheyAskFor) {  // VI-DG 6.7
    const auto connections = [](const Change& of_client, const Change& of_server) {
        World w;
        w.peers = true;
        w.login();
        w.rqst(client, of_client), w.rqst(server, of_server);
        return w.model().connections.size();
    };
    EXPECT_EQ(connections(with_discriminator(local_address, 'C'), with_discriminator(local_address, 'S')), 1U)
        << "what they call themselves does not count";
    EXPECT_EQ(connections(with_discriminator(remote_address, 'X'), traffic::FcviDialogue::unchanged), 2U);
}

TEST(FcviTracker, PeersThatAskForEachOthersDiscriminatorAreNotJudged) {
    World w;
    w.peers = true;
    w.login();
    const auto asks = [](char own, char other) {
        return
            [=](Spec& s) { with_discriminator(local_address, own)(s), with_discriminator(remote_address, other)(s); };
    };
    w.rqst(client, asks('C', 'S')), w.rqst(server, asks('S', 'C'));
    w.refuse(client, 0x01), w.refuse(server, 0x01);
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.found(), Ids{}) << "they do not match (VI-DG 6.7)";
}

// ---- ISO table 2 and table A.1: concurrent matching peer requests ------------------------------------

/// The server has the lower Port_Name: it is Peer B.
struct Concurrent : World {
    Concurrent() {
        peers = true;
        login();
        rqst(client), rqst(server);
    }
    void a_says(std::uint8_t reason) {
        if (reason == 0) resp1(client);
        else refuse(client, reason);
    }
    void b_says(std::uint8_t reason) {
        if (reason == 0) resp1(server);
        else refuse(server, reason);
    }
};

TEST(FcviIsoTable2, EachRowKept) {
    struct Row {
        std::uint8_t a, b;
    };
    for (const auto& [a, b] :
         {Row{0x00, 0x05}, Row{0x01, 0x00}, Row{0x03, 0x00}, Row{0x22, 0x04}, Row{0x21, 0x04}, Row{0x20, 0x04}}) {
        Concurrent w;
        w.a_says(a), w.b_says(b);
        EXPECT_EQ(w.found(), Ids{}) << int{a} << ' ' << w.text();
        EXPECT_EQ(w.model().connections.size(), 1U);
        EXPECT_EQ(w.connection().setups.size(), 2U);
    }
}

TEST(FcviIsoTable2, TheLowerPortNameCompletesItsOwnRequest) {  // A.2, case 1
    Concurrent w;
    w.a_says(0x00), w.b_says(0x05);
    w.finish_setup(server), w.finish_refused(client);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
    EXPECT_FALSE(w.connection().reject);
}

TEST(FcviIsoTable2, TheHigherRefusesAsIfItWereTheLower) {  // A.5, case 4
    Concurrent w;
    w.a_says(0x05), w.b_says(0x21);
    EXPECT_EQ(w.found(), Ids{"FCVI-23"}) << w.text();
    EXPECT_EQ(w.model().findings.front().frames.back(), 3U) << "Peer A is wrong, Peer B is not";
}

TEST(FcviRev10, HigherAddressAccepts) {  // rev 1.0, 5.3.4: the server's host address is the higher one
    World w(Version::rev_1_0);
    w.peers = true;
    w.rqst(client), w.rqst(server);
    w.resp1(server);
    w.refuse(client, 0x05);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
}

// ---- midway, lost, repeated, out of order ------------------------------------------------------------

TEST(FcviTracker, MetMidway) {
    World w;
    w.write_message(client, 100), w.read_message(client, 100);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().version, Version::iso);
    EXPECT_FALSE(w.connection().from_start);
    EXPECT_EQ(w.connection().end[client].handle, handle_of(client)) << "the response tells";
    EXPECT_EQ(w.model().messages.size(), 2U);
}

TEST(FcviTracker, MetMidwayInTheOtherVersion) {
    for (const std::uint32_t total : {0U, 100U}) {  // of a Read: 5.7.9 says that it is told, 6.5 that it is zero
        World w(Version::rev_1_0);
        w.read_message(client, 100, [&](Spec& s) { s.target().tot_len = total; });
        w.write_message(client, 100), w.send_message(client, 100);
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_EQ(w.connection().version, Version::rev_1_0);
        EXPECT_EQ(w.model().connections.size(), 1U);
        for (const Message& message : w.model().messages) EXPECT_EQ(message.state, MessageState::complete);
    }
}

TEST(FcviTracker, ARepeatedFrameCountsOnce) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 100);
    w.data(client, IuType::send_rqst, 100, 0, 100, true, [&](Spec& s) {
        --s.header.common().msg_id;
        s.ox_id = static_cast<std::uint16_t>(s.ox_id - 1);
        s.seq_cnt = 0, s.seq_id = 0;
    });
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().bytes, 100U);
    EXPECT_EQ(w.message().repeated_frames, 1U);
    EXPECT_TRUE(w.facts.back().repeated);
}

TEST(FcviTracker, FramesOutOfOrder) {  // B.3.3.3
    World w;
    w.connect();
    w.data(client, IuType::write_rqst, 300, 0, 100, false);
    w.data(client, IuType::write_rqst, 300, 200, 300, true, [](Spec& s) { s.seq_cnt = 2; });
    w.data(client, IuType::write_rqst, 300, 100, 200, false, [](Spec& s) { s.seq_cnt = 1; });
    w.respond(server, IuType::write_resp);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::complete);
    EXPECT_EQ(w.message().missing_frames, 0U);
    EXPECT_EQ(w.connection().from[client].at_peer.late_frames, 1U);
}

TEST(FcviTracker, MissingFramesOnUnreliableDelivery) {  // B.3.3.2
    World w(Version::iso, Reliability::unreliable_delivery);
    w.connect();
    w.data(client, IuType::send_rqst, 300, 0, 100, false);
    w.data(client, IuType::send_rqst, 300, 100, 200, false, [](Spec& s) { s.lost = true; });
    w.data(client, IuType::send_rqst, 300, 200, 300, true);
    w.send_message(client);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::incomplete);
    EXPECT_EQ(w.message().missing_frames, 1U);
    EXPECT_EQ(w.message(1).state, MessageState::complete);
    EXPECT_EQ(w.connection().from[client].at_peer.message_errors, 1U);
    EXPECT_FALSE(w.connection().from[client].at_peer.handle_error);
}

TEST(FcviTracker, TheEndOfAMessageIsMissing) {  // B.3.2.2
    World w(Version::iso, Reliability::unreliable_delivery);
    w.connect();
    w.data(client, IuType::send_rqst, 300, 0, 100, false);
    w.send_message(client);
    w.data(client, IuType::send_rqst, 300, 0, 100, false);
    EXPECT_EQ(w.message().state, MessageState::incomplete);
    EXPECT_EQ(w.connection().from[client].at_peer.message_errors, 1U);
    EXPECT_EQ(w.message(2).state, MessageState::open) << "the capture ends";
}

TEST(FcviTracker, AnAbortedMessageIsNotComplete) {  // B.2.6.1, rule 8c
    World w(Version::iso, Reliability::unreliable_delivery);
    w.connect();
    w.send_message(client);
    w.abts(client, client, w.message_ox_id(client));
    EXPECT_EQ(w.message().state, MessageState::aborted);
}

TEST(FcviTracker, MissingMessagesOnReliableDelivery) {  // B.3.2.3
    World w(Version::iso, Reliability::reliable_delivery);
    w.connect();
    w.send_message(client);
    w.skip_message(client, 3);
    w.send_message(client);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    const Reception& reception = w.connection().from[client].at_peer;
    EXPECT_EQ(reception.missing_messages, 3U);
    ASSERT_TRUE(reception.handle_error);
    EXPECT_EQ(reception.handle_error->frame, w.frames);
    EXPECT_EQ(reception.expected_message, 6U);
}

TEST(FcviTracker, AMessageThatComesLateIsNoneThatIsMissing) {  // B.3.2.4
    World w(Version::iso, Reliability::reliable_delivery);
    w.connect();
    w.skip_message(client);
    w.send_message(client);
    w.request(client, IuType::send_rqst, 100, [](Spec& s) {
        s.header.common().msg_id = 1;
        s.ox_id = 0x1101;
    });
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().from[client].at_peer.missing_messages, 0U);
    EXPECT_EQ(w.connection().from[client].at_peer.late_messages, 1U);
    EXPECT_FALSE(w.connection().from[client].at_peer.handle_error);
}

TEST(FcviTracker, AFailedMessage) {
    World w;
    w.connect();
    w.request(client, IuType::write_rqst, 100);
    w.respond(server, IuType::write_resp, [](Spec& s) {
        s.head<wire::MessageResponseHead>().resp_err = s.head<wire::MessageResponseHead>().prot_err = true;
    });
    w.disconnect(client), w.disconnect(server);
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::failed);
    EXPECT_TRUE(w.message().prot_err);
    EXPECT_EQ(w.connection().from[server].failed_responses, 1U);
}

TEST(FcviTracker, AnOxIdIsUsedAgain) {  // 5.4
    World w;
    w.connect();
    for (int i = 0; i < 3; ++i) {
        const Change same = [](Spec& s) { s.ox_id = 0x1234; };
        w.request(client, IuType::send_rqst, 50, same);
        w.respond(server, IuType::send_resp, same);
    }
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.model().messages.size(), 3U);
    for (const Message& message : w.model().messages) EXPECT_EQ(message.state, MessageState::complete);
}

TEST(FcviTracker, FactsLinkResponsesToRequests) {
    World w;
    w.connect();
    w.send_message(client);
    EXPECT_EQ(w.facts.back().request_frame, 5U);
    EXPECT_EQ(w.facts.back().message, 1U);
    EXPECT_EQ(w.facts.back().from, server);
    EXPECT_EQ(w.facts.back().connection, 1U);
}

TEST(FcviTracker, LimitsHold) {
    Options options;
    options.limits.connections = 1;
    options.limits.messages = 2;
    options.limits.exchanges = 4;
    World w(Version::iso, Reliability::unreliable_delivery, options);
    w.connect();
    for (int i = 0; i < 10; ++i) w.send_message(client);
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.common().handle = 0x99; });
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.model().messages.size(), 2U);
    EXPECT_EQ(w.model().dropped_connections, 1U);
    EXPECT_EQ(w.model().dropped_messages, 8U);
}

TEST(FcviTracker, OtherTypesAreNotClaimed) {
    World w;
    w.request(client, IuType::send_rqst, 100, [](Spec&) {});
    const std::size_t before = w.tracker.model().messages.size();
    fc::Frame frame;
    frame.header.type = fc::type_fcp;
    frame.header.r_ctl = 0x01;
    w.tracker.on_frame({1000, w.now, 0, 0, frame});
    EXPECT_EQ(w.tracker.model().messages.size(), before);
}

}  // namespace
}  // namespace fabricscope::engine::fcvi
