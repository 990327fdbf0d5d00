// SPDX-License-Identifier: GPL-2.0-or-later
// Link services of emulated N_Ports beside their logins: ADISC, FAN, RTV, PRLO (FC-LS; ISO/IEC 14165-331, 7.7).
#include <gmock/gmock.h>

#include <set>

#include "tests/unit/synth/fc_ports.h"

namespace fabricscope::stack::fibre_channel::fc_n_port_test {
namespace {

using namespace test;
using What = NPortEvent::What;

HostConfig with_processes(std::uint8_t number) {
    HostConfig config = host_config(number);
    config.port.process_parameters = 0x33;
    return config;
}

struct NPorts : testing::Test {
    TestHost a{with_processes(1)}, b{with_processes(2)};
    FabricServices services = make_services({.e_d_tov = 3 * second, .r_a_tov = 12 * second});
    Ports ports{a, b, services};

    void SetUp() override { ports.log_in(); }
    const NPortEvent* event(What what) const {
        const auto found = std::ranges::find(a.events, what, &NPortEvent::what);
        return found == a.events.end() ? nullptr : &*found;
    }
};

TEST_F(NPorts, FindEachOtherAsTheyWere) {
    ports.at_once([&](Time now) { a.port().validate(now), b.port().validate(now); });
    ASSERT_NE(event(What::validated), nullptr);
    EXPECT_EQ(event(What::validated)->peer, id_of_b);
    EXPECT_EQ(b.count(What::validated), 1U);
    EXPECT_NE(a.port().remote(id_of_b), nullptr);
}

TEST_F(NPorts, LogOutWhoIsAnotherOneNow) {
    RemotePort other = *a.port().remote(id_of_b);
    ++other.node_name;
    a.port().assume(other);
    ports.at_once([&](Time now) { a.port().validate(now); });
    EXPECT_EQ(event(What::validated), nullptr);
    EXPECT_EQ(a.count(What::logged_out), 1U);
    EXPECT_EQ(b.count(What::logged_out), 1U);
}

TEST_F(NPorts, LogOutWhoKnowsThemNoMore) {
    b.port().forget_login(id_of_a);
    ports.at_once([&](Time now) { a.port().validate(now); });
    EXPECT_EQ(a.count(What::logged_out), 1U) << "ADISC got LS_RJT";
}

TEST_F(NPorts, AreToldTimeouts) {
    ports.at_once([&](Time now) { a.port().read_timeouts(now, id_of_b); });
    ASSERT_NE(event(What::timeouts), nullptr);
    EXPECT_EQ(event(What::timeouts)->e_d_tov, 2 * second);
    a.events.clear();
    ports.at_once([&](Time now) { a.port().read_timeouts(now, fc::f_port_server); });
    ASSERT_NE(event(What::timeouts), nullptr);
    EXPECT_EQ(event(What::timeouts)->peer, fc::f_port_server);
    EXPECT_EQ(event(What::timeouts)->r_a_tov, 10 * second) << "as FLOGI said";
}

TEST_F(NPorts, LogTheirProcessesOut) {
    ASSERT_TRUE(a.port().remote(id_of_b)->process_login);
    ASSERT_TRUE(b.port().remote(id_of_a)->process_login);
    ports.at_once([&](Time now) { a.port().log_processes_out(now, id_of_b); });
    for (const TestHost* host : {&a, &b}) EXPECT_EQ(host->count(What::processes_logged_out), 1U);
    EXPECT_FALSE(a.port().remote(id_of_b)->process_login);
    EXPECT_FALSE(b.port().remote(id_of_a)->process_login) << "the ports stay logged in";
}

TEST_F(NPorts, GoOnInTheSameFabric) {
    ports.at_once([&](Time now) { services.announce(now); });
    ASSERT_NE(event(What::validated), nullptr);
    EXPECT_EQ(event(What::validated)->peer, fc::f_port_server);
    EXPECT_EQ(a.count(What::logged_out), 0U);
}

TEST_F(NPorts, BeginAnewInAnotherFabric) {  // 7.7.4
    fc::Fan fan;
    fan.fabric_port_name = fan.fabric_name = fabric_name + 1;
    std::vector<OutgoingFrame> frames;
    Exchanges other_fabric({}, 0, frames, Random(9));
    other_fabric.set_port_id(fc::f_port_server);
    OutgoingIu iu;
    iu.r_ctl = fc::r_ctl_els_request;
    iu.payload = layout::octets_of(fan);
    iu.last_sequence = true;
    other_fabric.send(ports.now(), other_fabric.open(fc::type_els, id_of_a), std::move(iu));
    ports.at_once([&](Time now) { a.on_frame(now, 0, frames.at(0).octets); });
    EXPECT_EQ(a.count(What::logged_out), 1U) << "explicitly";
    EXPECT_EQ(b.count(What::logged_out), 1U);
    const auto is_flogi = [](const fc::FrameHeader& header) {
        return header.s_id == id_of_a && header.d_id == fc::f_port_server && header.r_ctl == fc::r_ctl_els_request;
    };
    EXPECT_TRUE(std::ranges::any_of(ports.sent, is_flogi));
}

// ---- identifiers of Exchanges ---------------------------------------------------------------------

struct LonelyPort {
    std::vector<OutgoingFrame> out;
    Exchanges exchanges{{}, 0, out, Random(1)};

    ExchangeHandle open() { return exchanges.open(test_type, id_of_b); }
    void complete(ExchangeHandle exchange) { exchanges.send(0, exchange, {.last_sequence = true}); }
    fc::FrameHeader last_sent() const { return decode(out.back().octets, Link::fibre).fc->frame.header; }
};

TEST(NPort, LoggedInPointToPointDoesNotLogInAgain) {
    TestHost a{host_config(1)}, b{host_config(2)};
    Fabric fabric(1, 0);
    fabric.attach(a, 0), fabric.attach(b, 0);
    fabric.set_routing([](PortId from, ByteView) { return 1 - from; });
    std::size_t logins = 0;
    fabric.set_tap([&](const TappedFrame& frame) {
        const capture::Packet packet = decode(frame.octets, Link::fibre);
        logins += frame.moment == TappedFrame::Moment::sent && packet.fc->frame.header.d_id == fc::f_port_server;
    });
    fabric.at(0, [&] { b.port().start(fabric.now()); });
    fabric.at(millisecond, [&] { a.port().start(fabric.now()); });
    fabric.run(100 * second);
    EXPECT_EQ(logins, 1U) << "the first one was answered";
    EXPECT_EQ(a.count(What::online), 1U);
    EXPECT_EQ(b.count(What::online), 1U);
}

TEST(FcExchanges, IdentifiersOfCompleteOnesAreUsedAgain) {
    LonelyPort port;
    std::set<std::pair<std::uint16_t, std::uint8_t>> sent;
    for (unsigned i = 0; i < 70'000; ++i) {
        const ExchangeHandle exchange = port.open();
        ASSERT_NE(exchange, 0U);
        port.complete(exchange);
        const fc::FrameHeader header = port.last_sent();
        ASSERT_NE(header.ox_id, fc::unassigned_x_id);
        // A frame can be told from a late copy of one that had the same identifier.
        ASSERT_TRUE(sent.emplace(header.ox_id, header.seq_id).second);
        port.out.clear();
    }
}

TEST(FcExchanges, IdentifiersOfOpenOnesAreNot) {
    LonelyPort port;
    const ExchangeHandle first = port.open();
    for (unsigned i = 1; i < fc::unassigned_x_id; ++i) ASSERT_NE(port.open(), 0U);
    EXPECT_EQ(port.open(), 0U);
    port.complete(first);
    EXPECT_NE(port.open(), 0U);
    EXPECT_EQ(port.open(), 0U);
}

TEST(FcExchanges, IdentifiersOfAnsweredOnesAreUsedAgain) {
    LonelyPort port, peer;
    User user, peers_user;
    port.exchanges.set_user(test_type, user);
    peer.exchanges.set_user(test_type, peers_user);
    const auto deliver = [](LonelyPort& from, LonelyPort& to) {
        for (const OutgoingFrame& frame : std::exchange(from.out, {})) to.exchanges.on_frame(0, frame.octets);
    };
    const ExchangeHandle asked = port.open();
    for (unsigned i = 1; i < fc::unassigned_x_id; ++i) ASSERT_NE(port.open(), 0U);
    const Octets several_frames(5'000);
    port.exchanges.send(0, asked, {.payload = several_frames});
    deliver(port, peer);
    ASSERT_EQ(peers_user.received.size(), 1U);
    peer.exchanges.send(0, peers_user.exchange, {.payload = several_frames, .last_sequence = true});
    EXPECT_EQ(port.open(), 0U);
    deliver(peer, port);
    ASSERT_EQ(user.received.size(), 1U);
    EXPECT_NE(port.open(), 0U);
    EXPECT_EQ(port.open(), 0U);
}

TEST(FcExchanges, IdentifiersOfAbortedOnesAreUsedAgainAfterRATov) {
    LonelyPort port;
    const ExchangeHandle first = port.open(), second = port.open();
    for (unsigned i = 2; i < fc::unassigned_x_id; ++i) ASSERT_NE(port.open(), 0U);
    port.exchanges.abort(0, first);
    EXPECT_EQ(port.open(), 0U);
    port.exchanges.abort(port.exchanges.r_a_tov(), second);
    EXPECT_NE(port.open(), 0U) << "that of the first one";
    EXPECT_EQ(port.open(), 0U);
}

}  // namespace
}  // namespace fabricscope::stack::fibre_channel::fc_n_port_test
