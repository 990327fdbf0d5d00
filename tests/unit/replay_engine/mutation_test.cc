// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/mutation/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/engine/smcr/formats.h"

namespace fabricscope::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two CDC messages, one of each side, in frames 1 and 2.
Conversation conversation() {
    Conversation recorded;
    for (const Side from : {Side::client, Side::server}) {
        Message& message = recorded.messages.emplace_back();
        message.format = &smcr::cdc_format();
        message.from = from;
        message.name = "CDC closed";
        message.frame = recorded.messages.size();
        message.octets = Octets(44);
        message.octets[0] = 0xFE;
        message.octets[1] = 44;
    }
    return recorded;
}

TEST(Mutations, AreTextAndBack) {
    for (const char* text : {"4:smcr.cdc.sequence=0x7", "1:octets[3]=hex:00ff", "2:length=20", "9:a=b=c"}) {
        const auto mutation = mutation_from_text(text);
        ASSERT_TRUE(mutation) << text;
        EXPECT_EQ(text_of(*mutation), text);
    }
    for (const char* wrong : {"", "smcr.cdc.sequence=1", "x:y=1", "1:y", "=:", "1=2:3"})
        EXPECT_FALSE(mutation_from_text(wrong)) << wrong;
}

TEST(Mutations, AlterTheMessageOfTheFrame) {
    Conversation recorded = conversation();
    apply(
        recorded, Side::client, {*mutation_from_text("1:smcr.cdc.sequence=0x1234"), *mutation_from_text("1:length=4")});
    EXPECT_EQ(recorded.messages[0].octets, (Octets{0xFE, 44, 0x12, 0x34}));
    EXPECT_EQ(recorded.messages[1].octets, conversation().messages[1].octets);
    EXPECT_THROW(apply(recorded, Side::client, {*mutation_from_text("2:length=4")}), FieldError);
    EXPECT_THROW(apply(recorded, Side::server, {*mutation_from_text("2:smcr.cdc.colour=4")}), FieldError);
    EXPECT_THROW(apply(recorded, Side::server, {*mutation_from_text("2:length=-1")}), FieldError);
}

TEST(Mutations, ChanceIsTheSeeds) {
    const Conversation recorded = conversation();
    const CampaignSettings settings{.seed = 7, .mutations = 5};
    std::set<std::string> seen;
    for (std::size_t run = 1; run <= 200; ++run) {
        const std::vector<Mutation> mutations = mutations_of(recorded, Side::server, settings, run);
        const std::vector<Mutation> again = mutations_of(recorded, Side::server, settings, run);
        ASSERT_FALSE(mutations.empty());
        ASSERT_LE(mutations.size(), 5U);
        for (std::size_t i = 0; i < mutations.size(); ++i) {
            EXPECT_EQ(mutations[i].frame, 2U) << "the played side's";
            EXPECT_EQ(text_of(mutations[i]), text_of(again[i]));
            seen.insert(mutations[i].change.name);
        }
    }
    EXPECT_TRUE(seen.contains("length"));
    EXPECT_GT(seen.size(), 10U);
}

/// Dies of a sequence number above 0x8000 together with a shorter message.
struct Fragile {
    bool alive = true;
    unsigned restarts = 0, plays = 0;

    void play(const std::vector<Mutation>& mutations) {
        ++plays;
        bool high = false, shorter = false;
        for (const Mutation& one : mutations) {
            high = high || one.change.name == "smcr.cdc.sequence";
            shorter = shorter || one.change.name == "length";
        }
        alive = alive && !(high && shorter);
    }
};

MutatedPeer peer_of(Fragile& fragile, bool can_restart) {
    MutatedPeer peer;
    peer.play = [&](const std::vector<Mutation>& mutations) { fragile.play(mutations); };
    peer.is_healthy = [&] { return fragile.alive; };
    if (can_restart)
        peer.restart = [&] {
            ++fragile.restarts;
            return fragile.alive = true;
        };
    return peer;
}

TEST(Campaigns, FindAndMinimise) {
    const Conversation recorded = conversation();
    Fragile fragile;
    const CampaignResult result = run_campaign(
        recorded, Side::client, {.seed = 1, .runs = 2000, .mutations = 6}, peer_of(fragile, true));
    EXPECT_EQ(result.runs, 2000U);
    EXPECT_EQ(result.ended, "");
    ASSERT_FALSE(result.deaths.empty());
    for (const Death& death : result.deaths) {
        EXPECT_TRUE(death.minimal && death.reproduced);
        std::vector<std::string> names;
        for (const Mutation& one : death.mutations) names.push_back(one.change.name);
        std::ranges::sort(names);
        EXPECT_THAT(names, ElementsAre("length", "smcr.cdc.sequence"));
    }
    EXPECT_GT(fragile.restarts, result.deaths.size());
}

TEST(Campaigns, EndWithAPeerThatNobodyBringsUp) {
    Fragile fragile;
    const CampaignResult result = run_campaign(
        conversation(), Side::client, {.seed = 1, .runs = 2000, .mutations = 6}, peer_of(fragile, false));
    ASSERT_EQ(result.deaths.size(), 1U);
    EXPECT_LT(result.runs, 2000U);
    EXPECT_EQ(result.runs, result.deaths[0].run);
    EXPECT_FALSE(result.deaths[0].minimal || result.deaths[0].reproduced);
    EXPECT_NE(result.ended, "");
}

TEST(Campaigns, LeaveASoundPeerAlone) {
    std::size_t plays = 0;
    MutatedPeer peer;
    peer.play = [&](const std::vector<Mutation>&) { ++plays; };
    peer.is_healthy = [] { return true; };
    const CampaignResult result = run_campaign(conversation(), Side::client, {.runs = 50}, peer);
    EXPECT_THAT(result.deaths, IsEmpty());
    EXPECT_EQ(plays, 50U);
}

}  // namespace
}  // namespace fabricscope::replay
