// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rc_message_assembler.h"

#include <gtest/gtest.h>

#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;
using ib::Operation;
using Progress = AssembledMessage::Progress;

IbPacket packet(std::uint8_t opcode, std::uint32_t psn, ByteView payload = {}) {
    IbPacket packet;
    packet.bth.opcode = opcode;
    packet.bth.psn = psn;
    packet.payload = payload;
    packet.payload_length = static_cast<std::uint32_t>(payload.size());
    packet.has_reth = packet.opcode().has(ib::reth);
    if (packet.has_reth) packet.reth = {0x1000, 7, 600};
    return packet;
}

const Octets a(256, 'a'), b(256, 'b'), c(3, 'c');

TEST(MessageAssembler, OnePacketIsAMessageWithoutACopy) {
    MessageAssembler assembler({});
    const AssembledMessage message = assembler.feed(packet(send_only, 5, a), 9);
    EXPECT_EQ(message.progress, Progress::complete);
    EXPECT_EQ(message.payload.data(), a.data());
    EXPECT_EQ(message.length, a.size());
    EXPECT_EQ(message.first_frame, 9U);
    EXPECT_EQ(message.bth.psn, 5U);
    EXPECT_FALSE(assembler.has_incomplete());
}

TEST(MessageAssembler, FirstMiddleLast) {
    MessageAssembler assembler({.bytes = 1000});
    EXPECT_EQ(assembler.feed(packet(send_first, 0xFF'FFFF, a), 1).progress, Progress::part);
    EXPECT_EQ(assembler.awaiting(0), Operation::send);
    EXPECT_EQ(assembler.awaiting(1), std::nullopt);
    EXPECT_EQ(assembler.feed(packet(send_middle, 0, b), 2).length, 512U);
    const AssembledMessage message = assembler.feed(packet(send_last, 1, c), 3);
    EXPECT_EQ(message.progress, Progress::complete);
    EXPECT_EQ(octets_of(message.payload), join({a, b, c}));
    EXPECT_EQ(message.length, 515U);
    EXPECT_EQ(message.first_frame, 1U);
    EXPECT_EQ(message.bth.psn, 0xFF'FFFFU);
    EXPECT_FALSE(assembler.has_incomplete());
}

TEST(MessageAssembler, PacketsThatContinueNothing) {
    MessageAssembler assembler({.bytes = 1000, .write_bytes = 1000});
    EXPECT_EQ(assembler.feed(packet(send_middle, 3, a)).progress, Progress::orphan);
    assembler.feed(packet(send_first, 4, a));
    EXPECT_EQ(assembler.feed(packet(send_middle, 6, a)).progress, Progress::orphan) << "a PSN is left out";
    EXPECT_EQ(assembler.feed(packet(send_middle, 4, a)).progress, Progress::orphan) << "a duplicate";
    EXPECT_EQ(assembler.feed(packet(write_middle, 5, a)).progress, Progress::orphan) << "another operation";
    EXPECT_EQ(octets_of(assembler.feed(packet(send_last, 5, c)).payload), join({a, c}));
    EXPECT_EQ(assembler.feed(packet(response_first, 5, a)).progress, Progress::orphan) << "no READ was expected";
}

TEST(MessageAssembler, AMessageThatAnotherOneReplacesIsGivenUp) {
    MessageAssembler assembler({.bytes = 1000});
    assembler.feed(packet(send_first, 0, a));
    assembler.feed(packet(send_first, 1, b));
    EXPECT_EQ(octets_of(assembler.feed(packet(send_last, 2, c)).payload), join({b, c}));
    assembler.feed(packet(send_first, 3, a));
    assembler.feed(packet(send_only, 4, b));
    EXPECT_FALSE(assembler.has_incomplete());
    assembler.feed(packet(send_first, 5, a));
    assembler.abandon();
    EXPECT_EQ(assembler.feed(packet(send_last, 6, c)).progress, Progress::orphan);
}

TEST(MessageAssembler, SeveralAtOnce) {
    MessageAssembler assembler({.messages = 2, .bytes = 1000});
    assembler.feed(packet(send_first, 10, a));
    assembler.feed(packet(send_first, 20, b));
    EXPECT_EQ(octets_of(assembler.feed(packet(send_last, 11, c)).payload), join({a, c}));
    assembler.feed(packet(send_first, 30, a));
    assembler.feed(packet(send_first, 40, a));
    EXPECT_EQ(assembler.feed(packet(send_last, 21, c)).progress, Progress::orphan) << "the oldest made room";
    EXPECT_EQ(assembler.feed(packet(send_last, 31, c)).progress, Progress::complete);
    EXPECT_EQ(assembler.feed(packet(send_last, 41, c)).progress, Progress::complete);
}

TEST(MessageAssembler, WhatWasCutOffOrIsTooLongIsCounted) {
    MessageAssembler assembler({.bytes = 300});
    IbPacket cut = packet(send_first, 0, ByteView(a).first(100));
    cut.payload_length = 256;
    assembler.feed(cut);
    AssembledMessage message = assembler.feed(packet(send_last, 1, b));
    EXPECT_EQ(octets_of(message.payload), Octets(100, 'a')) << "nothing behind a hole";
    EXPECT_EQ(message.length, 512U);
    assembler.feed(packet(send_first, 2, a));
    message = assembler.feed(packet(send_last, 3, b));
    EXPECT_EQ(message.payload.size(), 300U);
    EXPECT_EQ(message.length, 512U);
}

TEST(MessageAssembler, RdmaWriteHasItsReth) {
    MessageAssembler assembler({.bytes = 1000, .write_bytes = 1000});
    assembler.feed(packet(write_first, 0, a));
    EXPECT_EQ(assembler.awaiting(1), Operation::rdma_write);
    assembler.feed(packet(write_middle, 1, b));
    const AssembledMessage message = assembler.feed(packet(write_last, 2, c));
    EXPECT_EQ(message.reth.virtual_address, 0x1000U);
    EXPECT_EQ(message.reth.dma_length, 600U);
    EXPECT_EQ(octets_of(message.payload), join({a, b, c}));

    MessageAssembler places_only({.bytes = 1000});
    places_only.feed(packet(write_first, 0, a));
    EXPECT_TRUE(places_only.feed(packet(write_last, 1, b)).payload.empty());
}

TEST(MessageAssembler, ReadResponseIsCompleteByItsPsns) {
    MessageAssembler assembler({.bytes = 1000});
    assembler.expect_response(packet(read_request, 7), 3, 4);
    EXPECT_EQ(assembler.awaiting(7), Operation::rdma_read_response);
    EXPECT_EQ(assembler.feed(packet(response_first, 7, a)).progress, Progress::part);
    EXPECT_EQ(assembler.feed(packet(response_middle, 9, c)).progress, Progress::orphan);
    EXPECT_EQ(assembler.feed(packet(response_first, 8, b)).progress, Progress::part) << "asked for again from there";
    const AssembledMessage message = assembler.feed(packet(response_last, 9, c));
    EXPECT_EQ(message.progress, Progress::complete);
    EXPECT_EQ(octets_of(message.payload), join({a, b, c}));
    EXPECT_EQ(message.reth.dma_length, 600U);
    EXPECT_EQ(message.first_frame, 4U);
}

}  // namespace
}  // namespace fabricscope::capture
