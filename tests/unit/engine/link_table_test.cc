// SPDX-License-Identifier: GPL-2.0-or-later
// Links: their life, the queue pairs at their ends, offers of new ones.
#include "analyzer/engine/smcr/link_table.h"

#include <gtest/gtest.h>

#include "analyzer/engine/smcr/link_life.h"
#include "tests/unit/engine/ib_packets.h"

namespace fabricscope::engine::smcr {
namespace {

using enum Side;

// ---- the life of a link --------------------------------------------------------------------------

TEST(LinkLife, EachEventInEachState) {
    using enum LinkState;
    struct Row {
        LinkEvent event;
        std::array<LinkState, 4> after;  ///< of a link that was pending, active, deleted, failed
    };
    constexpr Row rows[] = {
        {LinkEvent::negotiated, {pending, pending, pending, pending}},
        {LinkEvent::met_in_use, {active, active, active, active}},
        {LinkEvent::confirmed, {active, active, active, active}},
        {LinkEvent::used, {active, active, deleted, failed}},
        {LinkEvent::deleted, {failed, deleted, deleted, failed}},
        {LinkEvent::declined, {failed, failed, failed, failed}},
        {LinkEvent::unanswered, {pending, failed, deleted, failed}},
    };
    for (const Row& row : rows)
        for (const LinkState before : {pending, active, deleted, failed}) {
            Link link;
            link.state = before;
            happen(link, row.event);
            EXPECT_EQ(link.state, row.after[static_cast<std::size_t>(before)])
                << name_of(before) << ", event " << static_cast<int>(row.event);
        }
}

// ---- queue pairs ---------------------------------------------------------------------------------

class LinkTableTest : public ::testing::Test {
protected:
    QueuePairRef found(std::uint8_t host, std::uint32_t qpn) {
        const QueuePairRef* end = links.find(test::ib_port(host), qpn);
        return end == nullptr ? QueuePairRef{} : *end;
    }

    LinkTableTest() {
        options.limits.link_groups = 2;
        options.limits.links_per_group = 2;
    }
    Options options;
    Observer observer;
    Model model;
    Sessions sessions{options, observer, model};
    LinkTable links{options, model, sessions};
};

TEST_F(LinkTableTest, AnRmbTellsWhoseQueuePairNoPacketHasShown) {
    const auto id = links.create_group();
    TrackedGroup& tracked = links.at(*id);
    tracked.began_before();
    tracked.group.roles_known = false;
    links.create_link(tracked);
    tracked.group.links[0].end[server].gid = test::gid_of(10);
    tracked.rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    links.name_by_rmb(test::gid_of(10), 0x11, 0x50, 0x2000);
    links.name_by_rmb(test::gid_of(20), 0x11, 0x50, 0x1000);
    EXPECT_FALSE(tracked.group.links[0].end[server].qpn) << "another address, another port";
    links.name_by_rmb(test::gid_of(10), 0x11, 0x50, 0x1000);
    EXPECT_EQ(found(10, 0x11), (QueuePairRef{*id, 0, server}));
    EXPECT_EQ(links.subsequent_contact(0, test::gid_of(10), 0x11, client), (QueuePairRef{*id, 0, client}))
        << "CONFIRM tells who is the client";
    EXPECT_EQ(model.link_groups.size(), 1U);
}

TEST_F(LinkTableTest, FirstContactMakesAGroupWhoseOtherEndTheClientNames) {
    const auto end = links.first_contact(test::gid_of(20), 0x14);
    EXPECT_EQ(end, (QueuePairRef{1, 0, server}));
    EXPECT_EQ(found(20, 0x14), *end);
    EXPECT_EQ(found(20, 0x15), QueuePairRef{});
    EXPECT_TRUE(links.consume_news());
    EXPECT_FALSE(links.consume_news());
    EXPECT_EQ(links.subsequent_contact(1, test::gid_of(10), 0x11, client), (QueuePairRef{1, 0, client}));
    EXPECT_EQ(model.link_groups.at(0).links.size(), 1U);
    EXPECT_TRUE(model.link_groups.at(0).from_start);
}

TEST_F(LinkTableTest, AContactOnAnUnknownLinkShowsThatItWasMadeBefore) {
    const auto end = links.subsequent_contact(0, test::gid_of(20), 0x14, server);
    EXPECT_EQ(end, (QueuePairRef{1, 0, server}));
    EXPECT_FALSE(model.link_groups.at(0).from_start);
    EXPECT_EQ(model.link_groups.at(0).links.at(0).state, LinkState::active);
    EXPECT_EQ(links.subsequent_contact(0, test::gid_of(20), 0x14, server), end) << "known from now on";
    EXPECT_EQ(links.subsequent_contact(1, test::gid_of(20), 0x15, server), (QueuePairRef{1, 1, server}));
    EXPECT_EQ(links.subsequent_contact(1, test::gid_of(20), 0x16, server), std::nullopt) << "too many links";
    EXPECT_EQ(model.dropped_details, 1U);
}

TEST_F(LinkTableTest, GroupsAreBounded) {
    links.create_group();
    links.create_group();
    EXPECT_FALSE(links.first_contact(test::gid_of(20), 0x14));
    EXPECT_EQ(model.dropped_link_groups, 1U);
}

TEST_F(LinkTableTest, AReleasedQueuePairIsNobodys) {
    links.first_contact(test::gid_of(20), 0x14);
    links.release(test::ib_port(20), 0x15);
    EXPECT_EQ(found(20, 0x14).group, 1U);
    links.release(test::ib_port(20), 0x14);
    EXPECT_EQ(links.find(test::ib_port(20), 0x14), nullptr);
}

TEST_F(LinkTableTest, TheLatestLinkOfANumberIsMeant) {
    TrackedGroup& tracked = links.at(*links.create_group());
    for (int i = 0; i < 2; ++i) {
        const auto index = links.create_link(tracked);
        ASSERT_TRUE(index);
        tracked.group.links[*index].number = 1;
    }
    EXPECT_EQ(LinkTable::by_number(tracked.group, 1), 1U);
    EXPECT_EQ(LinkTable::by_number(tracked.group, 2), std::nullopt);
}

TEST_F(LinkTableTest, SidesNamedByChanceAreExchangedOnce) {
    links.subsequent_contact(0, test::gid_of(20), 0x14, server);
    TrackedGroup& tracked = links.at(1);
    EXPECT_FALSE(links.orient(tracked, server, client)) << "CLC has told the roles";
    tracked.group.roles_known = false;
    tracked.history.gaps[server] = 1;
    tracked.rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    EXPECT_TRUE(links.orient(tracked, server, client));
    EXPECT_EQ(found(20, 0x14), (QueuePairRef{1, 0, client}));
    EXPECT_EQ(tracked.group.links[0].end[client].qpn, 0x14U);
    EXPECT_EQ(tracked.group.rmbs[0].owner, client);
    EXPECT_EQ(tracked.rmbs.target_of(client, 0, 0x50, 0x1000).place, RmbTable::Target::Place::in_rmb);
    EXPECT_EQ(tracked.history.gaps[client], 1U);
    EXPECT_FALSE(links.orient(tracked, server, client));
}

// ---- offers --------------------------------------------------------------------------------------

TEST(LinkOffers, TheOtherSideAccepts) {
    LinkOffers offers;
    offers.make({2, server, {}, 1024, 0, {}});
    EXPECT_EQ(offers.find(2, server), nullptr);
    EXPECT_EQ(offers.find(3, client), nullptr);
    ASSERT_NE(offers.find(2, client), nullptr);
    offers.make({2, server, {}, 4096, 0, {}});
    EXPECT_EQ(offers.find(2, client)->mtu, 4096U) << "the later one";
    offers.swap_sides();
    EXPECT_EQ(offers.find(2, client), nullptr);
    EXPECT_NE(offers.find(2, server), nullptr);
    offers.withdraw(2);
    EXPECT_EQ(offers.find(2, server), nullptr);
}

TEST(LinkOffers, TheOldestOfTooManyIsForgotten) {
    LinkOffers offers;
    for (std::uint8_t number = 1; number <= LinkOffers::most + 1; ++number) offers.make({number, server, {}, 0, 0, {}});
    EXPECT_EQ(offers.find(1, client), nullptr);
    EXPECT_NE(offers.find(2, client), nullptr);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
