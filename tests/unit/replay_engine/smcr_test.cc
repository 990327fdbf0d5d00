// SPDX-License-Identifier: GPL-2.0-or-later
// Every SMC-R sample, played against the emulated stack in both roles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/formats.h"
#include "replay/engine/smcr/reader.h"
#include "tests/unit/replay_engine/alterations.h"
#include "tests/unit/replay_engine/smcr_samples.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

class EachSmcrSample : public testing::TestWithParam<std::string> {};

TEST_P(EachSmcrSample, IsPlayedCleanInBothRolesOrItIsKnownWhyNot) {
    const Sample sample(GetParam());
    std::set<const Exception*> met;
    const std::vector<SessionInfo> sessions = sample.sessions();
    // Each of them is played with all its neighbours: of a hundred that are alike some will do.
    const std::size_t stride = std::max<std::size_t>(sessions.size() / 12, 1);
    for (std::size_t i = 0; i < sessions.size(); i += stride)
        for (const Side side : {Side::client, Side::server}) {
            const SessionInfo& info = sessions[i];
            const std::string played = fmt::format("{} {} {}", GetParam(), info.id, engine::name_of(side));
            SCOPED_TRACE(played);
            const std::string result = sample.play(info, side);
            const Exception* exception = exception_for(played);
            if (exception == nullptr || result.empty()) EXPECT_EQ(result, "");
            else EXPECT_NE(result.find(exception->told), std::string::npos) << exception->why << '\n' << result;
            if (!result.empty()) met.insert(exception);
        }
    for (const Exception& exception : exceptions) {
        if (!exception.played.starts_with(GetParam())) continue;
        EXPECT_TRUE(met.contains(&exception)) << exception.played << " is no exception any more";
    }
}

class OneFrameLess : public testing::TestWithParam<std::string> {};

/// What the capture lacks is not held against the peer: the run is the same, or it is said what is missing.
TEST_P(OneFrameLess, IsNoDifference) {
    const Sample whole(GetParam());
    ASSERT_GT(whole.frames(), 10U);
    std::size_t runs = 0, same = 0;
    for (std::uint64_t missing = 1; missing <= whole.frames(); ++missing) {
        const Sample sample(GetParam(), missing);
        for (const SessionInfo& info : sample.sessions())
            for (const Side side : {Side::client, Side::server}) {
                const std::string result = sample.play(info, side);
                const bool says_why = result.find("captur") != std::string::npos &&
                                      result.find('\n') == std::string::npos;
                EXPECT_TRUE(result.empty() || says_why) << "without frame " << missing << '\n' << result;
                ++runs;
                same += result.empty();
            }
    }
    EXPECT_GT(same, runs / 4);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param.substr(info.param.find('/') + 1);
    std::ranges::replace(name, '.', '_');
    return name;
}

/// What these say decides which other fields there are, or how they are read: Linux lays ADD LINK out with two more
/// reserved octets than the RFC.
bool is_structure(std::string_view filter) {
    for (const std::string_view part :
         {"type", "version", "length", "count", "offset", "eye_catcher", "present", "other_links", "rtokens_left",
          "add_link.reserved2"})
        if (filter.find(part) != std::string_view::npos) return true;
    return false;
}

/// Each field of each message of the other side, altered in the recording: just it is told.
TEST(SmcrAlterations, EveryFieldOfEveryMessageIsPointedAt) {
    std::set<std::string> seen;
    for (const char* name :
         {"real/smcr_v2_echo.pcap", "real/smcr_v1_echo.pcap", "scenarios/smcr_rfc7609_echo.scenario",
          "scenarios/smcr_v2_two_links.scenario", "scenarios/smcr_v2_test_link.scenario",
          "scenarios/smcr_v2_delete_group.scenario", "scenarios/smcr_fallback_eid_mismatch.scenario",
          "scenarios/smcr_v2_abort.scenario", "scenarios/smcr_v2_shutdown.scenario",
          "scenarios/smcr_v2_urgent.scenario", "scenarios/smcr_v2_failover.scenario",
          "scenarios/smcr_rfc7609_two_links.scenario", "scenarios/smcr_v2_client_deletes_group.scenario"}) {
        SCOPED_TRACE(name);
        const Sample sample(name);
        const SessionInfo info = sample.sessions().front();
        const auto session = sample.session(info.id);
        for (const Side side : {Side::client, Side::server}) {
            const auto actual = played(*session, side);
            alter_each_field(
                session->conversation(), actual->conversation(), side,
                [&](const Message& message, const FieldAt& field, const Comparison& comparison, std::size_t more) {
                    seen.insert(message.name);
                    expect_just_this(message, field, comparison, more, is_structure(field.filter()));
                });
        }
    }
    EXPECT_THAT(
        seen, testing::UnorderedElementsAre(
                  "TCP SYN", "TCP SYN-ACK", "CLC PROPOSAL", "CLC ACCEPT", "CLC CONFIRM", "CLC DECLINE",
                  "LLC CONFIRM LINK", "LLC CONFIRM LINK reply", "LLC ADD LINK", "LLC ADD LINK reply",
                  "LLC ADD LINK CONTINUATION", "LLC ADD LINK CONTINUATION reply", "LLC REQUEST ADD LINK",
                  "LLC DELETE LINK", "LLC DELETE LINK reply", "LLC CONFIRM RKEY", "LLC CONFIRM RKEY reply",
                  "LLC TEST LINK reply", "LLC DELETE RKEY", "LLC DELETE RKEY reply", "CDC sending done", "CDC urgent",
                  "CDC closed", "CDC abnormal close", "CDC failover validation"));
}

/// An LLC message that no sample has: with itself it is the same, and with one field altered just that is told.
void expect_fields_told(const wire::LlcMessage& message) {
    Octets octets = wire::build(message);
    octets.resize(wire::llc_size);
    Conversation said;
    said.messages.push_back(
        {.format = &llc_format(octets),
         .from = Side::server,
         .name = llc_name(octets),
         .channel = "link 1",
         .octets = octets});
    SCOPED_TRACE(said.messages[0].name);
    std::size_t fields = 0;
    alter_each_field(
        said, said, Side::client,
        [&](const Message& one, const FieldAt& field, const Comparison& comparison, std::size_t more) {
            expect_just_this(one, field, comparison, more, is_structure(field.filter()));
            ++fields;
        });
    EXPECT_GT(fields, 4U);
}

wire::LlcMessage version_1(wire::LlcType type, const decltype(wire::LlcMessage::body)& body) {
    wire::LlcMessage message;
    message.header = wire::LlcHeaderV1{.type = static_cast<std::uint8_t>(type), .length = wire::llc_size};
    message.body = body;
    return message;
}

TEST(SmcrAlterations, MessagesThatNoSampleHas) {
    Octets slots;
    for (const std::uint8_t link : {std::uint8_t{2}, std::uint8_t{3}})
        for (const std::uint8_t octet : layout::octets_of(wire::LinkRtoken{link, 0x1000U + link, 0x7000'0000U}))
            slots.push_back(octet);
    for (const bool reply : {false, true}) {
        wire::ConfirmRkeyContinuationMessage tokens;
        tokens.body = {.reply = reply, .rtokens_left = 2};
        tokens.slots.octets = slots;
        expect_fields_told(version_1(wire::LlcType::confirm_rkey_continuation, tokens));
    }
    wire::TestLink test;
    test.user_data.octets.fill(0x5A);
    expect_fields_told(version_1(wire::LlcType::test_link, test));
}

/// The link is there from the start: no frame of the run sets it up. Nobody else can have it.
/// "LLC CONFIRM LINK after CLC CONFIRM": each message that must wait for another, of those whose names begin so.
std::vector<std::string> waits(const Conversation& conversation, std::string_view begin) {
    std::vector<std::string> found;
    for (const Message& message : conversation.messages)
        if (message.answers && message.name.starts_with(begin))
            found.push_back(message.name + " after " + conversation.messages[*message.answers].name);
    return found;
}

TEST(SmcrOrder, WhatEachMessageOfASetupWaitsFor) {
    const Sample sample("scenarios/smcr_rfc7609_two_links.scenario");
    const auto session = sample.session(sample.sessions().front().id);
    EXPECT_THAT(
        waits(session->conversation(), "CLC"),
        testing::IsSupersetOf(
            {"CLC PROPOSAL after TCP SYN-ACK", "CLC ACCEPT after CLC PROPOSAL", "CLC CONFIRM after CLC ACCEPT"}));
    EXPECT_THAT(
        waits(session->conversation(), "LLC"),
        testing::IsSupersetOf(
            {"LLC CONFIRM LINK after CLC CONFIRM", "LLC CONFIRM LINK reply after LLC CONFIRM LINK",
             "LLC ADD LINK after LLC CONFIRM LINK reply", "LLC ADD LINK CONTINUATION after LLC ADD LINK reply"}));
}

/// The client's second connection has proposed first, but was accepted second.
TEST(SmcrOrder, ProposalsComeAsTheyWereAccepted) {
    const Sample sample("real/smcr_v2_lgr_rdma_link_delete.pcap");
    const auto session = sample.session("lg-1");
    std::vector<std::pair<std::string, std::uint64_t>> proposals;
    for (const Message& message : session->conversation().messages)
        if (message.name == "CLC PROPOSAL") proposals.emplace_back(message.channel, message.frame);
    EXPECT_THAT(proposals, testing::ElementsAre(testing::Pair("connection 1", 10), testing::Pair("connection 2", 9)));
}

/// Until the first one may propose, the others wait, whenever they are due.
TEST(SmcrOrder, ProposalsKeepTheirOrderAtTheRecordedPace) {
    const Sample sample("real/smcr_v2_asymmetric.pcapng");
    const auto session = sample.session("lg-1");
    replay::Run run;
    const auto actual = played(*session, Side::client, &run, {1});
    EXPECT_TRUE(run.over) << run.waiting_for;
    EXPECT_TRUE(compare(session->conversation(), actual->conversation(), Side::client).same());
}

TEST(SmcrEarlierGroup, IsThereOnBothSidesButNotAtALivePeer) {
    const Sample sample("real/smcr_v2_urgent_inline.pcap");
    const auto session = sample.session("smcr-1");
    const auto is_set_up = [](const Message& one) { return one.name.find(" LINK") != std::string::npos; };
    PlayOptions live;
    live.live = true;
    for (const Side side : {Side::client, Side::server}) {
        replay::Run run;
        const auto actual = played(*session, side, &run);
        EXPECT_TRUE(std::ranges::none_of(actual->conversation().messages, is_set_up));
        EXPECT_THAT(run.notes, testing::Contains(testing::HasSubstr("set up before the capture began")));
        try {
            session->player(side, live);
            ADD_FAILURE();
        } catch (const NotPlayable& refusal) {
            EXPECT_THAT(refusal.what(), testing::HasSubstr("only an emulated peer can have it"));
        }
    }
}

/// Before ACCEPT comes, nothing tells who is the client; the LLC messages until then are nevertheless their senders'.
TEST(SmcrEarlierGroup, TheServerTellsItsKeyBeforeItAccepts) {
    for (const char* name : {"real/smcr_v1_ipv6_echo.pcap", "real/smcr_v2_tiny_writes.pcap"}) {
        const Sample sample(name);
        const auto session = sample.session("smcr-1");
        const auto& messages = session->conversation().messages;
        const auto key = std::ranges::find(messages, "LLC CONFIRM RKEY", &Message::name);
        const auto accept = std::ranges::find(messages, "CLC ACCEPT", &Message::name);
        ASSERT_LT(key, accept) << name;
        EXPECT_EQ(key->from, Side::server) << name;
        EXPECT_EQ((key + 1)->name, "LLC CONFIRM RKEY reply") << name;
        EXPECT_EQ((key + 1)->from, Side::client) << name;
    }
}

/// The keys of the connection before it are withdrawn in the capture, but nobody has told them.
TEST(SmcrEarlierGroup, WhatWasSaidBeforeIsLeftOut) {
    const Sample sample("real/smcr_v2_midstream.pcap");
    const auto session = sample.session("smcr-2");
    EXPECT_EQ(session->conversation().messages.front().name, "TCP SYN");
    EXPECT_EQ(std::ranges::count(session->conversation().messages, "LLC DELETE RKEY", &Message::name), 0);
}

/// A server with another IPv6 prefix than any of the client's says so.
TEST(SmcrOverIpv6, NoPrefixInCommon) {
    const Sample sample("real/smcr_v1_ipv6_echo.pcap");
    const auto session = sample.session("smcr-1");
    session->edit([](Conversation& conversation) {
        Octets& proposal = std::ranges::find(conversation.messages, "CLC PROPOSAL", &Message::name)->octets;
        constexpr std::array<std::uint8_t, 4> prefix{0x20, 0x01, 0x0D, 0xB8};
        std::search(proposal.begin(), proposal.end(), prefix.begin(), prefix.end())[3] ^= 1;
    });
    const auto actual = played(*session, Side::client);
    const auto& messages = actual->conversation().messages;
    EXPECT_EQ(std::ranges::count(messages, "CLC DECLINE", &Message::name), 1);
    EXPECT_EQ(std::ranges::count(messages, "CLC ACCEPT", &Message::name), 0);
}

INSTANTIATE_TEST_SUITE_P(
    SmcrReplay, OneFrameLess,
    testing::Values("real/smcr_v2_echo.pcap", "real/smcr_v1_echo.pcap", "real/smcr_fallback_eid_mismatch.pcap"),
    test_name);
INSTANTIATE_TEST_SUITE_P(SmcrReplay, EachSmcrSample, testing::ValuesIn(samples()), test_name);

}  // namespace
}  // namespace fabricscope::replay::smcr
