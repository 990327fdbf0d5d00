// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/queue_pairs.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/ib_packets.h"

namespace fabricscope::engine::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;
using Kind = capture::RcEvent::Kind;
using enum Side;
constexpr std::uint8_t nak_sequence_error = 0x60;

class QueuePairsTest : public ::testing::Test {
protected:
    QueuePairs::Received send(std::uint32_t psn, Side from = client, std::uint8_t opcode = test::ib_send_only) {
        return pairs.receive(test::ib_packet(10, 20, 0x14, opcode, psn, octets), from, end);
    }
    QueuePairs::Received acknowledge(std::uint32_t psn, Side from = server, std::uint8_t syndrome = 0) {
        return pairs.receive(test::ib_acknowledgement(20, 10, 0x11, psn, syndrome), from, end);
    }

    QueuePairs pairs;
    PerSide<LinkEndpoint> end;
    Octets octets = Octets(44, 1);
};

TEST_F(QueuePairsTest, RequestsInOrderMissNothing) {
    const auto first = send(100);
    EXPECT_EQ(first.event.kind, Kind::send_message);
    EXPECT_TRUE(first.request && first.first_request && first.fresh());
    EXPECT_EQ(pairs.sent_psn(client), 100U);
    EXPECT_FALSE(pairs.sent_psn(server));
    const auto second = send(101);
    EXPECT_TRUE(second.fresh());
    EXPECT_FALSE(second.first_request);
    EXPECT_FALSE(second.gap[client] || second.gap[server]);
    const auto answer = acknowledge(101);
    EXPECT_FALSE(answer.request || answer.gap[client] || answer.gap[server]);
}

TEST_F(QueuePairsTest, GapsOfWhoSent) {
    end[client].initial_psn = 98;
    EXPECT_TRUE(send(100).gap[client]) << "the begin is missing";
    EXPECT_TRUE(send(103).gap[client]);
    EXPECT_FALSE(send(102).gap[client]) << "it comes late";
    EXPECT_TRUE(send(104, client, test::ib_send_middle).gap[client]) << "what it belongs to is not known";
    EXPECT_FALSE(acknowledge(104).gap[client]);
    EXPECT_TRUE(acknowledge(106).gap[client]) << "acknowledged, but not captured";
    EXPECT_FALSE(acknowledge(107, server, nak_sequence_error).gap[client]);
}

TEST_F(QueuePairsTest, ASideOfWhichNothingWasCapturedIsMissingWhatIsAcknowledged) {
    EXPECT_TRUE(acknowledge(100).gap[client]);
    end[client].initial_psn = 100;
    EXPECT_FALSE(acknowledge(99).gap[client]);
    EXPECT_TRUE(acknowledge(100).gap[client]);
}

TEST_F(QueuePairsTest, AnAcknowledgmentBeforeItsPacketShowsThatTheOrderIsWrong) {
    send(100);
    EXPECT_FALSE(pairs.has_more_to_show(client));
    acknowledge(102);
    EXPECT_TRUE(pairs.has_more_to_show(client));
    send(101);
    EXPECT_TRUE(pairs.has_more_to_show(client));
    send(102);
    send(101);
    EXPECT_FALSE(pairs.has_more_to_show(client)) << "a repetition shows nothing";
}

TEST_F(QueuePairsTest, NaksAreTold) {
    send(100);
    const auto nak = test::ib_acknowledgement(20, 10, 0x11, 100, nak_sequence_error);
    EXPECT_TRUE(is_nak(nak, pairs.receive(nak, server, end).event));
    const auto ack = test::ib_acknowledgement(20, 10, 0x11, 100);
    EXPECT_FALSE(is_nak(ack, pairs.receive(ack, server, end).event));
}

TEST_F(QueuePairsTest, UnansweredOnceRepeatedAsOftenAsAQueuePairMay) {
    send(100);
    for (int i = 0; i < 6; ++i) EXPECT_FALSE(send(100).fresh());
    EXPECT_FALSE(pairs.unanswered());
    send(100);
    EXPECT_TRUE(pairs.unanswered());
    pairs.swap_sides();
    EXPECT_TRUE(pairs.unanswered());
    EXPECT_EQ(pairs.sent_psn(server), 100U);
    acknowledge(100, client);
    EXPECT_FALSE(pairs.unanswered()) << "the other side is alive";
}

TEST_F(QueuePairsTest, ARetryMayRepeatManyRequests) {
    const auto burst = [&] {
        for (std::uint32_t psn = 100; psn < 120; ++psn) send(psn);
    };
    for (int i = 0; i < 7; ++i) burst();  // once, and six retries
    EXPECT_FALSE(pairs.unanswered());
    burst();
    EXPECT_TRUE(pairs.unanswered());
}

}  // namespace
}  // namespace fabricscope::engine::smcr
