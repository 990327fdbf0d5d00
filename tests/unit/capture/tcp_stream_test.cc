// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tcp_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;

Octets readable(const TcpStream& stream) { return {stream.readable().begin(), stream.readable().end()}; }

void insert(TcpStream& stream, std::uint32_t sequence, const Octets& octets, std::uint64_t frame) {
    stream.insert(sequence, octets, static_cast<std::uint32_t>(octets.size()), frame);
}

TEST(TcpStream, InOrderAndConsumed) {
    TcpStream stream;
    stream.start(100);
    insert(stream, 100, counting(10), 1);
    insert(stream, 110, counting(10, 10), 2);
    EXPECT_EQ(readable(stream), counting(20));
    stream.consume(15);
    EXPECT_EQ(stream.position(), 15U);
    EXPECT_EQ(readable(stream), counting(5, 15));
    insert(stream, 120, counting(5, 20), 3);
    EXPECT_EQ(readable(stream), counting(10, 15));
    stream.consume(1000);
    EXPECT_EQ(stream.position(), 25U);
    EXPECT_FALSE(stream.has_hole());
}

TEST(TcpStream, StartsAtTheFirstSegmentWithoutSyn) {
    TcpStream stream;
    insert(stream, 5000, counting(4), 1);
    insert(stream, 4990, counting(10), 2);  // before what became the start
    EXPECT_EQ(readable(stream), counting(4));
    EXPECT_EQ(stream.position(), 0U);
}

TEST(TcpStream, KnowsTheFrameThatCarriedAndTheOneThatCompleted) {
    TcpStream stream;
    stream.start(0);
    insert(stream, 10, counting(10), 1);
    EXPECT_TRUE(stream.has_hole());
    EXPECT_EQ(stream.frame_carrying(10), 0U);
    insert(stream, 0, counting(10), 2);
    EXPECT_FALSE(stream.has_hole());
    EXPECT_EQ(stream.frame_carrying(0), 2U);
    EXPECT_EQ(stream.frame_completing(9), 2U);
    EXPECT_EQ(stream.frame_carrying(10), 1U);
    EXPECT_EQ(stream.frame_completing(19), 2U);
    EXPECT_EQ(stream.frame_completing(20), 0U);
    stream.consume(10);
    EXPECT_EQ(stream.frame_carrying(9), 0U);
    EXPECT_EQ(stream.frame_carrying(10), 1U);
}

TEST(TcpStream, FirstCopyWins) {
    TcpStream stream;
    stream.start(0);
    insert(stream, 4, Octets(4, 'b'), 1);
    insert(stream, 2, Octets(8, 'c'), 2);  // on both sides of the b's
    insert(stream, 0, Octets(12, 'a'), 3);
    const std::string expected = "aaccbbbbccaa";
    EXPECT_EQ(readable(stream), Octets(expected.begin(), expected.end()));
}

TEST(TcpStream, KeepAliveAndZeroWindowProbe) {
    TcpStream stream;
    stream.start(1000);
    insert(stream, 1000, counting(8), 1);
    insert(stream, 1007, {0xEE}, 2);  // keep-alive: one octet of garbage before the next
    EXPECT_EQ(readable(stream), counting(8));
    insert(stream, 1008, {8}, 3);  // a window probe carries the next octet, and so does what follows
    insert(stream, 1008, counting(4, 8), 4);
    EXPECT_EQ(readable(stream), counting(12));
    EXPECT_FALSE(stream.has_hole());
}

TEST(TcpStream, CutSegmentLeavesAHoleThatARetransmissionFills) {
    TcpStream stream;
    stream.start(0);
    stream.insert(0, counting(6), 10, 1);
    EXPECT_TRUE(stream.has_hole());
    insert(stream, 10, counting(5, 10), 2);
    EXPECT_EQ(readable(stream), counting(6));
    insert(stream, 0, counting(10), 3);
    EXPECT_EQ(readable(stream), counting(15));
    EXPECT_FALSE(stream.has_hole());
}

TEST(TcpStream, SequenceNumbersWrap) {
    TcpStream stream;
    stream.start(0xFFFF'FFF0);
    insert(stream, 0x0000'0004, counting(10, 20), 2);
    insert(stream, 0xFFFF'FFF0, counting(20), 1);
    EXPECT_EQ(readable(stream), counting(30));
}

TEST(TcpStream, MemoryIsBounded) {
    TcpStream stream(100);
    stream.start(0);
    insert(stream, 50, counting(100, 50), 1);
    EXPECT_EQ(stream.lost(), 50U);
    insert(stream, 0, counting(50), 2);
    EXPECT_EQ(readable(stream), counting(100));
    insert(stream, 100, counting(10, 100), 3);
    EXPECT_EQ(stream.readable().size(), 100U);
    EXPECT_EQ(stream.lost(), 60U);
    EXPECT_TRUE(stream.has_hole());
    stream.consume(100);
    insert(stream, 100, counting(10, 100), 4);
    EXPECT_EQ(readable(stream), counting(10, 100));
    insert(stream, 0x8000'0000, counting(10), 5);

    TcpStream pieces;
    pieces.start(0);
    for (std::uint32_t i = 1; i < 1000; ++i) insert(pieces, 2 * i, {1}, i);
    EXPECT_EQ(pieces.lost(), 999U - TcpStream::most_pieces);
}

TEST(TcpStream, StopForgetsEverything) {
    TcpStream stream;
    insert(stream, 0, counting(10), 1);
    stream.stop();
    EXPECT_TRUE(stream.stopped());
    EXPECT_TRUE(stream.readable().empty());
    insert(stream, 10, counting(10), 2);
    EXPECT_TRUE(stream.readable().empty());
}

/// However a stream is split, shuffled, repeated and overlapped: what comes out is the stream.
TEST(TcpStream, AnySegmentationGivesTheOriginal) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        Octets original(random() % 3000 + 1);
        std::ranges::generate(original, [&] { return static_cast<std::uint8_t>(random()); });
        const auto first_sequence = static_cast<std::uint32_t>(random());

        struct Segment {
            std::size_t begin, end;
        };
        std::vector<Segment> segments;
        for (std::size_t at = 0; at < original.size();) {
            const std::size_t end = std::min(original.size(), at + random() % 200 + 1);
            segments.push_back({at, end});
            at = end;
        }
        for (std::size_t copies = segments.size() / 2; copies-- > 0;) {
            const std::size_t begin = random() % original.size();
            segments.push_back({begin, std::min(original.size(), begin + random() % 300 + 1)});
        }
        std::ranges::shuffle(segments, random);

        TcpStream stream;
        stream.start(first_sequence);
        Octets read;
        std::uint64_t frame = 0;
        for (const auto& [begin, end] : segments) {
            const ByteView octets = ByteView(original).subspan(begin, end - begin);
            stream.insert(
                first_sequence + static_cast<std::uint32_t>(begin), octets, static_cast<std::uint32_t>(octets.size()),
                ++frame);
            ASSERT_EQ(stream.position(), read.size());
            const std::size_t taken = random() % (stream.readable().size() + 1);
            if (!stream.readable().empty()) {
                ASSERT_LE(stream.frame_completing(stream.position()), frame);
            }
            read.insert(
                read.end(), stream.readable().begin(), stream.readable().begin() + static_cast<std::ptrdiff_t>(taken));
            stream.consume(taken);
        }
        read.insert(read.end(), stream.readable().begin(), stream.readable().end());
        ASSERT_EQ(read, original);
        ASSERT_FALSE(stream.has_hole());
        ASSERT_EQ(stream.lost(), 0U);
    }
}

TEST(TcpStream, SkipsWhatIsNotThere) {
    TcpStream stream;
    stream.start(0);
    insert(stream, 0, counting(10), 1);
    insert(stream, 20, counting(10, 20), 2);
    stream.skip(25);  // five octets into the piece that waits
    EXPECT_EQ(stream.position(), 25U);
    EXPECT_EQ(readable(stream), counting(5, 25));
    EXPECT_EQ(stream.frame_completing(25), 2U);
    insert(stream, 10, counting(10, 10), 3);
    EXPECT_EQ(readable(stream), counting(5, 25)) << "passed is passed";
    stream.skip(100);
    EXPECT_EQ(stream.position(), 125U);
    EXPECT_TRUE(stream.readable().empty());
    insert(stream, 125, counting(3), 4);
    EXPECT_EQ(readable(stream), counting(3));
}

TEST(TcpStream, GoesOnBehindAHole) {
    TcpStream stream;
    stream.start(0);
    insert(stream, 0, counting(4), 1);
    insert(stream, 20, counting(10, 20), 2);
    insert(stream, 40, counting(10, 40), 3);
    EXPECT_EQ(stream.waiting_pieces(), 2U);
    EXPECT_EQ(stream.offset_of(20), 16);
    EXPECT_EQ(stream.offset_of(0), -4);
    stream.skip_hole();
    EXPECT_EQ(stream.position(), 20U);
    EXPECT_EQ(readable(stream), counting(10, 20));
    EXPECT_TRUE(stream.has_hole());
    stream.skip_hole();
    EXPECT_EQ(readable(stream), counting(10, 40));
    EXPECT_FALSE(stream.has_hole());
}

TEST(TcpStream, GoesOnBehindOctetsThatWereNotCaptured) {
    TcpStream stream;
    stream.start(0);
    stream.insert(0, counting(4), 10, 1);
    EXPECT_TRUE(stream.has_hole());
    stream.skip_hole();
    EXPECT_EQ(stream.position(), 10U);
    EXPECT_FALSE(stream.has_hole());
}

}  // namespace
}  // namespace fabricscope::capture
