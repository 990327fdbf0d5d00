// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "capture/fcip.h"
#include "capture/source.h"
#include "protocols/fc/encapsulation.h"
#include "tests/traffic/fc_builder.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;
using namespace traffic;
using test::Octets;

fc::FrameHeader header_of(std::uint16_t seq_cnt) {
    fc::FrameHeader header;
    header.r_ctl = 0x01;
    header.d_id = 0x010203;
    header.s_id = 0x010E0F;
    header.type = fc::type_fcvi;
    header.seq_cnt = seq_cnt;
    header.ox_id = 0x1234;
    return header;
}

FcFrame sample_frame(std::size_t payload = 12) { return fc_frame(header_of(7), counting(16), counting(payload, 100)); }

// ---- carriers ----

struct Carrier {
    const char* name;
    FcCarrier carrier;
    LinkType link;
    Octets (*wrap)(const FcFrame& frame);
    bool delimited, checked;
    std::optional<std::uint16_t> fabric;
};

class FcCarriers : public testing::TestWithParam<Carrier> {};
INSTANTIATE_TEST_SUITE_P(
    Capture, FcCarriers,
    testing::Values(
        Carrier{"fc2", FcCarrier::fc2, LinkType::fc2, [](const FcFrame& f) { return as_fc2(f); }, false, false, {}},
        Carrier{
            "delimited",
            FcCarrier::fc2_delimited,
            LinkType::fc2_with_delimiters,
            as_fc2_with_delimiters,
            true,
            true,
            {}},
        Carrier{
            "fcoe", FcCarrier::fcoe, LinkType::ethernet, [](const FcFrame& f) { return as_fcoe(f); }, true, true, {}},
        Carrier{
            "fcoe_in_a_vlan",
            FcCarrier::fcoe,
            LinkType::ethernet,
            [](const FcFrame& f) { return as_fcoe(f, 1002); },
            true,
            true,
            {}},
        Carrier{
            "mds", FcCarrier::mds, LinkType::ethernet, [](const FcFrame& f) { return as_mds(f, 20); }, true, true, 20},
        Carrier{
            "boardwalk", FcCarrier::boardwalk, LinkType::ethernet, [](const FcFrame& f) { return as_boardwalk(f, 30); },
            true, true, 30}),
    [](const auto& carrier) { return carrier.param.name; });

TEST_P(FcCarriers, HeadersAndPayload) {
    const Octets octets = GetParam().wrap(sample_frame());
    const Packet packet = decode(frame_of(octets, GetParam().link));
    ASSERT_EQ(packet.transport, Transport::fc);
    EXPECT_EQ(packet.state, DecodeState::ok);
    EXPECT_EQ(packet.fc->carrier, GetParam().carrier);
    EXPECT_EQ(packet.fc->sof, GetParam().delimited ? fc::Sof::i3 : fc::Sof::none);
    EXPECT_EQ(packet.fc->eof, GetParam().delimited ? fc::Eof::t : fc::Eof::none);
    EXPECT_EQ(packet.fc->fabric, GetParam().fabric);
    EXPECT_EQ(to_string(packet.source), "01.0e.0f");
    EXPECT_EQ(to_string(packet.destination), "01.02.03");
    EXPECT_EQ(packet.fc->frame.header.ox_id, 0x1234);
    EXPECT_EQ(packet.fc->frame.device_header().size(), 16U);
    EXPECT_EQ(packet.fc->frame.payload_length, 12U);
    EXPECT_EQ(octets[packet.fc->frame_offset], 0x01);
    EXPECT_EQ(octets[packet.fc->payload_offset], 100);
    EXPECT_EQ(fc_crc_is_good(packet), GetParam().checked ? std::optional(true) : std::nullopt);
}

TEST_P(FcCarriers, AWrongCrcIsSeen) {
    Octets octets = GetParam().wrap(sample_frame());
    const Packet before = decode(frame_of(octets, GetParam().link));
    octets[before.fc->payload_offset] ^= 1;
    EXPECT_EQ(
        fc_crc_is_good(decode(frame_of(octets, GetParam().link))),
        GetParam().checked ? std::optional(false) : std::nullopt);
}

TEST_P(FcCarriers, CutAnywhereItIsUsedAsFarAsItGoes) {
    const Octets octets = GetParam().wrap(sample_frame());
    const Packet whole = decode(frame_of(octets, GetParam().link));
    const std::size_t headers_end = whole.fc->frame_offset + fc::frame_header_size;
    const std::size_t frame_end = whole.fc->frame_offset + whole.fc->octets.size();
    for (std::size_t size = 0; size < octets.size(); ++size) {
        const Packet packet = decode(frame_of(octets, GetParam().link, size));
        EXPECT_EQ(packet.fc.has_value(), size >= headers_end) << size;
        EXPECT_EQ(packet.transport == Transport::fc, packet.fc.has_value());
        if (!packet.fc) continue;
        // Boardwalk's last word says whether another one before it is none of the frame's.
        const std::size_t end = frame_end + (packet.fc->carrier == FcCarrier::boardwalk ? 4 : 0);
        EXPECT_EQ(packet.state, size < end ? DecodeState::truncated : DecodeState::ok) << size;
        EXPECT_EQ(packet.fc->frame.header, whole.fc->frame.header);
        EXPECT_LE(packet.fc->frame.payload.size(), size - headers_end);
        if (size < frame_end) {
            EXPECT_FALSE(fc_crc_is_good(packet));
        }
    }
}

TEST(FcPacket, EthernetChecksumBehindFcoe) {
    const Octets octets = join({as_fcoe(sample_frame()), {0xDE, 0xAD, 0xBE, 0xEF}});
    const Packet packet = decode(frame_of(octets));
    EXPECT_EQ(packet.fc->eof, fc::Eof::t);
    EXPECT_EQ(fc_crc_is_good(packet), true);
    EXPECT_EQ(packet.fc->frame.payload_length, 12U);
}

TEST(FcPacket, AnotherFcoeVersionIsNotGuessedAt) {
    Octets octets = as_fcoe(sample_frame());
    octets[14] = 0x10;
    const Packet packet = decode(frame_of(octets));
    EXPECT_EQ(packet.state, DecodeState::unsupported);
    EXPECT_EQ(packet.transport, Transport::none);
}

TEST(FcPacket, VirtualFabric) {
    fc::VftHeader vft;
    vft.vf_id = 77;
    const Packet packet = decode(frame_of(join({built(vft), sample_frame().octets}), LinkType::fc2));
    EXPECT_EQ(packet.fc->fabric, 77);
    EXPECT_EQ(packet.fc->frame_offset, 0U);
    EXPECT_EQ(packet.fc->frame.header.s_id, 0x010E0FU);
}

TEST(FcPacket, FramesShorterThanAHeaderAreMalformed) {
    for (const LinkType link : {LinkType::fc2, LinkType::fc2_with_delimiters}) {
        const Packet packet = decode(frame_of(Octets(20), link));
        EXPECT_EQ(packet.state, DecodeState::malformed);
        EXPECT_EQ(packet.transport, Transport::none);
    }
}

TEST(FcPacket, AddressesOfPortsEqualPortsOnly) {
    EXPECT_EQ(Address::of_port_id(0x010203), Address::of_port_id(0x010203));
    EXPECT_FALSE(Address::of_port_id(0x0203) == (Address{Address::of_port_id(0x0203).bytes, Address::Kind::lid}));
}

TEST(FcPacket, EveryFrameOfTheRealCapture) {
    OpenResult opened = open(sample("fcoe_vn2vn.pcap"));
    ASSERT_TRUE(opened);
    std::map<FcCarrier, int> carriers;
    int frames = 0, bad = 0;
    for (Frame frame; opened.source->next(frame);) {
        const Packet packet = decode(frame);
        EXPECT_EQ(packet.state, DecodeState::ok) << frame.number;
        if (packet.transport != Transport::fc) continue;
        ++frames;
        ++carriers[packet.fc->carrier];
        if (packet.fc->carrier == FcCarrier::fcoe && fc_crc_is_good(packet) != true) ++bad;
        EXPECT_EQ(fc::build(packet.fc->frame), Octets(packet.fc->octets.begin(), packet.fc->octets.end()));
    }
    EXPECT_EQ(carriers[FcCarrier::fcoe], 569) << "as Wireshark counts";
    EXPECT_EQ(carriers[FcCarrier::fip], 15) << "FLOGI, LOGO and their answers";
    EXPECT_EQ(frames, 584);
    EXPECT_EQ(bad, 0);
}

// ---- FIP ----

/// Cut off behind so many octets of FIP.
Packet cleared(const std::vector<std::uint32_t>& ports, std::size_t captured = 2000) {
    static Octets octets;
    octets.assign(12, 0x02);
    octets.insert(octets.end(), {fc::fip_ether_type >> 8, fc::fip_ether_type & 0xFF});
    const std::size_t before = octets.size();
    const Octets fip = clear_virtual_links(ports);
    octets.insert(octets.end(), fip.begin(), fip.end());
    Frame frame;
    frame.wire_length = static_cast<std::uint32_t>(octets.size());
    frame.link = LinkType::ethernet;
    frame.data = ByteView(octets).first(std::min(octets.size(), before + captured));
    return decode(frame);
}

TEST(FcPacket, ASwitchClearsVirtualLinks) {
    const Packet two = cleared({0x010203, 0x010204});
    EXPECT_EQ(two.fip_control, FipControl::clear_virtual_links);
    EXPECT_EQ(two.state, DecodeState::ok);
    EXPECT_EQ(two.source, Address::of_port_id(fc::f_port_server));
    EXPECT_EQ(two.destination, Address::of_port_id(0x010203));
    EXPECT_EQ(cleared_port(two.segment, 0), 0x010203U);
    EXPECT_EQ(cleared_port(two.segment, 1), 0x010204U);
    EXPECT_EQ(cleared_port(two.segment, 2), std::nullopt);
    EXPECT_EQ(cleared({}).fip_control, FipControl::clear_virtual_links);
    EXPECT_EQ(cleared({}).destination, Address());
    EXPECT_EQ(cleared_port(cleared({}).segment, 0), std::nullopt);
}

TEST(FcPacket, WhatFipThatWasCutOffTells) {
    constexpr std::size_t header = 10, one = 20;
    const Packet cut = cleared({0x010203, 0x010204}, header + 2 * one - 1);
    EXPECT_EQ(cut.state, DecodeState::truncated);
    EXPECT_EQ(cleared_port(cut.segment, 0), 0x010203U);
    EXPECT_EQ(cleared_port(cut.segment, 1), std::nullopt);
    EXPECT_EQ(cleared({0x010203}, header - 1).fip_control, FipControl::none);
    EXPECT_EQ(cleared_port(ByteView(), 0), std::nullopt);
}

// ---- FCIP ----

/// TCP segments of one FCIP connection, and what the streams make of them.
struct FcipConnection {
    FcipStreams streams;
    std::vector<Packet> found;  ///< without views
    std::vector<Octets> payloads;
    std::uint64_t number = 0;

    void send(
        std::uint32_t sequence, const Octets& payload, bool answer = false, std::uint32_t acknowledgment = 0,
        std::size_t cut = 0) {
        net::TcpHeader header{};
        header.source_port = answer ? 3225 : 50000;
        header.destination_port = answer ? 50000 : 3225;
        header.sequence = sequence;
        header.acknowledgment = acknowledgment;
        header.header_length = 5;
        header.flags = ack;
        net::Ipv4Header ip = ipv4_header(6);
        if (answer) std::swap(ip.source, ip.destination);
        const Octets octets = ethernet(0x0800, ipv4(ip, join({built(header), payload})));
        Frame frame = frame_of(octets, LinkType::ethernet, octets.size() - cut);
        frame.number = ++number;
        const Packet packet = decode(frame);
        ASSERT_TRUE(FcipStreams::takes(packet));
        streams.on_packet(packet, sink());
    }
    FcipStreams::Sink sink() {
        return [this](const Packet& packet) {
            payloads.emplace_back(packet.fc->frame.payload.begin(), packet.fc->frame.payload.end());
            found.push_back(packet);
        };
    }
};

Octets numbered(std::uint16_t number, std::size_t payload = 20) {
    return as_fcip(fc_frame(header_of(number), {}, counting(payload, number)));
}

TEST(Fcip, FramesInOneSegmentAndAcrossSegments) {
    const Octets stream = join({numbered(0), numbered(1), numbered(2)});
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{100}, stream.size()}) {
        FcipConnection connection;
        for (std::size_t at = 0; at < stream.size(); at += size)
            connection.send(
                static_cast<std::uint32_t>(1000 + at),
                Octets(
                    stream.begin() + static_cast<std::ptrdiff_t>(at),
                    stream.begin() + static_cast<std::ptrdiff_t>(std::min(stream.size(), at + size))));
        ASSERT_EQ(connection.found.size(), 3U) << size;
        for (std::uint16_t i = 0; i < 3; ++i) {
            EXPECT_EQ(connection.found[i].fc->frame.header.seq_cnt, i);
            EXPECT_EQ(connection.found[i].fc->sof, fc::Sof::i3);
            EXPECT_EQ(connection.found[i].fc->eof, fc::Eof::t);
            EXPECT_TRUE(connection.found[i].fc->crc.has_value());
            EXPECT_EQ(connection.payloads[i], counting(20, i));
            EXPECT_EQ(to_string(connection.found[i].source), "01.0e.0f");
        }
        EXPECT_EQ(connection.found[0].number, (numbered(0).size() + size - 1) / size)
            << "the segment that completes it";
    }
}

TEST(Fcip, SegmentsOutOfOrder) {
    const Octets first = numbered(0), second = numbered(1);
    FcipConnection connection;
    connection.send(1000, {});  // nothing to see
    connection.send(1000, Octets(first.begin(), first.begin() + 10));
    connection.send(static_cast<std::uint32_t>(1000 + first.size()), second);
    EXPECT_TRUE(connection.found.empty());
    connection.send(1010, Octets(first.begin() + 10, first.end()));
    ASSERT_EQ(connection.found.size(), 2U);
    EXPECT_EQ(connection.found[0].fc->frame.header.seq_cnt, 0);
    EXPECT_EQ(connection.found[1].fc->frame.header.seq_cnt, 1);
}

TEST(Fcip, ACaptureThatBeginsMidstreamOrIsDamagedFindsTheNextHeader) {
    FcipConnection connection;
    connection.send(1000, join({counting(33), numbered(4)}));
    ASSERT_EQ(connection.found.size(), 1U);
    EXPECT_EQ(connection.found[0].fc->frame.header.seq_cnt, 4);
}

TEST(Fcip, WhatTheReceiverAcknowledgedIsNotWaitedFor) {
    const Octets lost = numbered(1), next = numbered(2);
    FcipConnection connection;
    const auto at = [&](int frames) {
        return static_cast<std::uint32_t>(1000 + frames * static_cast<int>(lost.size()));
    };
    connection.send(at(0), numbered(0));
    connection.send(at(2), next);
    EXPECT_EQ(connection.found.size(), 1U);
    connection.send(500, {}, true, at(1));
    EXPECT_EQ(connection.found.size(), 1U) << "the hole is not acknowledged";
    connection.send(500, {}, true, at(3));
    ASSERT_EQ(connection.found.size(), 2U);
    EXPECT_EQ(connection.found[1].fc->frame.header.seq_cnt, 2);
}

TEST(Fcip, SegmentsThatTheSnapLengthCutAreUsedAsFarAsTheyGo) {
    FcipConnection connection;
    const Octets frame = numbered(0, 400);
    connection.send(1000, frame, false, 0, 300);
    connection.send(static_cast<std::uint32_t>(1000 + frame.size()), numbered(1));
    connection.streams.finish(connection.sink());
    ASSERT_EQ(connection.found.size(), 2U);
    EXPECT_EQ(connection.found[0].state, DecodeState::truncated);
    EXPECT_EQ(connection.found[0].fc->frame.header.seq_cnt, 0);
    EXPECT_EQ(connection.found[0].fc->frame.payload_length, 400U);
    EXPECT_LT(connection.payloads[0].size(), 200U);
    EXPECT_FALSE(connection.found[0].fc->crc);
    EXPECT_EQ(connection.found[1].fc->frame.header.seq_cnt, 1);
    EXPECT_EQ(connection.found[1].state, DecodeState::ok);
}

TEST(Fcip, SpecialFramesAreNoFibreChannel) {
    Octets special = numbered(0, 12);
    special[8] = 0x01, special[10] = 0xFE;
    FcipConnection connection;
    connection.send(1000, join({special, numbered(5)}));
    ASSERT_EQ(connection.found.size(), 1U);
    EXPECT_EQ(connection.found[0].fc->frame.header.seq_cnt, 5);
}

}  // namespace
}  // namespace fabricscope::capture
