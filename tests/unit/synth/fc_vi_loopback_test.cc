// SPDX-License-Identifier: GPL-2.0-or-later
// VIs of one node are connected with each other (VI Architecture 4.1; ISO/IEC 14165-331, 5.3.4). All of it happens in
// host A; no frame leaves it.
#include "tests/unit/synth/vi_pair.h"

namespace fabricscope::stack::vi::test::fc_vi_loopback_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t sent_well = status::done | status::op_send;
constexpr std::uint32_t received_well = status::done | status::op_receive;

struct Loopback : Pair {
    ViHandle first = 0, second_vi = 0;

    void make_two(Reliability both) { make_two(level(both), level(both)); }
    void make_two(Attributes one, Attributes other) {
        start();
        seen.clear();
        one.ptag = other.ptag = a().ptag;
        EXPECT_EQ(a().provider.create_vi(one, 0, 0, first), Return::success);
        EXPECT_EQ(a().provider.create_vi(other, 0, 0, second_vi), Return::success);
    }
    Return connect_in_turn() {
        Return accepted{};
        call([&](Time now) {
            EXPECT_EQ(a().provider.connect_wait(now, a().address(), never), Return::success);
            EXPECT_EQ(
                a().provider.connect_request(now, first, a().address(1), a().address(), 60 * second), Return::success);
        });
        run(millisecond);
        const auto request = a().provider.next_request();
        EXPECT_TRUE(request);
        if (!request) return Return::not_done;
        EXPECT_EQ(request->remote.host, a().ip);
        EXPECT_EQ(request->remote.discriminator.octets[0], 1);
        call([&](Time now) { accepted = a().provider.connect_accept(now, request->conn, second_vi); });
        run(millisecond);
        return accepted;
    }
    void ask(ViHandle vi, std::uint8_t discriminator = 7) {
        call([&](Time now) {
            EXPECT_EQ(
                a().provider.connect_peer_request(now, vi, a().address(), a().address(discriminator), 60 * second),
                Return::success);
        });
    }
    State state_of(ViHandle vi) {
        a().vi = vi;
        return a().state();
    }
};

struct LoopbackOfEachLevel : Loopback, testing::WithParamInterface<Reliability> {};
INSTANTIATE_TEST_SUITE_P(
    Levels, LoopbackOfEachLevel,
    testing::Values(Reliability::unreliable_delivery, Reliability::reliable_delivery, Reliability::reliable_reception));

TEST_P(LoopbackOfEachLevel, ClientAndServer) {
    make_two(GetParam());
    ASSERT_EQ(connect_in_turn(), Return::success);
    EXPECT_EQ(a().provider.connect_done(first), Return::success);
    EXPECT_EQ(a().provider.connect_done(second_vi), Return::success);

    a().provider.memory().write(a().base, a().memory, Octets{1, 2, 3, 4});
    call([&](Time) {
        EXPECT_EQ(a().provider.post_receive(second_vi, {.data = {a().segment(100, 0x1000)}}), Return::success);
    });
    Descriptor write{
        .operation = Operation::rdma_write,
        .remote = AddressSegment{a().base + 0x2000, a().memory},
        .data = {a().segment(4)},
        .length = 4};
    a().vi = first;
    post(a(), send_of(a(), 4));
    post(a(), write);
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(sent_well, status::done | status::op_write));
    a().vi = second_vi;
    EXPECT_THAT(a().received(), ElementsAre(received_well));
    for (const std::uint64_t place : {0x1000U, 0x2000U})
        EXPECT_THAT(a().provider.memory().read(a().base + place, a().memory, 4), ElementsAre(1, 2, 3, 4));

    a().vi = first;
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_EQ(state_of(second_vi), State::error);
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::conn_lost));
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_EQ(a().provider.destroy_vi(first), Return::success);
    EXPECT_EQ(a().provider.destroy_vi(second_vi), Return::success);
    EXPECT_THAT(seen, IsEmpty()) << "nothing has left the port";
}

TEST_F(Loopback, AttributesAreCompared) {
    Attributes larger = level(Reliability::reliable_delivery);
    larger.max_transfer_size *= 2;
    make_two(level(Reliability::reliable_delivery), larger);
    EXPECT_EQ(connect_in_turn(), Return::invalid_mtu);
    EXPECT_EQ(state_of(first), State::connect_pending) << "VI-DG 3.3.2: the client is told nothing";
}

TEST_F(Loopback, NobodyWaits) {
    make_two(Reliability::reliable_delivery);
    call([&](Time now) {
        EXPECT_EQ(
            a().provider.connect_request(now, first, a().address(1), a().address(), 60 * second), Return::success);
    });
    run(millisecond);
    EXPECT_EQ(a().provider.connect_done(first), Return::no_match);
}

TEST_F(Loopback, Peers) {
    make_two(Reliability::reliable_reception);
    ask(first);
    run(millisecond);
    EXPECT_EQ(state_of(first), State::connect_pending) << "no VI is its own peer";
    ask(second_vi);
    run(millisecond);
    EXPECT_EQ(a().provider.connect_peer_done(first), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(second_vi), Return::success);
}

/// 5.3.4: the port's name cannot decide which request is answered.
TEST_F(Loopback, PeersThatAskAtOnce) {
    make_two(Reliability::reliable_reception);
    call([&](Time now) {
        for (const ViHandle vi : {first, second_vi})
            EXPECT_EQ(
                a().provider.connect_peer_request(now, vi, a().address(), a().address(), 60 * second), Return::success);
    });
    run(millisecond);
    EXPECT_EQ(a().provider.connect_peer_done(first), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(second_vi), Return::success);
    EXPECT_EQ(state_of(first), State::connected);
    EXPECT_EQ(state_of(second_vi), State::connected);
}

/// VI-DG 3.7.6: other nodes.
TEST_F(Loopback, ANodeIsNoOtherHost) {
    make_two(Reliability::reliable_delivery);
    ASSERT_EQ(connect_in_turn(), Return::success);
    AutodiscoveryList list{.hops = 2, .count = 4};
    EXPECT_EQ(a().provider.query_system_management_info(list), Return::success);
    ASSERT_EQ(list.addresses.size(), 1U);
    EXPECT_EQ(list.addresses[0].host, b().ip);
}

/// The port acknowledges its own frames.
TEST_F(Loopback, InClass2) {
    ProviderConfig config;
    config.service_class = 2;
    start(config, config);
    seen.clear();
    Attributes attributes = level(Reliability::reliable_delivery);
    attributes.ptag = a().ptag;
    EXPECT_EQ(a().provider.create_vi(attributes, 0, 0, first), Return::success);
    EXPECT_EQ(a().provider.create_vi(attributes, 0, 0, second_vi), Return::success);
    ASSERT_EQ(connect_in_turn(), Return::success);
    call([&](Time) {
        EXPECT_EQ(a().provider.post_receive(second_vi, {.data = {a().segment(0x4000, 0x4000)}}), Return::success);
    });
    a().vi = first;
    post(a(), send_of(a(), 0x4000));
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(sent_well));
    a().vi = second_vi;
    EXPECT_THAT(a().received(), ElementsAre(received_well));
}

}  // namespace
}  // namespace fabricscope::stack::vi::test::fc_vi_loopback_test
