// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/duplicate_filter.h"

#include <gtest/gtest.h>

#include "capture/source.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;

bool is_copy(DuplicateFilter& filter, const Octets& octets, std::uint32_t interface, Time time = 0) {
    Frame frame = frame_of(octets);
    frame.interface = interface;
    frame.time = time;
    return filter.original_of(decode(frame)).has_value();
}

Octets segment(std::uint16_t identification, std::uint32_t sequence = 1) {
    net::Ipv4Header header = ipv4_header(6);
    header.identification = identification;
    return ethernet(0x0800, ipv4(header, tcp(sequence, ack, counting(20))));
}

TEST(DuplicateFilter, CopyOnAnotherInterface) {
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, segment(1), 0));
    EXPECT_TRUE(is_copy(filter, segment(1), 1));
    EXPECT_FALSE(is_copy(filter, segment(2), 1)) << "another IP identification";
    EXPECT_FALSE(is_copy(filter, segment(1, 2), 1)) << "another sequence number";
}

/// The next file begins when the one before has ended: what is equal there was sent again.
TEST(DuplicateFilter, FilesOfARingBuffer) {
    const Octets identified = segment(1), not_identified = segment(0), other = segment(0, 2);
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, not_identified, 0));
    EXPECT_FALSE(is_copy(filter, identified, 0));
    EXPECT_FALSE(is_copy(filter, not_identified, 1, 500 * millisecond));
    EXPECT_TRUE(is_copy(filter, identified, 1, 500 * millisecond)) << "IP tells that it is the same one";
    EXPECT_FALSE(is_copy(filter, other, 1, 501 * millisecond));
    EXPECT_TRUE(is_copy(filter, other, 0, 900 * millisecond)) << "both were heard then";
}

TEST(DuplicateFilter, RetransmissionOnTheSameInterfaceStays) {
    DuplicateFilter filter(2);
    const Octets roce = roce_v2(bth(0x04, 1, {}, counting(44)));
    EXPECT_FALSE(is_copy(filter, roce, 0));
    EXPECT_FALSE(is_copy(filter, roce, 0, millisecond));
    EXPECT_TRUE(is_copy(filter, roce, 1, millisecond)) << "one copy for each";
    EXPECT_TRUE(is_copy(filter, roce, 1, millisecond + 200 * microsecond));
    EXPECT_FALSE(is_copy(filter, roce, 1, 2 * millisecond)) << "a third was captured there only";
}

TEST(DuplicateFilter, CopyOnTheSameInterface) {
    DuplicateFilter filter(1);
    EXPECT_FALSE(is_copy(filter, segment(1), 0));
    EXPECT_TRUE(is_copy(filter, segment(1), 0, millisecond));
    EXPECT_TRUE(is_copy(filter, segment(1), 0, millisecond)) << "a third view of it";
    EXPECT_FALSE(is_copy(filter, segment(1), 0, millisecond + 1)) << "too late";
    EXPECT_FALSE(is_copy(filter, segment(1, 2), 0, millisecond + 1)) << "another sequence number";
}

/// A network that doubles packets may hold the second one back.
TEST(DuplicateFilter, SendersThatCount) {
    DuplicateFilter filter(1);
    EXPECT_FALSE(is_copy(filter, segment(1), 0));
    EXPECT_FALSE(is_copy(filter, segment(2, 2), 0));
    EXPECT_TRUE(is_copy(filter, segment(1), 0, 100 * millisecond));
    EXPECT_FALSE(is_copy(filter, segment(2, 2), 0, 100 * millisecond + 1)) << "too late";
}

TEST(DuplicateFilter, ClocksThatDiffer) {
    constexpr std::uint16_t frames = 8;
    const auto offset_of = [](Time by, Time drift, std::uint32_t interface, std::uint16_t identification) {
        DuplicateFilter filter(2);
        for (std::uint16_t i = 0; i < frames; ++i) {
            const Octets octets = segment(static_cast<std::uint16_t>(identification != 0 ? identification + i : 0), i);
            is_copy(filter, octets, 0, i * millisecond);
            is_copy(filter, octets, interface, i * millisecond + by + i * drift);
        }
        return filter.clock_offset();
    };
    ASSERT_TRUE(offset_of(5 * second, millisecond, 1, 1));
    EXPECT_EQ(offset_of(5 * second, millisecond, 1, 1)->by, 5 * second + 7 * millisecond);
    EXPECT_EQ(offset_of(-5 * second, 0, 1, 1)->by, -5 * second);
    EXPECT_FALSE(offset_of(second / 2, 0, 1, 1)) << "they are known as copies";
    EXPECT_FALSE(offset_of(5 * second, second, 1, 1)) << "each differs by another time";
    EXPECT_FALSE(offset_of(5 * second, 0, 0, 1)) << "one interface has one clock";
    EXPECT_FALSE(offset_of(5 * second, 0, 1, 0)) << "IP identifies none of them";
}

TEST(DuplicateFilter, SendersWithOneIdentificationForAll) {
    DuplicateFilter filter(1);
    EXPECT_FALSE(is_copy(filter, segment(7), 0));
    EXPECT_FALSE(is_copy(filter, segment(7, 2), 0));
    EXPECT_FALSE(is_copy(filter, segment(7), 0, 2 * millisecond)) << "sent again";
    net::Ipv4Header other = ipv4_header(17);  // of another transport
    other.identification = 8;
    EXPECT_FALSE(is_copy(filter, ethernet(0x0800, ipv4(other, udp(4791, counting(20)))), 0, 2 * millisecond));
    EXPECT_FALSE(is_copy(filter, segment(7, 2), 0, 4 * millisecond)) << "sent again";
}

/// Adapters give all packets one, or that of their PSN: what a NAK has asked for is sent again.
TEST(DuplicateFilter, InfinibandPacketsAreNotToldByWhatGoesByTheirPsns) {
    enum Scheme : std::uint8_t { constant, by_psn, counted };
    for (const Scheme scheme : {constant, by_psn, counted}) {
        DuplicateFilter filter(1);
        std::uint16_t sent = 0;
        const auto see = [&](std::uint32_t psn, Time time, bool back = false) {
            const Octets octets = roce_v2(bth(0x04, psn, {}, counting(44)));
            Frame frame = frame_of(octets);
            frame.time = time;
            Packet packet = decode(frame);
            packet.ip_identification = scheme == constant ? 7 : scheme == by_psn ? psn + 3 : ++sent;
            if (back) std::swap(packet.source, packet.destination);
            return filter.original_of(packet).has_value();
        };
        EXPECT_FALSE(see(10, 0));
        EXPECT_FALSE(see(11, 1));
        EXPECT_FALSE(see(11, 2, true));
        EXPECT_FALSE(see(10, 3)) << "sent again";
        EXPECT_FALSE(see(11, 4)) << "sent again";
        if (scheme != counted) continue;
        EXPECT_FALSE(see(12, 5, true));
        sent = 4;
        EXPECT_TRUE(see(11, 50 * millisecond)) << "its sender counts otherwise than by PSNs";
    }
}

/// Without an identification (IPv6, or 0) an answer between them tells that the second was sent again.
TEST(DuplicateFilter, AnsweredBetween) {
    DuplicateFilter filter(1);
    EXPECT_FALSE(is_copy(filter, segment(0), 0));
    EXPECT_TRUE(is_copy(filter, segment(0), 0, 100 * microsecond));
    EXPECT_FALSE(is_copy(filter, segment(0), 0, 101 * microsecond)) << "too late";
    net::Ipv4Header back = ipv4_header(6);
    back.identification = 0;
    std::swap(back.source, back.destination);
    EXPECT_FALSE(is_copy(filter, ethernet(0x0800, ipv4(back, tcp(1, ack, {}))), 0, 102 * microsecond));
    EXPECT_FALSE(is_copy(filter, segment(0), 0, 103 * microsecond)) << "sent again";
    EXPECT_TRUE(is_copy(filter, segment(0), 0, 104 * microsecond));
}

TEST(DuplicateFilter, EachInterfaceContributesOneCopy) {
    DuplicateFilter filter(3);
    EXPECT_FALSE(is_copy(filter, segment(1), 2));
    EXPECT_TRUE(is_copy(filter, segment(1), 0));
    EXPECT_TRUE(is_copy(filter, segment(1), 1));
}

/// One of two hosts keeps the first octets of frames only.
TEST(DuplicateFilter, CopiesThatWereCut) {
    const auto told = [](const Octets& octets, std::size_t first_snap, std::size_t second_snap) {
        DuplicateFilter filter(2);
        Frame frame = frame_of(octets);
        const auto copy = [&](std::uint32_t interface, std::size_t snap) {
            frame.interface = interface;
            frame.data = ByteView(octets).first(std::min(snap, octets.size()));
            return filter.original_of(decode(frame)).has_value();
        };
        EXPECT_FALSE(copy(0, first_snap));
        return copy(1, second_snap);
    };
    constexpr std::size_t whole = 1500;
    for (const Octets& octets : {segment(1), roce_v2(bth(0x04, 1, {}, counting(64)))})
        for (const auto& [first, second] : {std::pair(whole, whole), {whole, 64UL}, {64UL, whole}, {66UL, 64UL}})
            EXPECT_TRUE(told(octets, first, second)) << first << ' ' << second;
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, roce_v2(bth(0x04, 1, {}, counting(64))), 0));
    EXPECT_FALSE(is_copy(filter, roce_v2(bth(0x04, 1, {}, counting(68))), 1)) << "another length";
    EXPECT_FALSE(is_copy(filter, roce_v2(bth(0x04, 1, {}, Octets(64))), 1)) << "other octets, though nothing was cut";
}

TEST(DuplicateFilter, HopsAndChecksumsDoNotMatter) {
    DuplicateFilter filter(2);
    const std::size_t ip = 14, transport = ip + 20;
    Octets octets = segment(1);
    EXPECT_FALSE(is_copy(filter, octets, 0));
    for (std::size_t changed : {std::size_t{0}, std::size_t{6}, ip + 8, ip + 10, transport + 16, transport + 17})
        octets[changed] ^= 0xFF;
    EXPECT_TRUE(is_copy(filter, octets, 1));
}

TEST(DuplicateFilter, VlansOfFcoeAreFabrics) {
    const Octets fcoe = join({Octets(14), counting(24), Octets(8)});
    const auto tagged = [&](std::uint16_t identifier) { return ethernet(0x8100, vlan(identifier, 0x8906, fcoe)); };
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, ethernet(0x8906, fcoe), 0));
    EXPECT_TRUE(is_copy(filter, tagged(1), 1)) << "of which the tag was missing";
    EXPECT_FALSE(is_copy(filter, tagged(2), 1)) << "the first one was of another VLAN";
    EXPECT_TRUE(is_copy(filter, tagged(2), 0));
}

TEST(DuplicateFilter, OnlyWithinTheWindow) {
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, segment(1), 0, 0));
    EXPECT_FALSE(is_copy(filter, segment(1), 1, second + 1));
    EXPECT_FALSE(is_copy(filter, segment(2), 0, 5 * second));
    EXPECT_TRUE(is_copy(filter, segment(2), 1, 4 * second + 1)) << "a clock that is behind";
}

TEST(DuplicateFilter, OtherTrafficIsNeverACopy) {
    DuplicateFilter filter(2);
    EXPECT_FALSE(is_copy(filter, ethernet(0x0806, Octets(28)), 0));
    EXPECT_FALSE(is_copy(filter, ethernet(0x0806, Octets(28)), 1));
}

TEST(DuplicateFilter, RemembersTheYoungest) {
    DuplicateFilter filter(2, second, 64);
    for (std::uint16_t i = 0; i < 1000; ++i) EXPECT_FALSE(is_copy(filter, segment(i), 0));
    EXPECT_FALSE(is_copy(filter, segment(935), 1));  // this one takes a place itself
    for (std::uint16_t i = 937; i < 1000; ++i) EXPECT_TRUE(is_copy(filter, segment(i), 1)) << i;
}

/// Two hosts capture the same traffic: every packet of the second file is a copy, retransmissions included.
TEST(DuplicateFilter, CapturesOfBothEnds) {
    for (const char* name :
         {"smcr_v2_20conns.pcap", "smcr_v1_echo.pcap", "plain_tcp_http.pcap", "smcr_fallback_roce_blocked.pcap"}) {
        std::vector<std::unique_ptr<Source>> ends;
        for (int end = 0; end < 2; ++end) ends.push_back(open(sample(name)).source);
        const auto source = merge(std::move(ends));
        DuplicateFilter filter(source->interface_count());
        Frame frame;
        int packets = 0, copies = 0;
        while (source->next(frame)) {
            const Packet packet = decode(frame);
            packets += packet.transport != Transport::none;
            copies += filter.original_of(packet).has_value();
        }
        EXPECT_EQ(2 * copies, packets) << name;
    }
}

}  // namespace
}  // namespace fabricscope::capture
