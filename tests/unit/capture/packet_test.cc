// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/packet.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <unordered_set>

#include "capture/source.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;

const Octets write_packet = bth(0x0A, 7, reth(0x1000, 0xAABB, 5), counting(5));

// ---- link types ----

struct Link {
    const char* name;
    LinkType type;
    Octets (*wrap)(std::uint16_t type, const Octets& payload);
};

Octets bare(std::uint16_t, const Octets& payload) { return payload; }
Octets tagged(std::uint16_t type, const Octets& payload) { return ethernet(0x8100, vlan(5, type, payload)); }
Octets twice_tagged(std::uint16_t type, const Octets& payload) {
    return ethernet(0x88A8, vlan(100, 0x8100, vlan(5, type, payload)));
}

class LinkTypes : public testing::TestWithParam<Link> {};
INSTANTIATE_TEST_SUITE_P(
    Capture, LinkTypes,
    testing::Values(
        Link{"ethernet", LinkType::ethernet, ethernet}, Link{"vlan", LinkType::ethernet, tagged},
        Link{"stacked_vlans", LinkType::ethernet, twice_tagged},
        Link{"linux_cooked", LinkType::linux_cooked_v1, cooked},
        Link{"linux_cooked2", LinkType::linux_cooked_v2, cooked2}, Link{"raw_ip", LinkType::raw_ip, bare}),
    [](const auto& link) { return link.param.name; });

TEST_P(LinkTypes, TcpOverIpv4) {
    const Octets octets = GetParam().wrap(0x0800, ipv4(ipv4_header(6), tcp(1000, syn, counting(10), {1, 1, 1, 1})));
    const Packet packet = decode(frame_of(octets, GetParam().type));
    ASSERT_EQ(packet.transport, Transport::tcp);
    EXPECT_EQ(packet.state, DecodeState::ok);
    EXPECT_EQ(packet.source, Address::of(ipv4_a));
    EXPECT_EQ(packet.destination, Address::of(ipv4_b));
    EXPECT_EQ(packet.tcp.source_port, 40000);
    EXPECT_EQ(packet.tcp.destination_port, 18001);
    EXPECT_EQ(packet.tcp.sequence, 1000U);
    EXPECT_TRUE(packet.tcp.has(syn));
    EXPECT_EQ(packet.tcp.options.size(), 4U);
    EXPECT_EQ(packet.tcp.payload_length, 10U);
    EXPECT_EQ(packet.tcp.payload_offset, octets.size() - 10);
    EXPECT_EQ(Octets(packet.tcp.payload.begin(), packet.tcp.payload.end()), counting(10));
}

TEST_P(LinkTypes, RoceV2OverIpv6) {
    const Octets datagram = ipv6(17, udp(4791, join({write_packet, Octets(4)})));
    const Octets covered(datagram.begin(), datagram.end() - 4);
    const Octets octets = GetParam().wrap(0x86DD, with_icrc(ib::IcrcStart::ipv6, covered, 48));
    const Packet packet = decode(frame_of(octets, GetParam().type));
    ASSERT_EQ(packet.transport, Transport::ib);
    EXPECT_EQ(packet.ib.carrier, IbCarrier::roce_v2);
    EXPECT_EQ(packet.source, Address::of(gid_a));
    EXPECT_EQ(packet.ib.bth.destination_qpn, 0x112233U);
    EXPECT_EQ(packet.ib.bth.psn, 7U);
    ASSERT_TRUE(packet.ib.has_reth);
    EXPECT_EQ(packet.ib.reth.virtual_address, 0x1000U);
    EXPECT_EQ(packet.ib.payload_length, 5U);
    EXPECT_EQ(Octets(packet.ib.payload.begin(), packet.ib.payload.end()), counting(5));
    EXPECT_EQ(icrc_is_good(packet), true);
}

TEST(Packet, InnermostVlanIsReported) {
    const Octets datagram = ipv4(ipv4_header(6), tcp(1, ack, {}));
    EXPECT_EQ(decode(frame_of(ethernet(0x0800, datagram))).vlan, 0);
    EXPECT_EQ(decode(frame_of(tagged(0x0800, datagram))).vlan, 5);
    EXPECT_EQ(decode(frame_of(twice_tagged(0x0800, datagram))).vlan, 5);
    const Octets in_old_tag = ethernet(0x9100, vlan(100, 0x8100, vlan(5, 0x0800, datagram)));
    EXPECT_EQ(decode(frame_of(in_old_tag)).vlan, 5) << "from before 802.1ad";
}

TEST(Packet, RoceV1) {
    const Octets octets = ethernet(0x8915, with_icrc(ib::IcrcStart::grh, grh(write_packet), 40));
    const Packet packet = decode(frame_of(octets));
    ASSERT_EQ(packet.transport, Transport::ib);
    EXPECT_EQ(packet.ib.carrier, IbCarrier::roce_v1);
    EXPECT_EQ(packet.source.kind, Address::Kind::gid);
    EXPECT_EQ(packet.source, Address::of(gid_a));
    EXPECT_EQ(packet.ib.payload_length, 5U);
    EXPECT_EQ(icrc_is_good(packet), true);
}

TEST(Packet, NativeInfiniBandWithAndWithoutGrh) {
    const Octets variant_crc(2);
    const Octets local = join(
        {with_icrc(ib::IcrcStart::lrh, lrh(ib::LinkNextHeader::local_bth, write_packet), 8), variant_crc});
    Packet packet = decode(frame_of(local, LinkType::infiniband));
    ASSERT_EQ(packet.transport, Transport::ib);
    EXPECT_EQ(packet.ib.carrier, IbCarrier::native);
    EXPECT_EQ(to_string(packet.source), "LID 772");
    EXPECT_EQ(packet.ib.payload_length, 5U);
    EXPECT_EQ(icrc_is_good(packet), true);

    const Octets global = join(
        {with_icrc(ib::IcrcStart::lrh, lrh(ib::LinkNextHeader::global_grh, grh(write_packet)), 48), variant_crc});
    packet = decode(frame_of(global, LinkType::infiniband));
    ASSERT_EQ(packet.transport, Transport::ib);
    EXPECT_EQ(packet.destination, Address::of(gid_b));
    EXPECT_EQ(icrc_is_good(packet), true);
}

TEST(Packet, IcrcIgnoresWhatChangesOnTheWayAndNothingElse) {
    const Octets octets = roce_v2(write_packet);
    const std::size_t ip = 14;
    for (std::size_t variant : {ip + 1, ip + 8, ip + 10, ip + 11, ip + 26, ip + 27, ip + 32}) {
        Octets changed = octets;
        changed[variant] ^= 0x01;
        EXPECT_EQ(icrc_is_good(decode(frame_of(changed))), true) << variant;
    }
    for (std::size_t invariant : {ip + 4, ip + 12, ip + 16, ip + 20, ip + 33, octets.size() - 6, octets.size() - 1}) {
        Octets changed = octets;
        changed[invariant] ^= 0x01;
        EXPECT_EQ(icrc_is_good(decode(frame_of(changed))), false) << invariant;
    }
}

TEST(Packet, ExtendedHeadersInTheirOrder) {
    const Octets extended = join({reth(0x2000, 1, 4), built(ib::ImmDt{0xCAFE})});
    Packet packet = decode(frame_of(roce_v2(bth(0x0B, 1, extended, counting(4)))));
    EXPECT_TRUE(packet.ib.has_reth && packet.ib.has_immdt);
    EXPECT_EQ(packet.ib.immdt.immediate_data, 0xCAFEU);

    packet = decode(frame_of(roce_v2(bth(0x64, 1, built(ib::Deth{0x80010000, 0, 0x42}), counting(256)))));
    EXPECT_TRUE(packet.ib.has_deth);
    EXPECT_EQ(packet.ib.deth.source_qpn, 0x42U);
    EXPECT_EQ(packet.ib.payload_length, 256U);

    const Octets rd_write = join({Octets(4), built(ib::Deth{1, 0, 2}), reth(3, 4, 5)});
    packet = decode(frame_of(roce_v2(bth(0x4A, 1, rd_write, counting(8)))));
    EXPECT_EQ(packet.ib.deth.q_key, 1U);
    EXPECT_EQ(packet.ib.reth.dma_length, 5U);
    EXPECT_EQ(packet.ib.payload_length, 8U);

    packet = decode(frame_of(roce_v2(bth(0x12, 1, join({built(ib::Aeth{0x1F, 9}), Octets(8)}), {}))));
    EXPECT_TRUE(packet.ib.has_aeth);
    EXPECT_EQ(packet.ib.aeth.msn, 9U);
    EXPECT_EQ(packet.ib.payload_length, 0U);
}

// ---- what is not InfiniBand ----

TEST(Packet, ArbitraryOctetsOnTheRocePortAreUdp) {
    for (std::size_t size : {0U, 1U, 4U, 8U, 11U, 12U, 13U, 15U}) {
        const Packet packet = decode(frame_of(ethernet(0x0800, ipv4(ipv4_header(17), udp(4791, Octets(size))))));
        EXPECT_EQ(packet.transport, Transport::udp) << size;
        EXPECT_EQ(packet.state, DecodeState::ok) << size;
        EXPECT_EQ(packet.udp.payload_length, size);
    }
    const auto transport_of = [](const Octets& payload) {
        return decode(frame_of(ethernet(0x0800, ipv4(ipv4_header(17), udp(4791, payload))))).transport;
    };
    EXPECT_EQ(transport_of(Octets(40)), Transport::ib) << "zeros are an RC SEND First";
    EXPECT_EQ(transport_of(Octets(41)), Transport::udp) << "not in words";
    EXPECT_EQ(transport_of(Octets(40, 0xFF)), Transport::udp) << "another header version";
    EXPECT_EQ(transport_of(join({{0x1F, 0x00}, Octets(38)})), Transport::udp) << "a reserved opcode";
    EXPECT_EQ(transport_of(join({{0x0A, 0x00}, Octets(18)})), Transport::udp) << "no room for the RETH";
    EXPECT_EQ(transport_of(join({{0x04, 0x30}, Octets(14)})), Transport::udp) << "no room for the padding";
    EXPECT_EQ(transport_of(join({{'G', 'E', 'T', ' '}, Octets(36)})), Transport::udp);
}

TEST(Packet, OtherTrafficIsNotAnError) {
    for (const Octets& octets :
         {ethernet(0x0806, Octets(28)), ethernet(0x0026, Octets(46)), ethernet(0x88CC, Octets(60))}) {
        const Packet packet = decode(frame_of(octets));
        EXPECT_EQ(packet.transport, Transport::none);
        EXPECT_EQ(packet.state, DecodeState::ok);
    }
}

TEST(Packet, UnknownLinkTypeIsUnsupported) {
    const Packet packet = decode(frame_of(Octets(60), LinkType::unknown));
    EXPECT_EQ(packet.state, DecodeState::unsupported);
    EXPECT_EQ(packet.layer, Layer::link);
}

// ---- odd IP ----

TEST(Packet, Ipv4OptionsAndEthernetPadding) {
    Octets octets = ethernet(0x0800, ipv4(ipv4_header(6), tcp(1, ack, {}), {1, 1, 1, 0}));
    octets.resize(60);
    const Packet packet = decode(frame_of(octets));
    ASSERT_EQ(packet.transport, Transport::tcp);
    EXPECT_EQ(packet.tcp.payload_length, 0U);
    EXPECT_TRUE(packet.tcp.payload.empty());
    EXPECT_EQ(packet.tcp.header_offset, 14U + 24U);
}

TEST(Packet, FragmentsAreUnsupported) {
    net::Ipv4Header first = ipv4_header(6);
    first.more_fragments = true;
    net::Ipv4Header second = ipv4_header(6);
    second.fragment_offset = 100;
    for (const auto& header : {first, second}) {
        const Packet packet = decode(frame_of(ethernet(0x0800, ipv4(header, tcp(1, ack, counting(8))))));
        EXPECT_EQ(packet.transport, Transport::none);
        EXPECT_EQ(packet.state, DecodeState::unsupported);
    }
    const Octets fragment = built(net::Ipv6Fragment{6, 0, 0, 0, true, 1});
    EXPECT_EQ(
        decode(frame_of(ethernet(0x86DD, ipv6(44, join({fragment, tcp(1, ack, {})}))))).state,
        DecodeState::unsupported);
}

TEST(Packet, Ipv6ExtensionHeaders) {
    const Octets hop_by_hop = join({{43, 0}, Octets(6)});
    const Octets routing = join({{60, 1}, Octets(14)});
    const Octets options = join({{44, 0}, Octets(6)});
    const Octets whole_fragment = built(net::Ipv6Fragment{6, 0, 0, 0, false, 1});
    const Octets payload = join({hop_by_hop, routing, options, whole_fragment, tcp(77, ack, counting(3))});
    const Packet packet = decode(frame_of(ethernet(0x86DD, ipv6(0, payload))));
    ASSERT_EQ(packet.transport, Transport::tcp);
    EXPECT_EQ(packet.tcp.sequence, 77U);
    EXPECT_EQ(packet.ip_protocol, 6);
    EXPECT_EQ(packet.tcp.payload_length, 3U);
}

TEST(Packet, ContradictionsAreMalformed) {
    const auto state_of = [](Octets octets, std::size_t at, std::uint8_t value) {
        octets[at] = value;
        const Packet packet = decode(frame_of(octets));
        EXPECT_EQ(packet.transport, Transport::none);
        return packet.state;
    };
    const Octets segment = ethernet(0x0800, ipv4(ipv4_header(6), tcp(1, ack, counting(8))));
    EXPECT_EQ(state_of(segment, 14, 0x65), DecodeState::malformed) << "IP version 6 in an IPv4 frame";
    EXPECT_EQ(state_of(segment, 14, 0x44), DecodeState::malformed) << "IPv4 header of 16 octets";
    EXPECT_EQ(state_of(segment, 17, 19), DecodeState::malformed) << "total length below the header's";
    EXPECT_EQ(state_of(segment, 14 + 20 + 12, 0x40), DecodeState::malformed) << "TCP header of 16 octets";
    EXPECT_EQ(state_of(segment, 14 + 20 + 12, 0xF0), DecodeState::malformed) << "TCP header beyond the segment";
    const Octets datagram = ethernet(0x0800, ipv4(ipv4_header(17), udp(53, counting(8))));
    EXPECT_EQ(state_of(datagram, 14 + 20 + 5, 7), DecodeState::malformed) << "UDP length below the header's";
    EXPECT_EQ(state_of(datagram, 14 + 20 + 5, 17), DecodeState::malformed) << "UDP length beyond the packet";
    const Octets roce = ethernet(0x8915, with_icrc(ib::IcrcStart::grh, grh(write_packet), 40));
    EXPECT_EQ(state_of(roce, 14, 0x40), DecodeState::malformed) << "GRH of another version";
    EXPECT_EQ(state_of(roce, 14 + 40, 0x1F), DecodeState::malformed) << "reserved opcode behind a GRH";
}

TEST(Packet, LengthLeftToTheInterface) {
    Octets octets = ethernet(0x0800, ipv4(ipv4_header(6), tcp(1, ack, counting(200))));
    octets[16] = octets[17] = 0;
    const Packet packet = decode(frame_of(octets));
    EXPECT_EQ(packet.state, DecodeState::ok);
    EXPECT_EQ(packet.tcp.payload_length, 200U);
}

// ---- sliced frames ----

class Sliced : public testing::TestWithParam<std::pair<const char*, Octets>> {};
INSTANTIATE_TEST_SUITE_P(
    Capture, Sliced,
    testing::Values(
        std::pair{"tcp", ethernet(0x0800, ipv4(ipv4_header(6), tcp(1, syn, counting(30), counting(12)), {1, 1, 1, 1}))},
        std::pair{"tcp_in_ipv6", ethernet(0x86DD, ipv6(0, join({{6, 0}, Octets(6), tcp(1, syn, counting(30))})))},
        std::pair{"roce_v2", roce_v2(bth(0x0B, 3, join({reth(1, 2, 3), built(ib::ImmDt{4})}), counting(41)))},
        std::pair{"roce_v1", tagged(0x8915, with_icrc(ib::IcrcStart::grh, grh(write_packet), 40))}),
    [](const auto& p) { return p.param.first; });

/// What has been decoded stays so when more is captured, and nothing depends on what was cut off.
TEST_P(Sliced, EveryLengthIsUsedAsFarAsItGoes) {
    const Octets& octets = GetParam().second;
    const Packet whole = decode(frame_of(octets));
    std::size_t payload_before = 0;
    bool decoded_before = false;
    for (std::size_t captured = 0; captured <= octets.size(); ++captured) {
        SCOPED_TRACE(captured);
        const Octets exact(
            octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(captured));  // for the address sanitizer
        Frame frame = frame_of(exact);
        frame.wire_length = whole.wire_length;
        const Packet packet = decode(frame);
        EXPECT_NE(packet.state, DecodeState::malformed);
        const bool decoded = packet.transport == whole.transport;
        EXPECT_TRUE(decoded || !decoded_before);
        decoded_before = decoded;
        if (!decoded) {
            EXPECT_EQ(packet.state, DecodeState::truncated);
            continue;
        }
        const ByteView payload = decoded && whole.transport == Transport::ib ? packet.ib.payload : packet.tcp.payload;
        EXPECT_EQ(packet.ib.payload_length, whole.ib.payload_length);
        EXPECT_EQ(packet.tcp.payload_length, whole.tcp.payload_length);
        EXPECT_GE(payload.size(), payload_before);
        payload_before = payload.size();
        EXPECT_EQ(packet.ib.icrc_present(), whole.ib.icrc_present() && captured == octets.size());
    }
    EXPECT_TRUE(decoded_before);
}

TEST(Packet, RandomOctetsAreHarmless) {
    std::mt19937 random(1);
    for (int i = 0; i < 100'000; ++i) {
        Octets octets = i % 3 == 0   ? roce_v2(write_packet)
                        : i % 3 == 1 ? tagged(0x86DD, ipv6(0, counting(90)))
                                     : Octets(random() % 120);
        for (std::size_t hits = random() % 6 + 1; hits-- > 0 && !octets.empty();)
            octets[random() % octets.size()] = static_cast<std::uint8_t>(random());
        octets.resize(octets.size() - std::min<std::size_t>(octets.size(), random() % 40));
        octets.shrink_to_fit();
        Frame frame = frame_of(octets, static_cast<LinkType>(random() % 8));
        frame.wire_length = static_cast<std::uint32_t>(random() % 200);
        const Packet packet = decode(frame);
        EXPECT_LE(packet.ib.payload.size(), packet.ib.payload_length);
        icrc_is_good(packet);
    }
}

// ---- addresses ----

TEST(Address, EqualByOctetsExceptLids) {
    Address mapped = Address::of(ipv4_a);
    mapped.kind = Address::Kind::gid;
    EXPECT_EQ(mapped, Address::of(ipv4_a));
    EXPECT_EQ(std::hash<Address>{}(mapped), std::hash<Address>{}(Address::of(ipv4_a)));
    mapped.kind = Address::Kind::lid;
    EXPECT_FALSE(mapped == Address::of(ipv4_a));
    EXPECT_EQ(to_string(Address::of(ipv4_a)), "192.0.2.10");
    EXPECT_EQ(to_string(Address::of(gid_a)), "2001:db8::a");
    EXPECT_EQ(to_string(Address{}), "none");
}

TEST(Address, HashSpreadsNeighbours) {
    std::unordered_set<std::size_t> low_bits;
    for (unsigned i = 0; i < 256; ++i)
        low_bits.insert(std::hash<Address>{}(Address::of(Ipv4{{192, 0, 2, static_cast<std::uint8_t>(i)}})) % 1024);
    EXPECT_GT(low_bits.size(), 180U);
}

// ---- real captures ----

class RealCapture : public testing::TestWithParam<std::filesystem::path> {};
std::vector<std::filesystem::path> captures() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICSCOPE_SAMPLES))
        if (entry.path().extension().string().starts_with(".pcap")) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}
INSTANTIATE_TEST_SUITE_P(Capture, RealCapture, testing::ValuesIn(captures()), [](const auto& p) {
    return p.param.stem().string();
});

TEST_P(RealCapture, EveryFrameDecodesAndEveryIcrcIsGood) {
    const auto source = open(GetParam()).source;
    ASSERT_NE(source, nullptr);
    Frame frame;
    std::uint64_t count = 0;
    while (source->next(frame)) {
        const Packet packet = decode(frame);
        ASSERT_EQ(packet.number, ++count);
        ASSERT_EQ(packet.state, DecodeState::ok) << "frame " << count;
        if (packet.transport == Transport::ib) {
            ASSERT_EQ(icrc_is_good(packet), true) << "frame " << count;
        }
    }
    EXPECT_GT(count, 0U);
    EXPECT_TRUE(source->errors().empty());
}

TEST_P(RealCapture, EveryFrameCutAnywhereIsHarmless) {
    const auto source = open(GetParam()).source;
    ASSERT_NE(source, nullptr);
    Frame frame;
    while (source->next(frame) && frame.number <= 200) {
        const Packet whole = decode(frame);
        for (std::size_t captured = 0; captured < frame.data.size(); ++captured) {
            const Octets exact(frame.data.begin(), frame.data.begin() + static_cast<std::ptrdiff_t>(captured));
            Frame cut = frame;
            cut.data = exact;
            const Packet packet = decode(cut);
            ASSERT_NE(packet.state, DecodeState::malformed);
            if (packet.transport == Transport::ib) {
                ASSERT_EQ(packet.ib.payload_length, whole.ib.payload_length);
            }
        }
    }
}

// ---- tunnels ----

Octets udp_to(std::uint16_t port, const Octets& payload) {
    Octets octets = udp(4791, payload);
    octets[2] = static_cast<std::uint8_t>(port >> 8);
    octets[3] = static_cast<std::uint8_t>(port);
    return octets;
}

Octets inner_packet() { return ipv4(ipv4_header(17), udp(4791, join({write_packet, Octets(4)}))); }
Octets inner_frame() { return ethernet(0x0800, inner_packet()); }
Octets in_ip(std::uint8_t protocol, const Octets& payload) {
    return ethernet(0x0800, ipv4(ipv4_header(protocol), payload));
}

struct Tunnel {
    const char* name;
    Octets octets;
    int depth = 1;
};

class Tunnels : public testing::TestWithParam<Tunnel> {};
const Octets vxlan_header{0x08, 0, 0, 0, 0, 0, 7, 0};
const Octets geneve_header{0x01, 0, 0x65, 0x58, 0, 0, 7, 0, 1, 2, 3, 4};
INSTANTIATE_TEST_SUITE_P(
    Capture, Tunnels,
    testing::Values(
        Tunnel{"vxlan", in_ip(17, udp_to(4789, join({vxlan_header, inner_frame()})))},
        Tunnel{"geneve_with_an_option", in_ip(17, udp_to(6081, join({geneve_header, inner_frame()})))},
        Tunnel{"gre", in_ip(47, join({{0, 0, 0x65, 0x58}, inner_frame()}))},
        Tunnel{"nvgre", in_ip(47, join({{0x20, 0, 0x65, 0x58, 0, 0, 7, 0}, inner_frame()}))},
        Tunnel{"erspan_1", in_ip(47, join({{0, 0, 0x88, 0xBE}, inner_frame()}))},
        Tunnel{"erspan_2", in_ip(47, join({{0x10, 0, 0x88, 0xBE, 0, 0, 0, 1}, Octets(8), inner_frame()}))},
        Tunnel{"erspan_3", in_ip(47, join({{0x10, 0, 0x22, 0xEB, 0, 0, 0, 1}, Octets(12), inner_frame()}))},
        Tunnel{
            "erspan_3_with_subheader",
            in_ip(47, join({{0x10, 0, 0x22, 0xEB, 0, 0, 0, 1}, Octets(11), {1}, Octets(8), inner_frame()}))},
        Tunnel{"mpls_pseudowire", ethernet(0x8847, join({{0, 0, 0x10, 64, 0, 0, 0x21, 64}, Octets(4), inner_frame()}))},
        Tunnel{"vn_tag", ethernet(0x8926, join({{1, 2, 3, 4, 0x08, 0x00}, inner_packet()})), 0},
        Tunnel{"ip_in_ip", in_ip(4, inner_packet())},
        Tunnel{
            "vxlan_in_gre",
            in_ip(47, join({{0, 0, 0x65, 0x58}, in_ip(17, udp_to(4789, join({vxlan_header, inner_frame()})))})), 2}),
    [](const auto& tunnel) { return tunnel.param.name; });

TEST_P(Tunnels, TheInnerPacketIsWhatCounts) {
    const Octets& octets = GetParam().octets;
    const Packet packet = decode(frame_of(octets, LinkType::ethernet));
    ASSERT_EQ(packet.transport, Transport::ib);
    EXPECT_EQ(packet.tunnels, GetParam().depth);
    EXPECT_EQ(packet.ib.bth.psn, 7U);
    EXPECT_EQ(packet.ib.payload_length, 5U);
    EXPECT_EQ(packet.source, Address::of(ipv4_a));
}

TEST_P(Tunnels, ACutFrameIsReadAsFarAsItGoes) {
    const Octets& whole = GetParam().octets;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        decode(frame_of(cut, LinkType::ethernet));
    }
}

TEST(PacketTunnels, TheirDepthIsBounded) {
    Octets octets = inner_packet();
    for (int i = 0; i < 20; ++i) octets = ipv4(ipv4_header(4), octets);
    const Packet packet = decode(frame_of(ethernet(0x0800, octets), LinkType::ethernet));
    EXPECT_EQ(packet.state, DecodeState::unsupported);
    EXPECT_EQ(packet.tunnels, 8);
}

TEST(PacketTunnels, WhatIsNotReadHasAName) {
    const auto unread = [](const Octets& octets) { return decode(frame_of(octets, LinkType::ethernet)).unread; };
    EXPECT_EQ(unread(in_ip(17, udp_to(2152, Octets(20)))), Unread::gtp_u);
    EXPECT_EQ(unread(in_ip(50, Octets(20))), Unread::esp);
    EXPECT_EQ(unread(ethernet(0x8864, Octets(20))), Unread::pppoe);
    EXPECT_EQ(unread(inner_frame()), Unread::none);
    EXPECT_STREQ(name_of(Unread::gtp_u), "GTP-U");
}

Octets datagram_of(std::uint16_t checksum, const std::vector<Octets>& packets) {
    Octets payload;
    for (const Octets& packet : packets) payload = join({payload, packet, Octets(4)});
    Octets octets = udp_to(4791, payload);
    octets[6] = static_cast<std::uint8_t>(checksum >> 8);
    octets[7] = static_cast<std::uint8_t>(checksum);
    return ethernet(0x0800, ipv4(ipv4_header(17), octets));
}

TEST(Packet, SeveralInOneDatagramAreNotReadAsOne) {
    const auto decoded = [](const Octets& octets) { return decode(frame_of(octets, LinkType::ethernet)); };
    constexpr std::uint16_t begun = 0x1234;
    const auto send = [](std::uint32_t psn, std::size_t octets) { return bth(0x04, psn, {}, counting(octets)); };
    const Packet joined = decoded(datagram_of(begun, {send(0xFFFFFF, 64), send(0, 64), send(1, 64)}));
    EXPECT_EQ(joined.unread, Unread::joined);
    EXPECT_EQ(joined.transport, Transport::none);
    EXPECT_EQ(
        decoded(datagram_of(begun, {bth(0x11, 7, Octets(4), {}), bth(0x11, 9, Octets(4), {})})).unread, joined.unread);
    EXPECT_EQ(decoded(datagram_of(begun, {send(7, 4096)})).ib.payload_length, 4096U) << "one that has a checksum";
    const Octets of_old = join({counting(64), send(6, 64)});
    EXPECT_EQ(decoded(datagram_of(begun, {bth(0x04, 7, {}, of_old)})).unread, Unread::none) << "an older one as data";
}

TEST(PacketTunnels, ADatagramToTheirPortMayBeAnotherOne) {
    const Packet packet = decode(frame_of(in_ip(17, udp_to(4789, Octets(40))), LinkType::ethernet));
    EXPECT_EQ(packet.transport, Transport::udp);
    EXPECT_EQ(packet.tunnels, 0);
}

TEST(Packet, PriorityPauseFrames) {
    const Packet packet = decode(frame_of(ethernet(0x8808, join({{0x01, 0x01}, Octets(44)})), LinkType::ethernet));
    EXPECT_EQ(packet.mac_control, 0x0101);
    EXPECT_EQ(packet.segment.size(), 44U) << "what is behind the opcode";
    EXPECT_EQ(packet.transport, Transport::none);
}

}  // namespace
}  // namespace fabricscope::capture
