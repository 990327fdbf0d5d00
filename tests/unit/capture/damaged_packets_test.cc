// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/damaged_packets.h"

#include <gmock/gmock.h>

#include "protocols/net/internet_checksum.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

class Damage : public testing::Test {
protected:
    void see(Octets octets, std::uint32_t interface = 0) {
        Frame frame = frame_of(octets);
        frame.number = ++frames_;
        frame.interface = interface;
        packets_.on_packet(decode(frame));
    }
    /// With another bit in the last octet before the ICRC.
    void see_damaged(Octets octets, std::uint32_t interface = 0) {
        octets[octets.size() - 5] ^= 0x10;
        see(std::move(octets), interface);
    }
    std::vector<std::uint64_t> damaged() const { return packets_.frames(); }

private:
    DamagedPackets packets_;
    std::uint64_t frames_ = 0;
};

Octets message(std::uint32_t psn) { return roce_v2(bth(send_only, psn, {}, counting(44))); }

Octets acknowledgment(std::uint32_t psn) { return roce_v2(bth(acknowledge, psn, Octets(4), {})); }

/// Of the pseudo header.
std::uint32_t sum_of_addresses(std::size_t segment) {
    std::uint32_t sum = net::protocol_tcp + static_cast<std::uint32_t>(segment);
    for (const Ipv4& address : {ipv4_a, ipv4_b}) sum = net::checksum_sum(address.octets, sum);
    return sum;
}

Octets segment_with(Octets segment, std::uint16_t checksum) {
    segment[16] = static_cast<std::uint8_t>(checksum >> 8);
    segment[17] = static_cast<std::uint8_t>(checksum);
    return ethernet(net::ether_type_ipv4, ipv4(ipv4_header(net::protocol_tcp), segment));
}

Octets checked_segment(std::uint32_t sequence) {
    const Octets segment = tcp(sequence, ack, counting(20));
    return segment_with(segment, net::checksum_of(net::checksum_sum(segment, sum_of_addresses(segment.size()))));
}

TEST_F(Damage, ComesAgain) {
    see(message(1));
    see_damaged(message(2));
    see(message(3));
    EXPECT_THAT(damaged(), IsEmpty()) << "nothing came again: it may have been edited behind its capture";
    see(message(2));
    EXPECT_THAT(damaged(), ElementsAre(2));
}

TEST_F(Damage, IsThatOfAllThatAHostSendsAndReceives) {
    see(message(1));
    see_damaged(message(2));
    see(acknowledgment(1));
    see_damaged(acknowledgment(1));
    see(acknowledgment(1));
    EXPECT_THAT(damaged(), IsEmpty()) << "others may acknowledge the same";
    see(message(2));
    EXPECT_THAT(damaged(), ElementsAre(2, 4));
}

TEST_F(Damage, IsNoneOfAnAdapterThatFillsItsIcrcsIn) {
    see_damaged(message(1), 1);
    see_damaged(message(2), 1);
    see_damaged(message(3), 1);
    see(message(2));
    EXPECT_THAT(damaged(), IsEmpty()) << "another interface has the right one";
    see(message(2), 1);
    EXPECT_THAT(damaged(), IsEmpty()) << "most are wrong";
}

TEST_F(Damage, OfAnAddress) {
    see(message(1));
    see_damaged(message(2));
    Octets of_nobody = message(3);
    of_nobody[26] ^= 0x40;  // the first octet of the source
    see(of_nobody);
    see(message(2));
    EXPECT_THAT(damaged(), ElementsAre(2, 3));
    see(of_nobody);
    see(of_nobody);
    EXPECT_THAT(damaged(), ElementsAre(2)) << "a host whose address was rewritten";
}

TEST_F(Damage, OfTcp) {
    see(checked_segment(1));
    see_damaged(checked_segment(21));
    see(checked_segment(41));
    see(checked_segment(21));
    EXPECT_THAT(damaged(), ElementsAre(2));
}

/// As hosts join received segments, and leave the checksum to adapters.
TEST_F(Damage, IsNotToldByAChecksumThatIsYetToBeComputed) {
    const Octets joined = tcp(21, ack, counting(40));
    see(checked_segment(1));
    see(segment_with(joined, static_cast<std::uint16_t>(~net::checksum_of(sum_of_addresses(joined.size())))));
    see(checked_segment(21));
    EXPECT_THAT(damaged(), IsEmpty());
}

TEST_F(Damage, OfWhatWasCutNothingIsKnown) {
    const Octets octets = message(1);
    DamagedPackets packets;
    packets.on_packet(decode(frame_of(octets, LinkType::ethernet, octets.size() - 1)));
    packets.on_packet(decode(frame_of(octets)));
    EXPECT_THAT(packets.frames(), IsEmpty());
}

}  // namespace
}  // namespace fabricscope::capture
