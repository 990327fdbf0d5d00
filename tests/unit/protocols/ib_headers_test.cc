// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/ib/headers.h"

#include <gtest/gtest.h>

#include <string>

#include "protocols/ib/icrc.h"
#include "protocols/ib/retries.h"

namespace fabricscope::ib {
namespace {

using layout::parse_into;

TEST(Bth, FieldsOfARealPacket) {
    const std::uint8_t octets[] = {0x0A, 0xF0, 0xFF, 0xFF, 0xC0, 0x12, 0x34, 0x56, 0x80, 0xAB, 0xCD, 0xEF};
    Bth bth{};
    EXPECT_FALSE(parse_into(bth, octets));
    EXPECT_EQ(bth.opcode, 0x0A);
    EXPECT_TRUE(bth.solicited_event && bth.migration && bth.fecn && bth.becn && bth.ack_request);
    EXPECT_EQ(bth.pad_count, 3);
    EXPECT_EQ(bth.version, 0);
    EXPECT_EQ(bth.p_key, 0xFFFF);
    EXPECT_EQ(bth.destination_qpn, 0x123456U);
    EXPECT_EQ(bth.psn, 0xABCDEFU);
}

TEST(Bth, CutSaysWhichFieldIsMissing) {
    Bth bth{};
    const std::uint8_t octets[7] = {};
    const layout::ParseError error = parse_into(bth, octets);
    EXPECT_EQ(error.fault, layout::Fault::truncated);
    EXPECT_STREQ(error.field, "infiniband.bth.destqp");
    EXPECT_EQ(error.offset, 5U);
}

TEST(Lrh, LengthIsInWords) {
    const std::uint8_t octets[] = {0x20, 0x43, 0x01, 0x02, 0x00, 0x13, 0x03, 0x04};
    Lrh lrh{};
    EXPECT_FALSE(parse_into(lrh, octets));
    EXPECT_EQ(lrh.virtual_lane, 2);
    EXPECT_EQ(lrh.service_level, 4);
    EXPECT_EQ(static_cast<LinkNextHeader>(lrh.link_next_header), LinkNextHeader::global_grh);
    EXPECT_EQ(lrh.destination_lid, 0x0102);
    EXPECT_EQ(lrh.packet_length, 0x13);
    EXPECT_EQ(lrh.source_lid, 0x0304);
}

TEST(Opcode, SaysWhatFollows) {
    EXPECT_EQ(opcode_info(0x04).headers_size, 0);
    EXPECT_EQ(opcode_info(0x06).headers_size, 16);
    EXPECT_EQ(opcode_info(0x0B).headers_size, 20);
    EXPECT_EQ(opcode_info(0x11).headers_size, 4);
    EXPECT_EQ(opcode_info(0x12).headers_size, 12);
    EXPECT_EQ(opcode_info(0x13).headers_size, 28);
    EXPECT_EQ(opcode_info(0x16).headers_size, 4);
    EXPECT_EQ(opcode_info(0x4B).headers_size, 32) << "RDETH, DETH, RETH, ImmDt";
    EXPECT_EQ(opcode_info(0x51).headers_size, 8) << "RDETH, AETH";
    EXPECT_EQ(opcode_info(0x64).headers_size, 8);
    EXPECT_EQ(opcode_info(0x65).headers_size, 12);
    EXPECT_EQ(opcode_info(0x81).headers_size, 16);
    EXPECT_EQ(opcode_info(0xAA).headers_size, 20) << "XRCETH, RETH";
    EXPECT_EQ(opcode_info(0xB1).headers_size, 4);
}

TEST(Opcode, PositionAgreesWithName) {
    for (const auto& [value, name] : opcode_names) {
        const OpcodeInfo& info = opcode_info(static_cast<std::uint8_t>(value));
        const std::string text = name;
        EXPECT_TRUE(info.known()) << text;
        EXPECT_EQ(info.position == Position::first, text.find("First") != std::string::npos) << text;
        EXPECT_EQ(info.position == Position::middle, text.find("Middle") != std::string::npos) << text;
        EXPECT_EQ(info.position == Position::last, text.find("Last") != std::string::npos) << text;
        EXPECT_EQ(info.operation == Operation::rdma_write, text.find("WRITE") != std::string::npos) << text;
        EXPECT_EQ(info.has(immdt), text.find("Immediate") != std::string::npos) << text;
    }
}

TEST(Opcode, ReservedOnesAreUnknown) {
    constexpr std::uint8_t reserved_opcodes[] = {0x15, 0x18, 0x1F, 0x2C, 0x60, 0x63,
                                                 0x66, 0x80, 0x82, 0xB5, 0xC0, 0xFF};
    for (const std::uint8_t opcode : reserved_opcodes) {
        EXPECT_FALSE(opcode_info(opcode).known()) << int{opcode};
        EXPECT_EQ(opcode_name(opcode), nullptr);
    }
    EXPECT_STREQ(opcode_name(0x0A), "RC RDMA WRITE Only");
}

TEST(Aeth, Syndromes) {
    const auto text = [](std::uint8_t syndrome) { return std::string(to_string(AethSyndrome::of(syndrome))); };
    EXPECT_EQ(text(0x00), "ACK");
    EXPECT_EQ(text(0x1F), "ACK");
    EXPECT_EQ(text(0x33), "RNR NAK");
    EXPECT_EQ(AethSyndrome::of(0x33).value, 0x13);
    EXPECT_EQ(text(0x60), "NAK: PSN sequence error");
    EXPECT_EQ(text(0x62), "NAK: remote access error");
    EXPECT_EQ(text(0x7F), "NAK: reserved code");
    EXPECT_EQ(text(0x40), "reserved syndrome");
}

TEST(Icrc, HeadersThatCannotBeAreRefused) {
    const std::uint8_t octets[200] = {};
    EXPECT_FALSE(icrc(IcrcStart::grh, octets, 39));
    EXPECT_FALSE(icrc(IcrcStart::ipv4, octets, 27));
    EXPECT_FALSE(icrc(IcrcStart::ipv6, octets, 100));
    EXPECT_FALSE(icrc(IcrcStart::grh, ByteView(octets).first(51), 40));
    EXPECT_TRUE(icrc(IcrcStart::grh, ByteView(octets).first(52), 40));
    EXPECT_FALSE(icrc_is_good(IcrcStart::grh, ByteView(octets).first(3), 40));
}

TEST(RnrTimer, CodesAreThoseOfTheTable) {
    EXPECT_EQ(rnr_timer_microseconds(0), 655'360U);
    EXPECT_EQ(rnr_timer_microseconds(1), 10U);
    EXPECT_EQ(rnr_timer_microseconds(12), 640U);
    EXPECT_EQ(rnr_timer_microseconds(31), 491'520U);
}

}  // namespace
}  // namespace fabricscope::ib
