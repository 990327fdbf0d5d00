// SPDX-License-Identifier: GPL-2.0-or-later
// Cursor arithmetic and the placing of WRITEs, by the numbers of RFC 7609, 4.5 and 4.7.
#include "analyzer/engine/smcr/flow.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fabricscope::engine::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;

/// A direction with an RMB element of `size` octets.
class FlowTest : public ::testing::Test {
protected:
    void begin(std::uint64_t size, std::uint8_t base, bool from_start = true) {
        direction.from_start = from_start;
        flow.set_size(size);
        flow.set_base(base);
    }
    std::optional<std::int64_t> produce(std::uint16_t wrap, std::uint32_t offset, wire::CdcProducerFlags flags = {}) {
        return flow.on_producer({wrap, offset}, flags, ++now, frame);
    }
    std::optional<std::int64_t> consume(std::uint16_t wrap, std::uint32_t offset) {
        return flow.on_consumer({wrap, offset}, ++now, frame);
    }
    std::optional<std::uint64_t> write(std::uint64_t offset, std::uint32_t length, bool late = false) {
        payload.resize(length);
        std::iota(payload.begin(), payload.end(), next_octet);
        next_octet = static_cast<std::uint8_t>(next_octet + length);
        return flow.on_write({offset, length, payload, true, late, ++now});
    }
    void collect() {
        flow.attach_stream([this](const StreamBuffer::Piece& piece) {
            EXPECT_EQ(piece.position, stream.size() + implausible);
            stream.insert(stream.end(), piece.octets.begin(), piece.octets.end());
            (piece.implausible ? implausible : holes) += piece.missing;
            if (!piece.implausible) stream.insert(stream.end(), piece.missing, 0);
            if (piece.urgent_last) urgent.push_back(stream.size() - 1);
        });
    }

    Direction direction;
    std::size_t room = 1000;
    Flow flow{direction, room};
    Time now = 0;
    std::uint64_t frame = 1;
    Octets payload, stream;
    std::uint8_t next_octet = 0;
    std::uint64_t holes = 0, implausible = 0;
    std::vector<std::size_t> urgent;
};

TEST_F(FlowTest, TheFirstCursorThatIsSeenMayHaveWrapped) {
    flow.set_size(1024);
    produce(2, 104);
    consume(1, 1000);
    EXPECT_EQ(flow.in_flight(), 2U * 1024 + 104 - (1024 + 1000));
    flow.set_base(4);
    EXPECT_EQ(direction.bytes_announced, 2U * 1020 + 100);
    EXPECT_EQ(direction.bytes_acknowledged, 1020U + 996);
    EXPECT_EQ(produce(2, 104), 0) << "it has not gone back";
}

TEST_F(FlowTest, AFirstMessageBehindAllThatItAnnouncesTellsOfTheStart) {
    for (const std::uint32_t base : {0U, 4U}) {
        Direction of;
        of.from_start = false;
        Flow followed(of, room);
        followed.on_write({base, 100, {}, true, false, ++now});
        followed.on_first_message({0, base + 100});
        followed.on_producer({0, base + 100}, {}, ++now, frame);
        EXPECT_FALSE(followed.in_flight()) << "the receiver was not heard";
        EXPECT_TRUE(of.from_start);
        EXPECT_EQ(of.cursor_base, base);
        EXPECT_EQ(of.bytes_announced, 100U);
        EXPECT_EQ(of.bytes_written, 100U);
    }
}

TEST_F(FlowTest, AFirstMessageOfMoreThanWasSeenDoesNot) {
    direction.from_start = false;
    write(50, 50);
    flow.on_first_message({0, 100});
    EXPECT_FALSE(direction.from_start);
    flow.on_first_message({1, 0});
    EXPECT_FALSE(direction.from_start) << "it has wrapped";
    flow.on_first_message({0, 4});
    EXPECT_FALSE(direction.from_start) << "four octets, or an eye catcher";
    write(1, 49);
    flow.on_first_message({0, 100});
    EXPECT_FALSE(direction.from_start) << "all but the first octet";
}

TEST_F(FlowTest, WritesBeforeTheBaseIsKnownAreWhereItPutsThem) {
    flow.set_size(1024);
    collect();
    write(104, 920);  // to the end of the element
    flow.set_base(4);
    EXPECT_EQ(flow.frontier(), 1020U);
    EXPECT_TRUE(flow.was_written(100, 1020));
    EXPECT_EQ(write(4, 50), 1020U) << "the next lap";
    produce(1, 54);
    consume(1, 54);
    EXPECT_EQ(holes, 100U);
    EXPECT_EQ(stream.size(), 1070U);
}

TEST_F(FlowTest, NothingIsSaidOfTheStreamBeforeTheBaseIsKnown) {
    flow.set_size(1024);
    collect();
    produce(0, 104);
    consume(0, 104);
    EXPECT_EQ(holes, 0U) << "it may be 100 octets behind the base, or 104";
    flow.set_base(4);
    consume(0, 104);
    EXPECT_EQ(holes, 100U);
    EXPECT_EQ(stream.size(), 100U);
}

TEST_F(FlowTest, OfWhatWasNotSeenOnlyAWindowMoreThanWasSeenIsBelieved) {
    begin(1000, 0);
    collect();
    write(0, 100);
    produce(0, 500);
    consume(0, 500);
    EXPECT_EQ(holes, 400U);
    produce(1, 500);  // 1000 more: of 1100 octets 400 have been taken for lost already
    consume(1, 500);
    EXPECT_EQ(holes, 400U);
    EXPECT_EQ(implausible, 1000U);
    produce(30'000, 500);
    consume(30'000, 500);
    EXPECT_EQ(implausible, 30'000'000U);
    write(500, 100);
    produce(30'000, 600);
    EXPECT_EQ(stream.size(), 600U) << "what was captured is handed out nevertheless";
    consume(30'001, 600);
    EXPECT_EQ(holes, 400U);
}

TEST_F(FlowTest, RfcExampleWithEyeCatcher) {
    begin(10000, 4);
    EXPECT_EQ(write(4, 1000), 0U);
    EXPECT_EQ(produce(0, 1004), 1000);
    EXPECT_EQ(consume(0, 1004), 1000);
    // A full window: 9996 octets in two WRITEs, across the end.
    EXPECT_EQ(write(1004, 8996), 1000U);
    EXPECT_EQ(write(4, 1000), 9996U);
    EXPECT_EQ(produce(1, 1004), 9996);
    EXPECT_EQ(flow.in_flight(), 9996U);
    EXPECT_EQ(flow.in_flight(), flow.capacity());
    EXPECT_EQ(direction.wraps, 1U);
    EXPECT_EQ(consume(1, 1004), 9996);
    EXPECT_EQ(flow.in_flight(), 0U);
    EXPECT_EQ(direction.bytes_written, 10996U);
    EXPECT_EQ(direction.bytes_announced, 10996U);
    EXPECT_EQ(direction.bytes_acknowledged, 10996U);
    EXPECT_EQ(direction.peak_in_flight, 9996U);
    EXPECT_EQ(direction.stalls.count, 1U);
}

TEST_F(FlowTest, WithoutEyeCatcherTheWholeElementIsUsed) {
    begin(16384, 0);
    EXPECT_EQ(write(0, 16000), 0U);
    EXPECT_EQ(produce(0, 16000), 16000);
    EXPECT_EQ(consume(0, 16000), 16000);
    EXPECT_EQ(write(16000, 384), 16000U);
    EXPECT_EQ(write(0, 116), 16384U);
    EXPECT_EQ(produce(1, 116), 500);
    EXPECT_EQ(direction.bytes_written, 16500U);
}

TEST_F(FlowTest, WrapCounterPasses16Bits) {
    begin(16384, 0);
    std::uint64_t total = 0;
    for (std::uint32_t lap = 1; lap <= 65540; ++lap) {
        write(0, 16384);
        ASSERT_EQ(produce(static_cast<std::uint16_t>(lap), 0), 16384);
        ASSERT_EQ(consume(static_cast<std::uint16_t>(lap), 0), 16384);
        total += 16384;
    }
    EXPECT_EQ(direction.bytes_announced, total);
    EXPECT_EQ(direction.bytes_written, total);
    EXPECT_EQ(direction.wraps, 65540U);
}

TEST_F(FlowTest, CursorsThatGoBackSayNothing) {
    begin(16384, 0);
    produce(0, 500);
    EXPECT_EQ(produce(0, 400), 0);
    EXPECT_EQ(produce(65535, 16000), 0);
    EXPECT_EQ(direction.bytes_announced, 500U);
}

TEST_F(FlowTest, StallAndBlockedIntervals) {
    begin(16384, 0);
    write(0, 16384);
    produce(1, 0, {.writer_blocked = true});  // t = 2
    consume(0, 1000);                         // t = 3: no longer full
    write(0, 1000);
    produce(1, 1000, {.writer_blocked = true});  // t = 5: full again
    consume(1, 1000);                            // t = 6
    produce(1, 1000);                            // t = 7: B is gone
    EXPECT_EQ(direction.stalls.count, 2U);
    EXPECT_EQ(direction.stalls.total, 2);
    EXPECT_EQ(direction.stalls.longest, 1);
    EXPECT_EQ(direction.blocked.count, 1U);
    EXPECT_EQ(direction.blocked.total, 5);
}

TEST_F(FlowTest, StreamInOrderWhateverTheOrderOfWrites) {
    begin(16384, 0);
    collect();
    const Octets first(100, 1), second(100, 2), third(100, 3);
    flow.on_write({200, 100, third, true, false, 1});
    produce(0, 300);
    EXPECT_TRUE(stream.empty()) << "what came before is missing";
    flow.on_write({100, 100, second, true, true, 2});
    flow.on_write({0, 100, first, true, true, 3});
    produce(0, 300);
    ASSERT_EQ(stream.size(), 300U);
    EXPECT_EQ(stream[99], 1);
    EXPECT_EQ(stream[100], 2);
    EXPECT_EQ(stream[299], 3);
    EXPECT_EQ(holes, 0U);
    EXPECT_EQ(direction.bytes_written, 300U);
}

TEST_F(FlowTest, WhatWasConsumedButNotCapturedIsAHole) {
    begin(16384, 0);
    collect();
    write(0, 100);
    produce(0, 100);
    produce(0, 150);  // its WRITE was not captured
    EXPECT_EQ(stream.size(), 100U) << "it may still come";
    write(150, 50);
    produce(0, 200);
    consume(0, 200);
    EXPECT_EQ(stream.size(), 200U);
    EXPECT_EQ(holes, 50U);
    EXPECT_EQ(direction.bytes_written, 150U);
}

TEST_F(FlowTest, ReplayAfterFailoverIsNotCountedTwice) {
    begin(16384, 0);
    collect();
    write(0, 10000);
    produce(0, 10000);
    consume(0, 10000);
    flow.expect_replay();
    write(8000, 2000);  // was acknowledged by the receiver, but the sender did not learn of it
    EXPECT_EQ(direction.bytes_written, 10000U);
    EXPECT_EQ(direction.bytes_replayed, 2000U);
    EXPECT_EQ(write(10000, 500), 10000U) << "and on with new data";
    produce(0, 10500);
    EXPECT_EQ(stream.size(), 10500U);
}

TEST_F(FlowTest, WhatSeemsToBeWrittenAgainBehindAGapMayBeNew) {
    begin(16384, 0);
    write(0, 10000);
    produce(0, 10000);
    EXPECT_EQ(direction.replayed(), 0U);
    payload.resize(1000);
    flow.on_write({2000, 1000, payload, true, true, ++now, 1000, false, /* lap_unsure */ true});
    EXPECT_FALSE(direction.replayed());
}

TEST_F(FlowTest, ASizeThatIsLearnedBehindAWrapDoesNotMakePositionsKnown) {
    produce(0, 100);
    produce(1, 50);
    EXPECT_FALSE(direction.positions_known);
    flow.set_size(16384);
    EXPECT_FALSE(flow.capacity());
    EXPECT_EQ(flow.producer_motion({1, 60}).kind, Motion::Kind::unknown);
    EXPECT_FALSE(direction.replayed());
}

TEST_F(FlowTest, ALateWriteBelongsWhereItIsNearer) {
    begin(1000, 0);
    write(0, 900);
    produce(0, 900), consume(0, 900);
    write(900, 100), write(200, 100);
    EXPECT_EQ(flow.frontier(), 1300U);
    EXPECT_EQ(write(100, 100, /* late */ true), 1100U) << "not in the next lap, though there is room";
    EXPECT_EQ(flow.frontier(), 1300U);
    EXPECT_EQ(write(300, 100, /* late */ true), 1300U);
}

TEST_F(FlowTest, WhereAWriteBelongsThatMayBeOfEitherLapIsNotKnown) {
    begin(1000, 0);
    write(0, 900);
    produce(0, 900), consume(0, 900);
    Flow::Write one{.offset = 700, .length = 100, .octets = payload, .first = true, .late = false, .time = ++now};
    EXPECT_FALSE(flow.is_doubtful(one)) << "nothing is missing";
    one.lap_unsure = true;
    EXPECT_TRUE(flow.is_doubtful(one));
    EXPECT_FALSE(flow.on_write(one));
    EXPECT_EQ(flow.frontier(), 900U);
    EXPECT_EQ(direction.bytes_written, 900U);
    one.offset = 100;
    EXPECT_EQ(flow.on_write(one), 1100U) << "200 octets are missing before it";
}

TEST_F(FlowTest, FailoverWithNothingToReplayGoesOn) {
    begin(16384, 0);
    write(0, 10000);
    produce(0, 10000);
    consume(0, 10000);
    flow.expect_replay();
    EXPECT_EQ(write(10000, 500), 10000U);
}

TEST_F(FlowTest, ALateWriteMayFillAGapOfAnEarlierLap) {
    begin(1000, 0);
    write(0, 400);
    write(500, 500);
    consume(1, 0);
    write(0, 1000);
    consume(2, 0);
    write(0, 100);
    Flow::Write late{.offset = 400, .length = 100, .octets = payload, .first = true, .late = true, .time = ++now};
    late.lap_unsure = true;
    EXPECT_FALSE(flow.on_write(late)) << "missing in the first lap, and new in the third";
    EXPECT_EQ(write(100, 100), 2100U);
    late.offset = 600;
    EXPECT_EQ(flow.on_write(late), 2600U) << "missing in none";
}

TEST_F(FlowTest, LateWriteBelongsToTheLapThatTheWindowAllows) {
    begin(16384, 0);
    write(0, 16384);
    produce(1, 0);
    consume(0, 10000);
    // The next lap's first octets come before the rest of what the receiver waits for.
    EXPECT_EQ(write(0, 10000), 16384U);
    EXPECT_EQ(write(12000, 1000, true), 12000U);
    consume(1, 0);
    EXPECT_EQ(write(10000, 1000, true), 26384U);
}

TEST_F(FlowTest, UrgentOctetEndsItsPiece) {
    begin(16384, 0);
    collect();
    write(0, 14);
    produce(0, 14);
    write(14, 1);
    produce(0, 15, {.urgent_pending = true, .urgent_present = true});
    produce(0, 15, {.urgent_pending = true, .urgent_present = true});
    write(15, 5);
    produce(0, 20);
    EXPECT_EQ(direction.urgent, 1U);
    EXPECT_EQ(urgent, (std::vector<std::size_t>{14}));
    EXPECT_EQ(stream.size(), 20U);
}

TEST_F(FlowTest, MidwayPositionsCountFromTheFirstOneSeen) {
    direction.from_start = false;
    EXPECT_EQ(produce(7, 5000), std::nullopt) << "no earlier cursor to compare with";
    EXPECT_EQ(produce(7, 6000), 1000);
    EXPECT_EQ(direction.bytes_announced, 1000U);
    EXPECT_TRUE(direction.positions_known);
    EXPECT_EQ(produce(8, 100), 0) << "the size is not known, so neither is the distance";
    EXPECT_FALSE(direction.positions_known);
}

TEST_F(FlowTest, MidwaySizeShowsWhereWritesStartOver) {
    direction.from_start = false;
    produce(3, 16000);
    consume(3, 16000);
    write(16000, 384);
    EXPECT_FALSE(direction.rmbe_size);
    write(0, 616);
    EXPECT_EQ(direction.rmbe_size, 16384U);
    EXPECT_TRUE(direction.rmbe_size_inferred);
    EXPECT_EQ(produce(4, 616), 1000);
    EXPECT_EQ(direction.bytes_written, 1000U);
}

TEST_F(FlowTest, TimelineHasARowForEachChange) {
    begin(16384, 0);
    produce(0, 100);
    produce(0, 100);
    consume(0, 60);
    ASSERT_EQ(direction.timeline.size(), 2U);
    EXPECT_EQ(direction.timeline[1].produced, 100U);
    EXPECT_EQ(direction.timeline[1].consumed, 60U);
    EXPECT_EQ(direction.timeline[1].in_flight(), 40U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
