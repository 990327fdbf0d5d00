// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/components.h"

#include <gmock/gmock.h>

#include "tests/traffic/fc_builder.h"
#include "tests/unit/engine/conversation.h"

namespace fabricscope::engine {
namespace {

using capture::Address;
using capture::Packet;
using capture::Transport;

Address host(std::uint8_t number) { return Address::of(Ipv4{{192, 0, 2, number}}); }
Address fc_port(std::uint32_t id) { return Address::of_port_id(id); }

Packet packet(const Address& from, const Address& to, Transport transport) {
    Packet p;
    p.source = from;
    p.destination = to;
    p.transport = transport;
    return p;
}
Packet segment(const Address& from, const Address& to, ByteView payload = {}) {
    Packet p = packet(from, to, Transport::tcp);
    p.tcp.payload = payload;
    p.tcp.payload_length = static_cast<std::uint32_t>(payload.size());
    return p;
}

class ComponentsTest : public testing::Test {
protected:
    void add(const Packet& packet, std::uint64_t octets = 100) { components_.add(packet, octets); }
    void finish() { components_.finish(); }
    /// Of a packet that this address sends to nobody.
    auto of(const Address& address) const { return components_.of(packet(address, {}, Transport::none)); }
    std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> sizes;
        for (const Components::Component& component : components_.list()) sizes.push_back(component.octets);
        return sizes;
    }

    Components components_;
};

TEST_F(ComponentsTest, WhoSpeaksToEachOtherBelongsTogether) {
    add(segment(host(1), host(2)));
    add(segment(host(3), host(4)), 50);
    add(segment(host(2), host(5)));
    finish();
    EXPECT_EQ(of(host(1)), of(host(2)));
    EXPECT_EQ(of(host(1)), of(host(5)));
    EXPECT_EQ(of(host(3)), of(host(4)));
    EXPECT_NE(of(host(1)), of(host(3)));
    EXPECT_THAT(sizes(), testing::ElementsAre(200, 50));
}

TEST_F(ComponentsTest, ComponentsThatMeetLateAreOne) {
    for (std::uint8_t i = 1; i < 40; i += 2) add(segment(host(i), host(i + 1)));
    for (std::uint8_t i = 39; i > 2; i -= 2) add(segment(host(i), host(i - 2)));
    finish();
    EXPECT_THAT(sizes(), testing::ElementsAre(39 * 100));
    for (std::uint8_t i = 2; i <= 40; ++i) EXPECT_EQ(of(host(i)), of(host(1)));
}

TEST_F(ComponentsTest, PlainUdpHoldsNothingTogether) {
    Packet p = packet(host(1), host(2), Transport::udp);
    add(p);
    p.udp.destination_port = ib::roce_v2_udp_port;
    std::swap(p.source, p.destination = host(3));
    add(p);
    finish();
    EXPECT_NE(of(host(1)), of(host(2)));
    EXPECT_EQ(of(host(3)), of(host(1))) << "RoCE that could not be read";
}

TEST_F(ComponentsTest, MulticastGoesWithItsSource) {
    const Address group = Address::of(Ipv4{{224, 0, 0, 251}});
    add(segment(host(1), group));
    add(segment(host(2), group));
    finish();
    EXPECT_NE(of(host(1)), of(host(2)));
    EXPECT_EQ(components_.of(segment(host(2), group)), of(host(2)));
}

TEST_F(ComponentsTest, WithoutAnAddressThereIsNoComponent) {
    add(packet({}, {}, Transport::none));
    finish();
    EXPECT_EQ(components_.of(packet({}, {}, Transport::none)), std::nullopt);
    EXPECT_THAT(sizes(), testing::IsEmpty());
}

TEST_F(ComponentsTest, ClcNamesThePortsOfRoce) {
    using smcr::test::World;
    const smcr::test::Octets accept = World::accept_or_confirm(
        fabricscope::smcr::ClcType::accept, {.host = 7, .qpn = 5, .psn = 1}, 1, 1, true);
    add(segment(host(1), host(2), accept));
    add(smcr::test::ib_packet(7, 8, 5, smcr::test::ib_write_only, 1));
    finish();
    EXPECT_EQ(of(smcr::test::ib_port(8)), of(host(1)));
}

TEST_F(ComponentsTest, ACutClcMessageNamesWhatIsThere) {
    using smcr::test::World;
    smcr::test::Octets accept = World::accept_or_confirm(
        fabricscope::smcr::ClcType::accept, {.host = 7, .qpn = 5, .psn = 1}, 1, 1, true);
    for (; !accept.empty(); accept.pop_back()) add(segment(host(1), host(2), accept));
    finish();
    EXPECT_EQ(of(host(1)), of(host(2)));
}

TEST_F(ComponentsTest, NativeInfiniBandIsOne) {
    Packet p = smcr::test::ib_packet(1, 2, 5, smcr::test::ib_send_only, 1);
    p.ib.carrier = capture::IbCarrier::native;
    add(p);
    p.source = Address::of_lid(9);
    p.destination = Address::of_lid(10);
    add(p);
    finish();
    EXPECT_EQ(of(Address::of_lid(10)), of(smcr::test::ib_port(1)));
}

TEST_F(ComponentsTest, FibreChannelPairsAreApart) {
    add(packet(fc_port(0x010203), fc_port(0x010204), Transport::fc));
    add(packet(fc_port(0x010205), fc_port(0x010206), Transport::fc));
    finish();
    EXPECT_NE(of(fc_port(0x010203)), of(fc_port(0x010205)));
}

TEST_F(ComponentsTest, WhoseLinksASwitchClearsAtOnceBelongTogether) {
    add(packet(fc_port(0x010203), fc_port(0x010204), Transport::fc));
    add(packet(fc_port(0x010205), fc_port(0x010206), Transport::fc));
    Packet p = packet(fc_port(0xFFFFFE), fc_port(0x010203), Transport::none);
    const traffic::Octets fip = traffic::clear_virtual_links({0x010203, 0x010205});
    p.fip_control = capture::FipControl::clear_virtual_links;
    p.segment = fip;
    add(p);
    finish();
    EXPECT_EQ(of(fc_port(0x010204)), of(fc_port(0x010206)));
}

TEST_F(ComponentsTest, WithFcipAllOfFibreChannelIsOne) {
    constexpr std::uint16_t fcip_port = 3225;
    add(packet(fc_port(0x010203), fc_port(0x010204), Transport::fc));
    add(packet(fc_port(0x010205), fc_port(0x010206), Transport::fc));
    Packet p = segment(host(1), host(2));
    p.tcp.destination_port = fcip_port;
    add(p);
    finish();
    EXPECT_EQ(of(fc_port(0x010203)), of(fc_port(0x010205)));
    EXPECT_EQ(of(fc_port(0x010203)), of(host(2)));
}

TEST_F(ComponentsTest, WithASecondVlanAllOfFibreChannelIsOne) {
    const auto exchange = [&](std::uint32_t port, std::uint16_t vlan) {
        Packet p = packet(fc_port(port), fc_port(port + 1), Transport::fc);
        p.ether_type = 0x8906;
        p.vlan = vlan;
        add(p);
    };
    exchange(0x010201, 0);
    exchange(0x010203, 100);
    exchange(0x010205, 100);
    Components one_vlan = components_;
    one_vlan.finish();
    exchange(0x010207, 200);
    finish();
    EXPECT_EQ(one_vlan.list().size(), 3U);
    for (const std::uint32_t port : {0x010203, 0x010205, 0x010207}) EXPECT_EQ(of(fc_port(port)), of(fc_port(0x010201)));
}

TEST_F(ComponentsTest, TooManyAddressesAreTold) {
    Address address = fc_port(0);
    address.kind = Address::Kind::ipv6;
    for (std::uint32_t i = 0; i <= Components::most_addresses; ++i) {
        address.bytes[0] = 0x20;
        address.bytes[4] = static_cast<std::uint8_t>(i >> 16);
        address.bytes[5] = static_cast<std::uint8_t>(i >> 8);
        address.bytes[6] = static_cast<std::uint8_t>(i);
        ASSERT_EQ(components_.full(), false) << i;
        address.bytes[3] = static_cast<std::uint8_t>(i >> 24);
        add(segment(address, {}), 1);
    }
    EXPECT_TRUE(components_.full());
}

}  // namespace
}  // namespace fabricscope::engine
