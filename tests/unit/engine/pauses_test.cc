// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/pauses.h"

#include <gtest/gtest.h>

#include "protocols/net/headers.h"

namespace fabricscope::engine::rdma {
namespace {

class PausesTest : public testing::Test {
protected:
    static constexpr Time microsecond = capture::microsecond;

    /// A frame of the port with that last octet of its address, so long after the beginning.
    void pause(Time after, std::uint8_t priorities, std::uint16_t quanta, std::uint8_t port = 1) {
        net::PriorityPause asked{.enabled = priorities, .quanta = {}};
        for (std::size_t i = 0; i < 8; ++i) {
            asked.quanta.octets[2 * i] = static_cast<std::uint8_t>(quanta >> 8);
            asked.quanta.octets[2 * i + 1] = static_cast<std::uint8_t>(quanta);
        }
        take(after, net::mac_control_priority_pause, layout::octets_of(asked), port);
    }
    void take(Time after, std::uint16_t opcode, ByteView octets, std::uint8_t port = 1) {
        capture::Packet packet;
        packet.number = ++frames_;
        packet.time = capture::second + after;
        packet.mac_control = opcode;
        packet.source_mac.octets[5] = port;
        packet.segment = octets;
        pauses_.on_packet(packet);
    }
    const std::vector<Pause>& end(Time after) {
        pauses_.finish(capture::second + after);
        return model_.pauses;
    }

    Model model_;

private:
    Pauses pauses_{model_};
    std::uint64_t frames_ = 0;
};

TEST_F(PausesTest, LastUntilTheyAreEnded) {
    pause(0, 1U << 3, 0xFFFF);
    pause(500 * microsecond, 1U << 3, 0xFFFF);
    pause(600 * microsecond, 1U << 3, 0);
    pause(900 * microsecond, 1U << 3, 0xFFFF);
    pause(1000 * microsecond, 1U << 3, 0);
    const std::vector<Pause>& found = end(5000 * microsecond);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].priority, 3);
    EXPECT_EQ(found[0].frames, 3U);
    EXPECT_EQ(found[0].paused, 700 * microsecond);
    EXPECT_EQ(found[0].longest, 600 * microsecond);
    EXPECT_EQ(found[0].first.frame, 1U);
    EXPECT_EQ(model_.pfc_frames, 5U);
}

TEST_F(PausesTest, NothingEndsThemButTheirTime) {
    pause(0, 1, 1000);  // 512,000 bits
    pause(100 * microsecond, 1, 1000);
    const std::vector<Pause>& found = end(1000 * microsecond);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].paused, 2 * 51'200);
    EXPECT_EQ(found[0].longest, 51'200) << "the first one was over before the second one came";
}

TEST_F(PausesTest, LastAsLongAsTheCapture) {
    pause(0, 1, 0xFFFF);
    EXPECT_EQ(end(20 * microsecond).at(0).paused, 20 * microsecond);
}

TEST_F(PausesTest, EachPortAndPriorityHasItsOwn) {
    pause(0, 0b1001, 0xFFFF);
    pause(10 * microsecond, 0b0001, 0);
    pause(10 * microsecond, 0b1000, 0xFFFF, 2);
    const std::vector<Pause>& found = end(30 * microsecond);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].paused, 10 * microsecond);
    EXPECT_EQ(found[1].priority, 3);
    EXPECT_EQ(found[1].paused, 30 * microsecond);
    EXPECT_EQ(found[2].by.octets[5], 2);
    EXPECT_EQ(found[2].paused, 20 * microsecond);
}

TEST_F(PausesTest, OfTheWholeLink) {
    take(0, net::mac_control_pause, layout::octets_of(net::LinkPause{.quanta = 0xFFFF}));
    take(7 * microsecond, net::mac_control_pause, layout::octets_of(net::LinkPause{.quanta = 0}));
    const std::vector<Pause>& found = end(30 * microsecond);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].priority, std::nullopt);
    EXPECT_EQ(found[0].paused, 7 * microsecond);
    EXPECT_EQ(model_.pause_frames, 2U);
}

TEST_F(PausesTest, WhatWasCutOffOrEndsNothingIsCountedOnly) {
    take(0, net::mac_control_priority_pause, {});
    take(0, net::mac_control_pause, {});
    pause(0, 1, 0);
    EXPECT_TRUE(end(1).empty());
    EXPECT_EQ(model_.pfc_frames, 2U);
    EXPECT_EQ(model_.pause_frames, 1U);
}

TEST_F(PausesTest, AreBounded) {
    for (unsigned port = 0; port < 200; ++port) pause(port, 1, 1, static_cast<std::uint8_t>(port));
    EXPECT_EQ(end(1000).size(), Pauses::most);
}

}  // namespace
}  // namespace fabricscope::engine::rdma
