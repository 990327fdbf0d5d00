// SPDX-License-Identifier: GPL-2.0-or-later
// What began before the capture: links, RMBs, connections.
#include "analyzer/engine/smcr/midstream.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/ib_packets.h"

namespace fabricscope::engine::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;
using enum Side;

class MidstreamTest : public ::testing::Test {
protected:
    static Options small() {
        Options options;
        options.limits.connections = 3;
        options.limits.midstream_groups = 3;
        return options;
    }
    /// A CDC message from host 10 to host 20, or back.
    std::optional<QueuePairRef> send(std::uint32_t psn, std::uint32_t qpn = 0x14, bool back = false) {
        const Octets octets = layout::octets_of(cdc(0x101, 0, 0));
        const capture::Packet p = test::ib_packet(back ? 20 : 10, back ? 10 : 20, qpn, test::ib_send_only, psn, octets);
        const auto end = midstream.identify(p);
        if (end) links.at(end->group).queue_pairs[end->link]->receive(p, other(end->side), {});
        return end;
    }
    std::optional<QueuePairRef> write(std::uint32_t qpn, std::uint64_t address, ByteView octets) {
        return midstream.identify(test::ib_write(10, 20, qpn, 1, {address, 0x50, 4}, octets));
    }
    Arrival arrival(Side from, std::uint32_t group = 1) {
        return {group, 0, from, &packet, &facts, &links.at(group).history};
    }
    static wire::Cdc cdc(std::uint32_t token, std::uint32_t producer, std::uint32_t consumer) {
        wire::Cdc message;
        message.alert_token = token;
        message.producer.offset = producer;
        message.consumer.offset = consumer;
        return message;
    }
    /// Takes a message in; `session` is whom its token names.
    Session& take(Side from, const wire::Cdc& message, Session* session = nullptr, std::uint32_t group = 1) {
        Session& of = session != nullptr ? midstream.whole(arrival(from, group), message, *session)
                                         : *midstream.begin_connection(arrival(from, group), message);
        sessions.on_cdc(of, from, message, (facts.from = from, facts));
        return of;
    }

    Options options = small();
    Observer observer;
    Model model;
    Sessions sessions{options, observer, model};
    LinkTable links{options, model, sessions};
    Midstream midstream{options, links, sessions};
    capture::Packet packet;
    FrameFacts facts;
};

TEST_F(MidstreamTest, ASendThatCanOnlyBeSmcrsMakesItsLinkKnown) {
    EXPECT_EQ(send(100), (QueuePairRef{1, 0, server}));
    const LinkGroup& group = model.link_groups.at(0);
    EXPECT_FALSE(group.roles_known || group.from_start);
    EXPECT_EQ(group.links.at(0).state, LinkState::active);
    EXPECT_EQ(group.links[0].end[server].qpn, 0x14U);
    EXPECT_FALSE(group.links[0].end[client].qpn);
    EXPECT_EQ(send(900, 0x11, true), (QueuePairRef{1, 0, client})) << "the other end of the same link";
}

TEST_F(MidstreamTest, AFurtherPairOfQueuePairsBetweenTheSamePortsIsAnotherGroups) {
    EXPECT_EQ(send(100), (QueuePairRef{1, 0, server}));
    EXPECT_EQ(send(900, 0x11, true), (QueuePairRef{1, 0, client}));
    EXPECT_EQ(send(300, 0x15), (QueuePairRef{2, 0, server})) << "no link group has two links between two ports";
    EXPECT_EQ(send(700, 0x12, true), (QueuePairRef{2, 0, client}));
}

TEST_F(MidstreamTest, WhereItMayBelongToSeveralGroupsTheCursorsTell) {
    for (const std::uint32_t produced : {1000U, 2000U}) {
        const auto end = send(produced, produced);
        ASSERT_TRUE(end);
        take(client, cdc(produced, produced, 0), nullptr, end->group);
    }
    const auto back = [&](std::uint32_t consumed) {
        const Octets octets = layout::octets_of(cdc(0x201, 0, consumed));
        return midstream.identify(test::ib_packet(20, 10, 0x11, test::ib_send_only, 50, octets));
    };
    EXPECT_FALSE(back(3000)) << "could be either's";
    EXPECT_EQ(back(2000), (QueuePairRef{2, 0, client}));
}

TEST_F(MidstreamTest, OtherTrafficIsNotClaimed) {
    const Octets octets(44, 0x77);
    EXPECT_FALSE(midstream.identify(test::ib_packet(10, 20, 0x14, test::ib_send_only, 1, octets)));
    EXPECT_FALSE(midstream.identify(test::ib_acknowledgement(20, 10, 0x11, 1)));
    EXPECT_FALSE(write(0x14, 0x1000, octets));
    EXPECT_TRUE(model.link_groups.empty());
}

TEST_F(MidstreamTest, GroupsAreBounded) {
    for (const std::uint32_t qpn : {0x14U, 0x15U, 0x16U}) EXPECT_TRUE(send(100, qpn));
    EXPECT_FALSE(send(100, 0x17));
    const Octets octets = layout::octets_of(cdc(0x101, 0, 0));
    EXPECT_FALSE(midstream.identify(test::ib_packet(10, 30, 0x14, test::ib_send_only, 1, octets)));
}

TEST_F(MidstreamTest, AnAcknowledgementBelongsToTheLinkWhoseRequestsItAcknowledges) {
    const auto identify = [&](std::uint32_t psn) {
        return midstream.identify(test::ib_acknowledgement(20, 10, 0x11, psn));
    };
    send(100);
    send(5000, 0x15);
    EXPECT_FALSE(identify(101)) << "not sent yet";
    EXPECT_FALSE(identify(30)) << "long ago";
    EXPECT_EQ(identify(4990), (QueuePairRef{2, 0, client}));
    send(120, 0x16);
    EXPECT_FALSE(identify(90)) << "could be either link's";
}

TEST_F(MidstreamTest, AnAcknowledgementCorrectsAGuess) {
    send(100);
    EXPECT_EQ(send(900, 0x12, true), (QueuePairRef{1, 0, client})) << "of another link, as it turns out";
    const auto end = midstream.identify(test::ib_acknowledgement(20, 10, 0x11, 100));
    EXPECT_EQ(end, (QueuePairRef{1, 0, client}));
    EXPECT_EQ(model.link_groups[0].links[0].end[client].qpn, 0x11U);
    EXPECT_EQ(send(901, 0x12, true)->group, 2U);
}

TEST_F(MidstreamTest, ALinkWhoseQueuePairIsAnothersGetsNone) {
    send(100);
    links.release(Address::of(test::gid_of(20)), 0x14);
    EXPECT_EQ(send(900, 0x11, true)->group, 2U);
}

TEST_F(MidstreamTest, WritesToAQueuePairThatTurnsOutToBeALinksAreHandedOver) {
    Octets octets{1, 2, 3, 4};
    write(0x14, 0x1000, octets);
    write(0x15, 0x2000, octets);
    octets.assign(4, 0xEE);  // the frames are gone
    send(100);
    StrayWrites& strays = links.at(1).strays[client];
    ASSERT_TRUE(strays.element_before(0, {0, 4}));
    EXPECT_EQ(strays.element_before(0, {0, 4})->address, 0x1000U);
    strays.release({0, 0x50, 0x1000}, 0, [&](const Flow::Write& released) {
        EXPECT_EQ(Octets(released.octets.begin(), released.octets.end()), (Octets{1, 2, 3, 4}));
    });
    EXPECT_FALSE(strays.element_before(0, {0, 4}));
}

TEST_F(MidstreamTest, BothHalvesOfAConnectionAreJoined) {
    send(100);
    Session& forth = take(client, cdc(0x101, 1000, 0));
    EXPECT_TRUE(forth.connection->midstream);
    EXPECT_EQ(forth.connection->alert_token[server], 0x101U);
    Session& back = take(server, cdc(0x201, 500, 1000));
    EXPECT_EQ(&back, &forth) << "it consumes what the other one has produced";
    EXPECT_EQ(forth.connection->alert_token[client], 0x201U);
    EXPECT_EQ(links.at(1).rmbs.connection_of(client, 0x201), 1U);
}

TEST_F(MidstreamTest, HalvesAreJoinedLaterWhenTheCursorsMeet) {
    send(100);
    Session& forth = take(client, cdc(0x101, 1000, 0));
    Session& back = take(server, cdc(0x201, 500, 900));
    EXPECT_NE(&back, &forth) << "it consumes something else";
    Session& joined = take(server, cdc(0x201, 500, 1000), &back);
    EXPECT_EQ(&joined, &forth);
    EXPECT_TRUE(model.connections.at(1).merged);
    EXPECT_EQ(model.connections.at(1).merged_into, 1U);
    EXPECT_EQ(links.at(1).rmbs.connection_of(client, 0x201), 1U);
    EXPECT_EQ(model.link_groups.at(0).connections, std::vector<std::uint32_t>{1});
}

TEST_F(MidstreamTest, HalvesThatCouldBelongToTwoStayApart) {
    send(100);
    take(client, cdc(0x101, 1000, 0));
    take(client, cdc(0x102, 1000, 0));
    EXPECT_EQ(take(server, cdc(0x201, 500, 1000)).connection->id, 3U);
    EXPECT_EQ(midstream.begin_connection(arrival(client), cdc(0x103, 1, 0)), nullptr) << "too many connections";
}

TEST_F(MidstreamTest, AHalfWhoseRmbWasAnnouncedLaterIsNotTheOthers) {
    send(100);
    packet.number = 10;
    Session& first = take(client, cdc(0x101, 1000, 0));
    packet.number = 20;
    Session& second = take(client, cdc(0x102, 1000, 0));
    Session& back = take(server, cdc(0x201, 500, 1000));
    EXPECT_NE(&back, &first) << "could be either's";
    const auto rmb = links.at(1).rmbs.announce(client, {0, 0x50, 0x1000}, 15);
    back.connection->element[client] = RmbElement{*rmb, 1};
    EXPECT_EQ(&take(server, cdc(0x201, 500, 1000), &back), &second) << "the first one had begun before";
    EXPECT_EQ(second.connection->alert_token[client], 0x201U);
}

TEST_F(MidstreamTest, WhereTheOrderIsNotKnownItTellsNothing) {
    send(100);
    packet.number = 10;
    take(client, cdc(0x101, 1000, 0));
    packet.number = 20;
    take(client, cdc(0x102, 1000, 0));
    Session& back = take(server, cdc(0x201, 500, 1000));
    const auto rmb = links.at(1).rmbs.announce(client, {0, 0x50, 0x1000}, 15);
    back.connection->element[client] = RmbElement{*rmb, 1};
    links.at(1).history.one_interface = false;
    EXPECT_EQ(&take(server, cdc(0x201, 500, 1000), &back), &back);
}

// ---- WRITEs to unknown RMBs ----------------------------------------------------------------------

StrayWrite stray(std::uint64_t address, std::uint32_t length, std::uint32_t rkey = 0x50, Time time = 0) {
    return {0, rkey, address, HeldWrite({0, length, {}, true, false, time})};
}

TEST(StrayWrites, TheCursorTellsWhereTheElementBegins) {
    StrayWrites strays;
    EXPECT_FALSE(strays.element_before(0, {0, 100}));
    strays.keep(stray(0x1'0100, 0x40));
    EXPECT_EQ(strays.element_before(0, {0, 0x140})->address, 0x1'0000U);
    EXPECT_FALSE(strays.element_before(0, {0, 0x100})) << "no page begins there";
    EXPECT_FALSE(strays.element_before(0, {0, 0x2'0000})) << "before address 0";
    EXPECT_FALSE(strays.element_before(1, {0, 0x140})) << "another link";
}

TEST(StrayWrites, ThoseOfTheElementAreReleasedInOrder) {
    StrayWrites strays;
    for (const std::uint64_t address : {0x1'0000U, 0x0'F000U, 0x1'0010U}) strays.keep(stray(address, 0x10));
    strays.keep(stray(0x1'0020, 0x10, 0x51));
    std::vector<std::uint64_t> offsets;
    const auto note = [&](const Flow::Write& write) { offsets.push_back(write.offset); };
    strays.release({0, 0x50, 0x1'0000}, 0, note);
    EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 0x10}));
    strays.release({0, 0x51, 0x1'0000}, 0, note);
    EXPECT_EQ(offsets.back(), 0x20U);
    EXPECT_EQ(offsets.size(), 3U);
}

TEST(StrayWrites, ThoseOfTheElementsOwnerBeforeAreNotReleased) {
    StrayWrites strays;
    strays.keep(stray(0x1'0000, 0x10, 0x50, 1)), strays.keep(stray(0x1'0000, 0x20, 0x50, 5));
    std::vector<std::uint32_t> lengths;
    strays.release({0, 0x50, 0x1'0000}, 2, [&](const Flow::Write& write) { lengths.push_back(write.length); });
    EXPECT_EQ(lengths, std::vector<std::uint32_t>{0x20});
    EXPECT_TRUE(strays.empty());
}

TEST(StrayWrites, TheOldestOfTooManyIsForgotten) {
    StrayWrites strays;
    for (std::uint64_t i = 0; i <= StrayWrites::most; ++i) strays.keep(stray(0x1000 * i, 0x10));
    std::size_t released = 0;
    strays.release({0, 0x50, 0}, 0, [&](const Flow::Write& write) { released += write.offset != 0 ? 1 : 100; });
    EXPECT_EQ(released, StrayWrites::most);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
