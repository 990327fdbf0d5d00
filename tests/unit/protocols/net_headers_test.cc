// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/net/headers.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "protocols/ib/headers.h"

namespace fabricscope::net {
namespace {

template <class T> class EveryHeader : public testing::Test {};
using Headers = testing::Types<
    Ethernet, VlanTag, LinuxCooked, LinuxCooked2, Ipv4Header, Ipv6Header, Ipv6Extension, Ipv6Fragment, TcpHeader,
    UdpHeader, ib::Lrh, ib::Grh, ib::Bth, ib::Reth, ib::Aeth, ib::ImmDt, ib::Deth, ib::XrcEth, ib::AtomicEth,
    ib::AtomicAckEth, ib::Ieth, ib::Icrc>;
TYPED_TEST_SUITE(EveryHeader, Headers);

TYPED_TEST(EveryHeader, BuildsWhatItParsed) {
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        std::vector<std::uint8_t> octets(layout::size_of<TypeParam>);
        std::ranges::generate(octets, [&] { return static_cast<std::uint8_t>(random()); });
        TypeParam header{};
        ASSERT_FALSE(layout::parse_into(header, octets));
        std::vector<std::uint8_t> again(octets.size(), 0xFF);
        layout::build_into(header, again);
        ASSERT_EQ(again, octets);
    }
}

TYPED_TEST(EveryHeader, EveryCutIsAnError) {
    const std::vector<std::uint8_t> octets(layout::size_of<TypeParam>);
    for (std::size_t size = 0; size < octets.size(); ++size) {
        TypeParam header{};
        const layout::ParseError error = layout::parse_into(header, ByteView(octets).first(size));
        EXPECT_EQ(error.fault, layout::Fault::truncated);
        EXPECT_LE(error.offset, size);
    }
}

TEST(Ipv4, Fields) {
    const std::uint8_t octets[] = {0x46, 0xBA, 0x01, 0x02, 0x12, 0x34, 0x60, 0x07, 0x40, 0x11,
                                   0xAB, 0xCD, 192,  0,    2,    1,    198,  51,   100,  2};
    Ipv4Header header{};
    EXPECT_FALSE(layout::parse_into(header, octets));
    EXPECT_EQ(header.header_length, 6);
    EXPECT_EQ(header.dscp, 0x2E);
    EXPECT_EQ(header.ecn, 2);
    EXPECT_EQ(header.total_length, 0x0102);
    EXPECT_TRUE(header.dont_fragment && header.more_fragments && !header.reserved_flag);
    EXPECT_EQ(header.fragment_offset, 7);
    EXPECT_EQ(header.protocol, protocol_udp);
    EXPECT_EQ(to_string(header.destination), "198.51.100.2");
}

TEST(Ipv6, ExtensionLengthCountsFromTheSecondEightOctets) {
    EXPECT_EQ((Ipv6Extension{6, 0}.octets()), 8U);
    EXPECT_EQ((Ipv6Extension{6, 255}.octets()), 2048U);
}

}  // namespace
}  // namespace fabricscope::net
