// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/fc_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/traffic/fc_builder.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;
using namespace traffic;
using test::Octets;

/// Sequences of one party, as a capture with or without delimiters holds them.
class Sequences {
public:
    explicit Sequences(bool delimited, const FcSequenceLimits& limits = {})
        : delimited_(delimited), sequences_(limits) {}

    FcSequenceEvent receive(const FcFrame& frame) {
        const Octets octets = delimited_ ? as_fc2_with_delimiters(frame) : as_fc2(frame);
        Frame captured = frame_of(octets, delimited_ ? LinkType::fc2_with_delimiters : LinkType::fc2);
        captured.number = ++number_;
        captured.time = static_cast<Time>(number_);
        const Packet packet = decode(captured);
        return sequences_.receive(packet, true);
    }
    /// All frames; the event of the last one.
    FcSequenceEvent receive(const std::vector<FcFrame>& frames) {
        FcSequenceEvent event;
        for (const FcFrame& frame : frames) event = receive(frame);
        return event;
    }

private:
    bool delimited_;
    FcSequences sequences_;
    std::uint64_t number_ = 0;
};

struct Options {
    std::uint8_t seq_id = 1;
    std::uint16_t seq_cnt = 0;
    std::size_t size = 10 * 512;
    bool relative_offset = false;
    bool first = true;
    std::uint32_t offset = 0;
};

const Octets device_header = counting(16, 0x80);

std::vector<FcFrame> sequence(const Octets& data, const Options& options) {
    FcSequenceFields fields;
    fields.header.r_ctl = 0x01;
    fields.header.type = fc::type_fcvi;
    fields.header.s_id = 0x010203;
    fields.header.d_id = 0x010204;
    fields.header.ox_id = 0x55;
    fields.header.seq_id = options.seq_id;
    fields.header.seq_cnt = options.seq_cnt;
    fields.header.f_ctl.first_sequence = options.first;
    fields.header.f_ctl.relative_offset_present = options.relative_offset;
    fields.header.parameter = options.offset;
    fields.device_header = device_header;
    fields.data = data;
    fields.frame_size = 512;
    return fc_sequence(fields);
}

class FcSequenceOrder : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Capture, FcSequenceOrder, testing::Bool(), [](const auto& delimited) {
    return delimited.param ? "delimited" : "bare";
});

TEST_P(FcSequenceOrder, InOrder) {
    const Octets data = counting(10 * 512);
    Sequences sequences(GetParam());
    const auto frames = sequence(data, {});
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const FcSequenceEvent event = sequences.receive(frames[i]);
        EXPECT_EQ(event.order, FcFrameOrder::next);
        EXPECT_EQ(event.position, i * 512);
        EXPECT_EQ(event.completes, i + 1 == frames.size());
        if (!event.completes) continue;
        EXPECT_EQ(Octets(event.data.begin(), event.data.end()), data) << "Device_Headers left out";
        EXPECT_EQ(event.sequence->octets, data.size());
        EXPECT_EQ(event.sequence->frames, 10U);
        EXPECT_TRUE(event.sequence->beginning_seen);
        EXPECT_FALSE(event.sequence->device_headers_differ);
        EXPECT_EQ(event.sequence->device_header_size, 16);
        EXPECT_EQ(event.sequence->device_header.octets[15], 0x8F);
        EXPECT_EQ(event.sequence->first_frame, 1U);
        EXPECT_EQ(event.sequence->last_frame, 10U);
    }
}

TEST_P(FcSequenceOrder, AnyOrderWithRepetitions) {
    const Octets data = counting(12 * 512 - 3);
    std::minstd_rand random(1);
    for (int round = 0; round < 50; ++round) {
        std::vector<FcFrame> frames = sequence(data, {.relative_offset = round % 2 == 0});
        const std::size_t distinct = frames.size();
        frames.push_back(frames[3]);
        frames.push_back(frames[7]);
        std::ranges::shuffle(frames, random);
        Sequences sequences(GetParam());
        int completed = 0;
        FcSequenceEvent event;
        for (const FcFrame& frame : frames) {
            event = sequences.receive(frame);
            if (!event.completes) continue;
            ++completed;
            EXPECT_EQ(Octets(event.data.begin(), event.data.end()), data);
        }
        EXPECT_EQ(completed, 1);
        EXPECT_EQ(event.sequence->repeated, 2U);
        EXPECT_EQ(event.sequence->frames, distinct);
        EXPECT_EQ(event.sequence->octets, data.size());
    }
}

TEST_P(FcSequenceOrder, EachMissingFrameIsKnown) {
    const Octets data = counting(8 * 512);
    const auto frames = sequence(data, {});
    for (std::size_t lost = 0; lost < frames.size(); ++lost) {
        Sequences sequences(GetParam());
        FcSequenceEvent event;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (i == lost) continue;
            event = sequences.receive(frames[i]);
            if (lost != 0 && i == lost + 1) {
                EXPECT_EQ(event.order, FcFrameOrder::ahead_after_gap);
                EXPECT_EQ(event.missing, 1U);
            }
            EXPECT_FALSE(event.completes) << lost << " " << i;
        }
        EXPECT_EQ(event.sequence->missing, lost == 0 || lost == 7 ? 0U : 1U);
        EXPECT_EQ(event.sequence->beginning_seen, lost != 0);
        EXPECT_EQ(event.sequence->end_seen, lost != 7);
        EXPECT_TRUE(sequences.receive(frames[lost]).completes) << "once it comes";
    }
}

TEST_P(FcSequenceOrder, SeqCntThatGoesOnOverTheExchange) {
    const Octets data = counting(3 * 512);
    Sequences sequences(GetParam());
    EXPECT_TRUE(sequences.receive(sequence(data, {.seq_id = 1})).completes);
    std::vector<FcFrame> second = sequence(data, {.seq_id = 2, .seq_cnt = 3, .first = false});
    std::swap(second[0], second[1]);
    EXPECT_FALSE(sequences.receive(second[0]).completes);
    EXPECT_FALSE(sequences.receive(second[1]).completes);
    const FcSequenceEvent event = sequences.receive(second[2]);
    EXPECT_TRUE(event.completes);
    EXPECT_TRUE(event.sequence->beginning_seen);
    EXPECT_EQ(Octets(event.data.begin(), event.data.end()), data);
}

TEST_P(FcSequenceOrder, SeqCntWraps) {
    const Octets data = counting(6 * 512);
    Sequences sequences(GetParam());
    sequences.receive(sequence(counting(512), {.seq_id = 1, .seq_cnt = 0xFFFC}));
    const FcSequenceEvent event = sequences.receive(sequence(data, {.seq_id = 2, .seq_cnt = 0xFFFD, .first = false}));
    EXPECT_TRUE(event.completes);
    EXPECT_EQ(event.sequence->frames, 6U);
    EXPECT_EQ(event.sequence->last.seq_cnt, 2);
    EXPECT_EQ(event.data.size(), data.size());
}

TEST_P(FcSequenceOrder, RelativeOffsetTellsThePlace) {
    Sequences sequences(GetParam());
    std::vector<FcFrame> frames = sequence(counting(4 * 512), {.relative_offset = true, .offset = 0});
    std::swap(frames[1], frames[3]);
    EXPECT_EQ(sequences.receive(frames[0]).position, 0U);
    EXPECT_EQ(sequences.receive(frames[1]).position, 3 * 512U) << "ahead of its turn";
    EXPECT_EQ(sequences.receive(frames[2]).position, 2 * 512U);
    EXPECT_EQ(sequences.receive(frames[3]).position, 512U);
}

TEST_P(FcSequenceOrder, WithoutRelativeOffsetNothingTellsThePlaceBehindAGap) {
    Sequences sequences(GetParam());
    const std::vector<FcFrame> frames = sequence(counting(4 * 512), {});
    EXPECT_EQ(sequences.receive(frames[0]).position, 0U);
    EXPECT_EQ(sequences.receive(frames[2]).position, std::nullopt);
    EXPECT_EQ(sequences.receive(frames[3]).position, std::nullopt);
    EXPECT_EQ(sequences.receive(frames[1]).position, std::nullopt);
}

TEST_P(FcSequenceOrder, ASeqIdIsUsedAgain) {
    Sequences sequences(GetParam());
    EXPECT_TRUE(sequences.receive(sequence(counting(512), {.relative_offset = true})).completes);
    EXPECT_TRUE(sequences.receive(sequence(counting(512), {.relative_offset = true, .offset = 512})).completes)
        << "another offset: another Sequence";
    const FcSequenceEvent again = sequences.receive(sequence(counting(512), {.relative_offset = true, .offset = 512}));
    EXPECT_EQ(again.order, FcFrameOrder::repeated);
    EXPECT_FALSE(again.completes);
}

TEST(FcSequences, DeviceHeadersThatDifferAreKnown) {
    std::vector<FcFrame> frames = sequence(counting(2 * 512), {});
    frames[1].octets[fc::frame_header_size] ^= 1;
    Sequences sequences(true);
    EXPECT_TRUE(sequences.receive(frames).sequence->device_headers_differ);
}

TEST(FcSequences, LinkControlIsNoData) {
    fc::FrameHeader header;
    header.r_ctl = fc::r_ctl_ack_1;
    Sequences sequences(true);
    const FcSequenceEvent event = sequences.receive(fc_frame(header, {}, {}));
    EXPECT_EQ(event.order, FcFrameOrder::no_data);
    EXPECT_EQ(event.sequence, nullptr);
}

TEST(FcSequences, LimitsHold) {
    Sequences sequences(true, {.data = 1024, .runs = 2, .sequences = 2});
    EXPECT_TRUE(sequences.receive(sequence(counting(3 * 512), {})).data.empty()) << "longer than what is kept";
    const std::vector<FcFrame> frames = sequence(counting(8 * 512), {.seq_id = 2});
    sequences.receive(frames[0]);
    sequences.receive(frames[2]);
    EXPECT_EQ(sequences.receive(frames[4]).order, FcFrameOrder::unplaceable) << "a third piece";
    EXPECT_EQ(sequences.receive(frames[1]).order, FcFrameOrder::late);
    EXPECT_EQ(sequences.receive(frames[4]).order, FcFrameOrder::ahead_after_gap) << "two became one";
}

TEST(FcSequences, AFrameBeforeTheFirstOneBelongsNowhere) {
    const std::vector<FcFrame> frames = sequence(counting(3 * 512), {.seq_cnt = 5});
    std::vector<FcFrame> stray = sequence(counting(3 * 512), {.seq_cnt = 4});
    Sequences sequences(true);
    sequences.receive(frames[0]);
    stray[0].sof = fc::Sof::n3;
    EXPECT_EQ(sequences.receive(stray[0]).order, FcFrameOrder::unplaceable);
}

}  // namespace
}  // namespace fabricscope::capture
