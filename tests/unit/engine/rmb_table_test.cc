// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/rmb_table.h"

#include <gtest/gtest.h>

namespace fabricscope::engine::smcr {
namespace {

using Place = RmbTable::Target::Place;
using enum Side;

class RmbTableTest : public ::testing::Test {
protected:
    LinkGroup group;
    GroupHistory history;
    std::uint64_t refused = 0;
    RmbBudget budget{{.rmbs = 3, .rmbs_per_group = 2, .rtokens = 3}, refused};
    RmbTable rmbs{group, history, budget};
};

TEST_F(RmbTableTest, AnRmbIsAnnouncedOnce) {
    EXPECT_EQ(rmbs.announce(server, {0, 0x50, 0x1000}, 7), 0U);
    EXPECT_EQ(rmbs.announce(server, {0, 0x50, 0x1000}, 8), 0U);
    EXPECT_EQ(group.rmbs.at(0).owner, server);
    EXPECT_EQ(group.rmbs.at(0).first_frame, 7U);
    EXPECT_EQ(rmbs.announce(client, {0, 0x50, 0x1000}, 9), 1U) << "each side has RKeys of its own";
    EXPECT_EQ(rmbs.announce(client, {0, 0x51, 0x1000}, 9), std::nullopt) << "more than a group may have";
    EXPECT_EQ(refused, 1U);
}

TEST_F(RmbTableTest, AnRkeyOfADeletedRmbMeansANewOne) {
    rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    rmbs.remove(server, 1, 0x50, 2);
    rmbs.remove(client, 0, 0x50, 2);
    EXPECT_FALSE(group.rmbs.at(0).deleted()) << "another link's, another side's";
    rmbs.remove(server, 0, 0x50, 2);
    EXPECT_TRUE(group.rmbs.at(0).deleted());
    EXPECT_EQ(rmbs.target_of(server, 0, 0x50, 0x1000).deleted, 0U);
    EXPECT_EQ(rmbs.announce(server, {0, 0x50, 0x1000}, 3), 1U);
    EXPECT_FALSE(rmbs.target_of(server, 0, 0x50, 0x1000).deleted);
}

TEST_F(RmbTableTest, WhatHadToWaitIsOfTheRmbThatWasThereThen) {
    rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    rmbs.remove(server, 0, 0x50, 5);
    const auto before = rmbs.element_at(server, {0, 0x50, 0x1000}, 4);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->rmb, 0U);
    const auto behind = rmbs.element_at(server, {0, 0x50, 0x1000}, 6);
    ASSERT_TRUE(behind);
    EXPECT_EQ(behind->rmb, 1U);
}

TEST_F(RmbTableTest, EachLinkHasItsOwnRkey) {
    rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    rmbs.add_by_reference(server, 0, 1, {.reference_rkey = 0x50, .rkey = 0x60, .address = 0x9000});
    rmbs.add_by_reference(server, 1, 2, {.reference_rkey = 0x50, .rkey = 0x70, .address = 0x9000});
    ASSERT_EQ(group.rmbs.at(0).rtokens.size(), 2U) << "on link 1 nothing has that RKey";
    EXPECT_EQ(rmbs.target_of(server, 1, 0x60, 0x9010).offset, 0x10U);
    EXPECT_EQ(rmbs.target_of(server, 0, 0x60, 0x9010).place, Place::unknown_rkey);
    rmbs.add(0, {1, 0x61, 0x9000});
    EXPECT_EQ(group.rmbs.at(0).rtokens.size(), 2U) << "it takes the place of the other";
    rmbs.add(0, {1, 0x62, 0x9000});
    EXPECT_EQ(rmbs.target_of(server, 1, 0x62, 0x9000).place, Place::unknown_rkey) << "too many RTokens";
    EXPECT_EQ(refused, 1U);
}

TEST_F(RmbTableTest, AWriteFindsTheElementAndItsConnection) {
    rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    group.rmbs[0].element_size = 0x100;
    EXPECT_EQ(rmbs.assign({0, 2}, 5), 0U);
    EXPECT_EQ(rmbs.assign({0, 2}, 6), 5U);
    const auto second = rmbs.target_of(server, 0, 0x50, 0x1180);
    EXPECT_EQ(second.place, Place::in_rmb);
    EXPECT_EQ(second.offset, 0x80U);
    EXPECT_EQ(second.connection, 6U);
    EXPECT_EQ(rmbs.target_of(server, 0, 0x50, 0x1000).connection, 0U) << "nobody's";
    EXPECT_EQ(rmbs.target_of(server, 0, 0x50, 0xFFF).place, Place::below_rmb);
}

TEST_F(RmbTableTest, AnElementIsFoundByItsPlace) {
    const auto first = rmbs.element_at(server, {0, 0x50, 0x1000}, 7);
    ASSERT_TRUE(first) << "nothing has announced its RMB";
    EXPECT_EQ(group.rmbs.at(first->rmb).first_frame, 7U);
    EXPECT_EQ(first->index, 1);
    EXPECT_FALSE(rmbs.element_at(server, {0, 0x50, 0x1100}, 8)) << "how large elements are is not known";
    group.rmbs[0].element_size = 0x100;
    EXPECT_FALSE(rmbs.element_at(server, {0, 0x50, 0x1180}, 8)) << "within the second";
    const auto second = rmbs.element_at(server, {0, 0x50, 0x1100}, 8);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->index, 2);
    EXPECT_EQ(rmbs.place_of(*second, 0)->address, 0x1100U);
    EXPECT_FALSE(rmbs.place_of(*second, 1)) << "it has no RToken there";
    rmbs.assign(*second, 5);
    EXPECT_FALSE(rmbs.element_at(server, {0, 0x50, 0x1100}, 9)) << "somebody has it";
    EXPECT_FALSE(rmbs.element_at(server, {0, 0x50, 0x1000 + 255 * 0x100}, 9)) << "indexes have eight bits";
}

TEST_F(RmbTableTest, TokensBelongToTheSideThatAssignedThem) {
    rmbs.announce(server, {0, 0x50, 0x1000}, 1);
    rmbs.assign({0, 1}, 5);
    rmbs.assign_token(server, 0x101, 5);
    EXPECT_EQ(rmbs.connection_of(server, 0x101), 5U);
    EXPECT_EQ(rmbs.connection_of(client, 0x101), 0U);
    rmbs.replace(5, 4, server);
    EXPECT_EQ(rmbs.connection_of(server, 0x101), 4U);
    EXPECT_EQ(rmbs.target_of(server, 0, 0x50, 0x1000).connection, 4U);
    rmbs.swap_sides();
    EXPECT_EQ(rmbs.connection_of(client, 0x101), 4U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
