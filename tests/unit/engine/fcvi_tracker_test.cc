// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI connections and Messages, in both versions, as the figures and annexes of the documents have them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/engine/fcvi/exchanges.h"
#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::engine::fcvi {
namespace {

using namespace test;
using enum Side;

constexpr auto unreliable = Reliability::unreliable_delivery;
constexpr auto delivery = Reliability::reliable_delivery;
constexpr auto reception = Reliability::reliable_reception;
constexpr const char* a_send = "message side=client at=1ms octets=100\n";
constexpr const char* a_read = "message side=client at=1ms octets=100 transfer=read beyond=4K\n";

class FcviLevels : public testing::TestWithParam<std::tuple<Version, Reliability>> {
protected:
    traffic::Recording connected(const std::string& of_client, const std::string& of_server = "") const {
        return connection(version, level, of_client, of_server);
    }
    Version version = std::get<0>(GetParam());
    Reliability level = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(
    All, FcviLevels,
    testing::Combine(testing::ValuesIn(wire::versions), testing::Values(unreliable, delivery, reception)));

std::string messages_of(const char* side, bool with_read) {
    std::string text = fmt::format(
        "message side={0} at=1ms octets=100\nmessage side={0} at=2ms octets=4000 transfer=write\n", side);
    if (with_read) text += fmt::format("message side={} at=3ms octets=1234 transfer=read beyond=4K\n", side);
    return text;
}

TEST_P(FcviLevels, FromSetupToDisconnect) {
    const bool with_read = level != unreliable;
    const World w(connected(messages_of("client", with_read), messages_of("server", with_read)));
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    const Connection& c = w.connection();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(c.version, version);
    EXPECT_EQ(c.mode, wire::ConnectMode::client_server);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_EQ(c.reliability(), level);
    EXPECT_STREQ(close_of(c), "closed");
    EXPECT_EQ(c.end[client].state, State::idle);
    const std::size_t each = with_read ? 3 : 2;
    EXPECT_EQ(c.from[client].messages, each);
    EXPECT_EQ(w.model().messages.size(), 2 * each);
    std::size_t writes = 0;
    for (const Message& message : w.model().messages) {
        EXPECT_EQ(message.state, MessageState::complete) << message.id;
        writes += message.operation == Operation::write && message.bytes == 4000;
    }
    EXPECT_EQ(writes, 2U);
}

TEST_P(FcviLevels, AnExchangeServesOnePurpose) {
    const World w(
        connected(""),
        {"FCVI_DISCONNECT_RQST copy after FCVI_CONNECT_RQST", "FCVI_DISCONNECT_RESP copy before FCVI_CONNECT_RESP1",
         "FCVI_DISCONNECT_RQST set fabricscope.fc.ox_id=@FCVI_CONNECT_RQST fabricscope.fc.f_ctl.first_sequence=0",
         "FCVI_DISCONNECT_RESP set fabricscope.fc.ox_id=@FCVI_CONNECT_RQST fabricscope.fc.rx_id=@FCVI_CONNECT_RESP1 "
         "fabricscope.fc.seq_id=9 fabricscope.fc.seq_cnt=9",
         version == Version::iso ? "FCVI_CONNECT_RESP3 end" : "FCVI_CONNECT_RESP2 end"});
    EXPECT_TRUE(w.connection().disconnects.empty());
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST_P(FcviLevels, AMessageInSeveralSequences) {
    const World w(
        connection(version, level, "message side=client at=1ms octets=5000 transfer=write\n", "", "iu-size=2048"));
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().bytes, 5000U);
    EXPECT_EQ(w.message().sequences, 3U + (level == reception ? 1U : 0U));
    EXPECT_EQ(w.message().state, MessageState::complete);
    EXPECT_EQ(w.streams.at(1).size(), 5000U);
}

TEST(FcviTracker, EndpointStates) {
    const World w(connection(Version::iso, reception, ""), {"FCVI_DISCONNECT_RESP end"});
    std::vector<State> states;
    for (const StateChange& change : w.connection().end[server].states) states.push_back(change.state);
    EXPECT_THAT(states, testing::IsSupersetOf({State::pending_connect, State::connected}));
    EXPECT_EQ(w.connection().end[server].state, State::error) << "the peer has left; an own Disconnect is due";
    EXPECT_EQ(w.connection().end[client].state, State::idle);
    EXPECT_STREQ(close_of(w.connection()), "half");
}

TEST(FcviTracker, TheUserMayForceTheVersion) {
    const World w("fcvi_connect", {"FCVI_CONNECT_RQST end"}, {.version = Version::rev_1_0, .r_a_tov = {}});
    EXPECT_EQ(w.connection().version, Version::rev_1_0);
}

TEST(FcviTracker, AConnectPayloadInSeveralFrames) {
    const World w(
        connection(Version::iso, reception, ""),
        {"FCVI_CONNECT_RQST copy", "FCVI_CONNECT_RQST/1 size 200",
         "FCVI_CONNECT_RQST/1 set fabricscope.fc.f_ctl.end_sequence=0 fabricscope.fc.f_ctl.sequence_initiative=0",
         "FCVI_CONNECT_RQST/2 erase 0 200",
         "FCVI_CONNECT_RQST/2 set fabricscope.fc.seq_cnt=+1 fabricscope.fc.parameter=200",
         "FCVI_CONNECT_RQST/all set fabricscope.fc.f_ctl.relative_offset_present=1",
         "FCVI_CONNECT_RESP2 set fabricscope.fc.seq_cnt=+1"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST(FcviTracker, ASetupIsRefused) {
    for (const char* scenario : {"fcvi_reject", "fcvi_reject_rev_1_0"}) {
        const World w(scenario);
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_EQ(w.connection().outcome, Outcome::rejected);
        EXPECT_EQ(w.connection().reject->by, server);
        EXPECT_STREQ(wire::reason_name(w.connection().version, w.connection().reject->reason), "Connect Reject");
        EXPECT_EQ(w.connection().end[client].state, State::idle);
    }
}

TEST(FcviTracker, ClientTimesTheRequestOut) {  // C.5.6
    const World w("fcvi_client_timeout");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::rejected);
    EXPECT_EQ(w.connection().reject->by, client);
}

TEST(FcviTracker, ALostRequestIsRetried) {  // C.5.7.2
    const World w("fcvi_lost_rqst");
    EXPECT_EQ(w.found(), Ids{"FCVI-32"}) << w.text();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.connection().setups.size(), 2U);
    EXPECT_TRUE(w.connection().setups[1].retry);
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

TEST(FcviTracker, APeerWaitsForTheOther) {  // figure 9
    const World w("fcvi_peer");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
    EXPECT_EQ(w.connection().setups.size(), 2U);
}

TEST(FcviTracker, PeersMatchByWhatTheyAskFor) {  // VI-DG 6.7
    const auto connections = [](Edits edits) {
        edits.emplace_back("FCVI_CONNECT_RQST/2 end");
        return World("fcvi_peer_concurrent", edits).model().connections.size();
    };
    EXPECT_EQ(
        connections(
            {"client:FCVI_CONNECT_RQST set fcvi.connect.local.discriminator=x:43",
             "server:FCVI_CONNECT_RQST set fcvi.connect.local.discriminator=x:53"}),
        1U)
        << "what they call themselves does not count";
    EXPECT_EQ(connections({"client:FCVI_CONNECT_RQST set fcvi.connect.remote.discriminator=x:58"}), 2U);
}

// ---- ISO table 2 and table A.1: concurrent matching peer requests ------------------------------------

/// What a peer answers: a refusal, or 0, an acceptance.
std::string answer(const char* side, std::uint8_t reason) {
    return fmt::format(
        "{0}:FCVI_CONNECT_RESP1 set fcvi.flags.conn_sts={1} fcvi.{2}={3} fcvi.attributes.reliability=3 "
        "fcvi.attributes.qos.pipeline_depth=@FCVI_CONNECT_RQST{4}",
        side, reason != 0 ? 1 : 0, reason != 0 ? "reason" : "parameter", reason,
        reason == 0x03 ? " fcvi.connect.handle=0xFFFFFFFF" : "");  // 5.3.3: nobody waits
}

TEST(FcviTracker, PeersThatAskForEachOthersDiscriminatorAreNotJudged) {
    const World w(
        "fcvi_peer_concurrent",
        {"client:FCVI_CONNECT_RQST set fcvi.connect.local.discriminator=x:43 fcvi.connect.remote.discriminator=x:53",
         "server:FCVI_CONNECT_RQST set fcvi.connect.local.discriminator=x:53 fcvi.connect.remote.discriminator=x:43",
         answer("client", 0x01), answer("server", 0x01), "server:FCVI_CONNECT_RESP1 end", "FCVI_CONNECT_RESP2 drop"});
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_THAT(w.found(), testing::Not(testing::Contains("FCVI-23"))) << "they do not match (VI-DG 6.7)";
}

/// The server has the lower Port_Name: it is Peer B.
TEST(FcviIsoTable2, EachRowKept) {
    struct Row {
        std::uint8_t a, b;
    };
    for (const auto& [a, b] :
         {Row{0x00, 0x05}, Row{0x01, 0x00}, Row{0x03, 0x00}, Row{0x22, 0x04}, Row{0x21, 0x04}, Row{0x20, 0x04}}) {
        const World w(
            "fcvi_peer_concurrent",
            {answer("client", a), answer("server", b), "server:FCVI_CONNECT_RESP1 end", "FCVI_CONNECT_RESP2 drop"});
        EXPECT_EQ(w.found(), Ids{}) << int{a} << ' ' << w.text();
        EXPECT_EQ(w.model().connections.size(), 1U);
        EXPECT_EQ(w.connection().setups.size(), 2U);
    }
}

TEST(FcviIsoTable2, TheLowerPortNameCompletesItsOwnRequest) {  // A.2, case 1
    const World w("fcvi_peer_concurrent");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
    EXPECT_FALSE(w.connection().reject);
}

TEST(FcviIsoTable2, TheHigherRefusesAsIfItWereTheLower) {  // A.5, case 4
    const World w("fcvi_peer_case_4");
    EXPECT_EQ(w.found(), Ids{"FCVI-23"}) << w.text();
}

TEST(FcviRev10, HigherAddressAccepts) {  // rev 1.0, 5.3.4: the server's host address is the higher one
    const World w(traffic::play_text(
        "protocol fcvi\nproviders version=1.0\ncapture at=network\npeer side=client at=5ms hold=5ms\n"
        "peer side=server at=4.998ms hold=10ms"));
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().outcome, Outcome::connected);
}

// ---- midway, lost, repeated, out of order ------------------------------------------------------------

TEST(FcviTracker, MetMidway) {
    const World w("fcvi_midway");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().version, Version::iso);
    EXPECT_FALSE(w.connection().from_start);
    EXPECT_TRUE(w.connection().end[client].handle) << "the response tells";
    EXPECT_EQ(w.model().messages.size(), 3U);
}

TEST(FcviTracker, MetMidwayInTheOtherVersion) {
    for (const std::uint32_t total : {0U, 300U}) {  // of a Read: 5.7.9 says that it is told, 6.5 that it is zero
        const World w("fcvi_midway_rev_1_0", {fmt::format("FCVI_READ_RQST set fcvi.tot_len={}", total)});
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_EQ(w.connection().version, Version::rev_1_0);
        EXPECT_EQ(w.model().connections.size(), 1U);
        for (const Message& message : w.model().messages) EXPECT_EQ(message.state, MessageState::complete);
    }
}

TEST(FcviTracker, ARepeatedFrameCountsOnce) {
    const World w(
        connection(Version::iso, unreliable, a_send),
        {"FCVI_SEND_RQST copy", "FCVI_SEND_RQST/2 delay 1ms", "FCVI_SEND_RQST/2 end"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().bytes, 100U);
    EXPECT_EQ(w.message().repeated_frames, 1U);
    EXPECT_TRUE(w.facts.back().repeated);
}

/// A Message of three Sequences of a frame each, and a Send.
traffic::Recording in_pieces(Reliability level, const char* transfer) {
    return connection(
        Version::iso, level,
        fmt::format(
            "message side=client at=1ms octets=300 transfer={}\nmessage side=client at=3ms octets=50", transfer),
        "", "iu-size=100");
}

TEST(FcviTracker, FramesOutOfOrder) {  // B.3.3.3
    const World w(in_pieces(reception, "write"), {"FCVI_WRITE_RQST/3 move before FCVI_WRITE_RQST/2"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::complete);
    EXPECT_EQ(w.message().missing_frames, 0U);
    EXPECT_EQ(w.connection().from[client].at_peer.late_frames, 1U);
}

TEST(FcviTracker, FramesWithoutRoomAreNotTakenForMissing) {
    constexpr std::uint32_t frames = 40'000, octets = 64;  // of which every second one was not captured
    Direction direction;
    std::uint64_t left_out = 0;
    for (std::uint32_t i = 0; i < frames; i += 2) {
        fc::Frame frame;
        frame.header.seq_cnt = static_cast<std::uint16_t>(i);
        frame.header.parameter = i * octets;
        frame.header.f_ctl.relative_offset_present = true;
        frame.payload_length = octets;
        left_out += direction.take(frame, Version::iso).left_out;
    }
    EXPECT_EQ(left_out, frames / 2 - RangeSet::most_ranges);
    EXPECT_FALSE(direction.had_room());
    EXPECT_EQ(direction.bytes(), RangeSet::most_ranges * octets);
    EXPECT_LE(direction.missing(), frames / 2) << "no more than were not captured";
}

TEST(FcviTracker, MissingFramesOnUnreliableDelivery) {  // B.3.3.2
    const World w(in_pieces(unreliable, "send"), {"FCVI_SEND_RQST/2 drop"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::incomplete);
    EXPECT_EQ(w.message().missing_frames, 1U);
    EXPECT_EQ(w.message(1).state, MessageState::complete);
    EXPECT_EQ(w.connection().from[client].at_peer.message_errors, 1U);
    EXPECT_FALSE(w.connection().from[client].at_peer.handle_error);
}

TEST(FcviTracker, TheEndOfAMessageIsMissing) {  // B.3.2.2
    const World w(in_pieces(unreliable, "send"), {"FCVI_SEND_RQST/3 drop", "FCVI_SEND_RQST/2 drop"});
    EXPECT_EQ(w.message().state, MessageState::incomplete);
    EXPECT_EQ(w.connection().from[client].at_peer.message_errors, 1U);
    const World ends(in_pieces(unreliable, "send"), {"FCVI_SEND_RQST/1 end"});
    EXPECT_EQ(ends.message().state, MessageState::open) << "the capture ends";
}

TEST(FcviTracker, AnAbortedMessageIsNotComplete) {  // B.2.6.1, rule 8c
    const World w(
        connection(Version::iso, unreliable, a_send),
        {"FCVI_SEND_RQST copy", "FCVI_SEND_RQST/2 end", "#last set fabricscope.fc.df_ctl.device_header=0",
         "#last size 0", "#last set fabricscope.fc.r_ctl=0x81 fabricscope.fc.type=0 fabricscope.fc.parameter=0"});
    EXPECT_EQ(w.message().state, MessageState::aborted);
}

/// So many Sends, one after the other.
traffic::Recording sends(Reliability level, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("message side=client at={}ms octets=100\n", i + 1);
    return connection(Version::iso, level, text);
}

TEST(FcviTracker, MissingMessagesOnReliableDelivery) {  // B.3.2.3
    const World w(
        sends(delivery, 5),
        {"FCVI_SEND_RQST/4 drop", "FCVI_SEND_RQST/3 drop", "FCVI_SEND_RQST/2 drop", "FCVI_SEND_RQST/2 end"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    const Reception& at_peer = w.connection().from[client].at_peer;
    EXPECT_EQ(at_peer.missing_messages, 3U);
    ASSERT_TRUE(at_peer.handle_error);
    EXPECT_EQ(at_peer.expected_message, 6U);
}

TEST(FcviTracker, AMessageThatComesLateIsNoneThatIsMissing) {  // B.3.2.4
    const World w(sends(delivery, 2), {"FCVI_SEND_RQST/1 move after FCVI_SEND_RQST/2"});
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.connection().from[client].at_peer.missing_messages, 0U);
    EXPECT_EQ(w.connection().from[client].at_peer.late_messages, 1U);
    EXPECT_FALSE(w.connection().from[client].at_peer.handle_error);
}

TEST(FcviTracker, AFailedMessage) {
    const World w("fcvi_write_refused");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.message().state, MessageState::failed);
    EXPECT_TRUE(w.message().prot_err);
    EXPECT_EQ(w.connection().from[server].failed_responses, 1U);
}

TEST(FcviTracker, AnOxIdIsUsedAgain) {  // 5.4
    const World w("fcvi_sends_in_turn");
    EXPECT_EQ(w.found(), Ids{}) << w.text();
    EXPECT_EQ(w.model().messages.size(), 3U);
    for (const Message& message : w.model().messages) EXPECT_EQ(message.state, MessageState::complete);
}

TEST(FcviTracker, AHandleThatNobodyHasAnnouncedMakesNoConnection) {  // 5.9.2
    const World w(sends(unreliable, 3), {"FCVI_SEND_RQST/2 set fcvi.handle=0x99"});
    EXPECT_EQ(w.found(), Ids{"FCVI-07"}) << w.text();
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.model().messages.size(), 2U) << "whose it was meant to be does not show";
}

TEST(FcviTracker, TheCourseOfASetupIsUndecidedWithoutItsSecondResponse) {  // 5.3.1
    for (const char* lost : {"FCVI_CONNECT_RESP1 drop", "FCVI_CONNECT_RESP2 drop"}) {
        const World w(sends(unreliable, 1), {lost});
        EXPECT_EQ(w.model().of(rules::setup_order).satisfied, 0U) << lost;
        EXPECT_EQ(w.model().of(rules::setup_order).undecided, 1U) << lost;
    }
    EXPECT_EQ(World(sends(unreliable, 1)).model().of(rules::setup_order).satisfied, 1U);
}

TEST(FcviTracker, AnAnswerThatNamesWhatItAnswersWasCapturedTooEarly) {  // 5.3.1, 5.9.3
    const std::string early = "FCVI_CONNECT_RESP2 move before FCVI_CONNECT_RESP1",
                      late = "FCVI_CONNECT_RESP1 delay 5ms";
    for (const Edits& edits : {Edits{early}, Edits{early, late}}) {
        const World w(sends(unreliable, 1), edits);
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_GE(w.model().of(rules::setup_order).undecided, 1U);
    }
    const World guessed(sends(unreliable, 1), {early, late, "FCVI_CONNECT_RESP2 set fcvi.handle=0x99"});
    EXPECT_EQ(std::ranges::count(guessed.found(), "FCVI-20"), 1) << guessed.text();
}

TEST(FcviTracker, AConnectRequestWithoutPayloadDoesNotTellTheVersion) {  // table 1
    const World w(
        sends(unreliable, 1),
        {"FCVI_CONNECT_RQST size 0", "FCVI_CONNECT_RQST erase -16 16", "#5 set fabricscope.fc.df_ctl.device_header=1"});
    EXPECT_EQ(w.connection().version, Version::iso) << "CONNECT_RESP1 and RESP3 do";
}

TEST(FcviTracker, ASequenceHasNoMoreFramesThanSeqCntHasNumbers) {  // 5.6; rev 1.0, 5.6.5
    Direction direction;
    fc::Frame frame;
    std::vector<std::uint32_t> repeats;
    for (std::uint32_t count = 0; count <= 0x1'0001; ++count) {
        frame.header.seq_cnt = static_cast<std::uint16_t>(count);
        frame.header.f_ctl.relative_offset_present = true;
        frame.header.parameter = count;
        frame.payload_length = 1;
        if (direction.take(frame, Version::iso).count_repeats) repeats.push_back(count);
    }
    EXPECT_EQ(repeats, std::vector{0x1'0000U}) << "told once";
}

TEST(FcviTracker, FactsLinkResponsesToRequests) {
    const World w(connection(Version::iso, reception, a_send), {"FCVI_CONNECT_RQST begin", "FCVI_SEND_RESP end"});
    EXPECT_EQ(w.facts.back().request_frame, 5U);
    EXPECT_EQ(w.facts.back().message, 1U);
    EXPECT_EQ(w.facts.back().from, server);
    EXPECT_EQ(w.facts.back().connection, 1U);
}

TEST(FcviTracker, AnAnswerThatWasNotCapturedIsNoLaterThanOthers) {
    const auto two_reads = std::string(a_read) + a_read;
    EXPECT_EQ(World(connection(Version::iso, delivery, two_reads), {"FCVI_READ_RESP/1 drop"}).found(), Ids());
    const auto read_and_send = std::string(a_read) + a_send;
    EXPECT_EQ(World(connection(Version::iso, reception, read_and_send), {"FCVI_READ_RESP drop"}).found(), Ids());
}

TEST(FcviTracker, AnOxIdIsUsedAgainByAnotherConnection) {  // 5.4; MSG_IDs begin at 1 on each (5.9.6)
    const traffic::Recording two = traffic::play_text(
        "protocol fcvi\nlisten level=reliable-reception vis=2\n"
        "connect level=reliable-reception vis=2 interval=20ms messages=1 octets=100\n");
    for (const Edits& missing : {Edits{}, Edits{"FCVI_SEND_RQST/all drop"}, Edits{"FCVI_SEND_RESP/1 drop"}}) {
        Edits edits{
            "FCVI_SEND_RESP/2 set fabricscope.fc.ox_id=@FCVI_SEND_RQST/1",
            "FCVI_SEND_RQST/2 set fabricscope.fc.ox_id=@FCVI_SEND_RQST/1"};
        edits.insert(edits.end(), missing.begin(), missing.end());
        const World w(two, edits);
        EXPECT_EQ(w.found(), Ids());
        ASSERT_EQ(w.model().messages.size(), 2U);
        for (const std::size_t i : {0U, 1U}) {
            EXPECT_EQ(w.message(i).connection, i + 1);
            EXPECT_EQ(w.message(i).repeated_frames, 0U);
        }
    }
}

/// What is captured of the second connection is not of the first one's Exchanges, which have ended.
TEST(FcviTracker, AnExchangeWithoutItsBeginningHasTheOxIdOfAnother) {
    const traffic::Recording two = traffic::play_text(
        "protocol fcvi\nlisten level=reliable-reception vis=2\n"
        "connect level=reliable-reception vis=2 interval=20ms messages=1 octets=100\n");
    const Edits setup{"FCVI_CONNECT_RQST/2", "FCVI_CONNECT_RESP1/2", "FCVI_CONNECT_RESP2/2", "FCVI_CONNECT_RESP3/2"};
    const Edits disconnect{"FCVI_DISCONNECT_RQST/2", "FCVI_DISCONNECT_RESP/2"};
    for (const Edits& second : {setup, disconnect})
        for (const char* first : {"FCVI_CONNECT_RQST/1", "FCVI_SEND_RQST/1", "FCVI_DISCONNECT_RQST/1"})
            for (std::size_t missing = 1; missing < second.size(); ++missing) {
                Edits edits;
                for (const std::string& message : second)
                    edits.push_back(fmt::format("{} set fabricscope.fc.ox_id=@{}", message, first));
                for (std::size_t i = missing; i-- > 0;) edits.push_back(second[i] + " drop");
                EXPECT_EQ(World(two, edits).found(), Ids()) << first << ", " << second[missing];
            }
}

/// A handle that was given anew behind a login, of which the setup is missing.
TEST(FcviTracker, BehindALoginAHandleMayBeAnothers) {
    const traffic::Recording two = traffic::play_text(
        "protocol fcvi\nlisten level=reliable-reception vis=2\n"
        "connect level=reliable-reception vis=2 interval=20ms messages=1 octets=100\n");
    const World w(
        two,
        {"PLOGI copy before FCVI_CONNECT_RQST/2", "LS_ACC/last copy before FCVI_CONNECT_RQST/2",
         "FCVI_SEND_RQST/2 set fcvi.handle=@FCVI_SEND_RQST/1", "FCVI_SEND_RESP/2 set fcvi.handle=@FCVI_SEND_RESP/1",
         "FCVI_DISCONNECT_RQST/2 drop", "FCVI_DISCONNECT_RESP/2 drop", "FCVI_CONNECT_RESP2/2 drop",
         "FCVI_CONNECT_RESP1/2 drop", "FCVI_CONNECT_RQST/2 drop"});
    EXPECT_EQ(w.found(), Ids());
    EXPECT_EQ(w.message(1).connection, 2U);
}

TEST(FcviTracker, RequestsOfRdmaDoNotTellTheVersion) {
    const traffic::Recording both = connection(
        Version::iso, reception, std::string(a_read) + "message side=client at=1ms octets=100 transfer=write\n");
    const World w(
        both, {"FCVI_WRITE_RQST set fcvi.flags.imm_data=1 fcvi.immediate_data=7", "FCVI_READ_RQST set fcvi.tot_len=0",
               "FCVI_READ_RQST begin"});
    EXPECT_EQ(w.found(), Ids());
}

TEST(FcviTracker, TheLatestRATovCountsThatWasTold) {
    const Edits slow{"LS_ACC set fabricscope.fc.login.r_a_tov=100", "FCVI_SEND_RESP delay 500ms"};
    const traffic::Recording one = connection(Version::iso, reception, a_send);
    EXPECT_EQ(World(one, slow).found(), Ids{"FCVI-32"});
    Edits anew = slow;
    for (const char* line :
         {"FLOGI copy before FCVI_SEND_RQST", "LS_ACC copy before FCVI_SEND_RQST",
          "LS_ACC/last set fabricscope.fc.login.r_a_tov=10000"})
        anew.emplace_back(line);
    EXPECT_EQ(World(one, anew).found(), Ids());
}

TEST(FcviTracker, AMessageWhoseFirstHeaderWasCutMayBeForAnyPlace) {
    const traffic::Recording read = connection(Version::iso, reception, a_read);
    for (std::size_t octets = 0; octets <= 64; octets += 4)
        EXPECT_EQ(World(read, {}, {}, Cut{"FCVI_READ_RQST", octets}).found(), Ids()) << octets;
}

TEST(FcviTracker, ALoginThatIsCapturedLateIsNoLogout) {
    for (const std::uint32_t interface : {0U, 1U}) {
        traffic::Recording recording = connection(Version::iso, unreliable, a_send);
        traffic::edit(recording, "LS_ACC/last move after FCVI_CONNECT_RQST");
        recording.interfaces.push_back(recording.interfaces.front());
        recording.frames[traffic::select(recording, "LS_ACC/last").front()].interface = interface;
        EXPECT_EQ(World(recording).found(), Ids()) << interface;
    }
}

TEST(FcviTracker, WhoLogsOutOfTheFabricLosesItsAddress) {
    const Edits of_fabric{"LOGO set fabricscope.fc.d_id=0xfffffe", "LS_ACC/3 set fabricscope.fc.s_id=0xfffffe"};
    Edits unanswered = of_fabric;
    unanswered.back() = "LS_ACC/3 drop";
    for (Edits edits : {of_fabric, unanswered}) {
        const bool answered = edits == of_fabric;
        for (const char* line : {"PLOGI/2 drop", "LS_ACC/last drop"}) edits.emplace_back(line);
        const World w("fcvi_logout", edits);
        EXPECT_EQ(w.connection().end[server].state, answered ? State::idle : State::connected);
    }
}

TEST(FcviTracker, LimitsHold) {
    Options options;
    options.limits.connections = 1;
    options.limits.messages = 2;
    const World w(sends(unreliable, 10), {"FCVI_SEND_RQST/10 set fcvi.handle=0x99", "PLOGI drop"}, options);
    EXPECT_EQ(w.model().connections.size(), 1U);
    EXPECT_EQ(w.model().messages.size(), 2U);
    EXPECT_EQ(w.model().dropped_connections, 1U);
    EXPECT_EQ(w.model().dropped_messages, 7U);
}

TEST(FcviTracker, OtherTypesAreNotClaimed) {
    const World w(connection(Version::iso, unreliable, a_send), {"FCVI_SEND_RQST set fabricscope.fc.type=0x05"});
    EXPECT_EQ(w.model().messages.size(), 0U);
}

}  // namespace
}  // namespace fabricscope::engine::fcvi
