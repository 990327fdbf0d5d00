// SPDX-License-Identifier: GPL-2.0-or-later
// What waits owns its octets: all buffers here are freed as soon as they have been handed in, so that AddressSanitizer
// sees any view that was kept.
#include "analyzer/engine/smcr/waiting_room.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/engine/conversation.h"
#include "tests/unit/engine/ib_packets.h"

namespace fabricscope::engine::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;
using enum Side;

Octets octets_of(ByteView view) { return {view.begin(), view.end()}; }

/// A packet whose octets lie on the heap, where every view of it points; all is gone with it.
struct Frame {
    Frame(std::uint8_t from, std::uint8_t to, Time time, Octets payload) : octets(std::move(payload)) {
        packet = test::ib_packet(from, to, 0x14, test::ib_send_only, 1, octets);
        packet.time = time;
        packet.number = 7;
        packet.segment = packet.ib.covered = packet.udp.payload = packet.tcp.payload = packet.tcp.options = octets;
        packet.fc.emplace();
    }
    Octets octets;
    capture::Packet packet;
};

Octets confirm_link() {
    Octets octets{1, 44, 0};
    for (const std::uint8_t octet : layout::octets_of(wire::ConfirmLink{})) octets.push_back(octet);
    octets.resize(wire::llc_size);
    return octets;
}

// ---- what is held --------------------------------------------------------------------------------

TEST(HeldPacket, OwnsItsPayloadAndNothingElse) {
    auto frame = std::make_unique<Frame>(10, 20, 5, Octets{1, 2, 3});
    HeldPacket held(frame->packet, frame->packet.ib.payload);
    frame.reset();
    const capture::Packet packet = held.packet();
    const HeldPacket moved = std::move(held);
    EXPECT_EQ(octets_of(packet.ib.payload), (Octets{1, 2, 3})) << "moving keeps the view";
    const std::vector<HeldPacket> copies(2, moved);
    EXPECT_EQ(octets_of(copies[1].packet().ib.payload), (Octets{1, 2, 3}));
    EXPECT_NE(copies[1].packet().ib.payload.data(), packet.ib.payload.data());
    EXPECT_EQ(packet.number, 7U);
    EXPECT_EQ(packet.time, 5);
    EXPECT_EQ(packet.ib.bth.destination_qpn, 0x14U);
    EXPECT_EQ(packet.ib.payload_length, 3U);
    EXPECT_EQ(packet.destination, test::ib_port(20));
    EXPECT_TRUE(packet.segment.empty() && packet.ib.covered.empty() && packet.udp.payload.empty());
    EXPECT_TRUE(packet.tcp.payload.empty() && packet.tcp.options.empty() && !packet.fc);
}

TEST(HeldWrite, OwnsItsOctets) {
    auto octets = std::make_unique<Octets>(Octets{1, 2, 3});
    HeldWrite held({9, 3, *octets, true, true, 5, 30});
    octets.reset();
    const HeldWrite moved = std::move(held);
    const Flow::Write write = moved.at(100);
    EXPECT_EQ(octets_of(write.octets), (Octets{1, 2, 3}));
    EXPECT_EQ(write.offset, 100U);
    EXPECT_EQ(write.length, 3U);
    EXPECT_TRUE(write.first && write.late);
    EXPECT_EQ(write.time, 5);
    EXPECT_EQ(write.operation, 30U);
}

// ---- the room ------------------------------------------------------------------------------------

class WaitingRoomTest : public ::testing::Test {
protected:
    void hold(std::uint8_t from, std::uint8_t to, Time time, const Octets& octets = confirm_link()) {
        const auto frame = std::make_unique<Frame>(from, to, time, octets);
        EXPECT_TRUE(room.expects(frame->packet));
        room.hold(frame->packet);
    }
    bool hold_write(std::uint64_t number) {
        const auto frame = std::make_unique<Frame>(10, 20, 0, Octets{static_cast<std::uint8_t>(number)});
        frame->packet.number = number;
        FrameFacts facts;
        GroupHistory history;
        const Arrival a{3, 1, server, &frame->packet, &facts, &history, true, {{4, 5}}, false};
        const HeldWrite write({0, 1, frame->octets, true, false, 0});
        return room.hold({a, WaitingData::Write{write, 0x50, 0x1000}});
    }
    /// Admits what waits; nothing, or everything, finds its place.
    void admit(bool takes) {
        payloads.clear(), frames.clear(), overdue.clear();
        if (!room.ready()) return;
        const auto note = [&](std::uint64_t frame, bool late) { frames.push_back(frame), overdue.push_back(late); };
        room.admit(
            [&](const capture::Packet& packet, bool late) {
                EXPECT_TRUE(room.admitting());
                note(packet.number, late);
                payloads.push_back(octets_of(packet.ib.payload));
                return takes;
            },
            [&](const WaitingData& data, bool late) {
                note(data.packet.number(), late);
                payloads.push_back(octets_of(std::get<WaitingData::Write>(data.content).write.at(0).octets));
                return takes;
            });
        EXPECT_FALSE(room.admitting());
    }

    static constexpr std::size_t most = 20;
    WaitingRoom room{most};
    std::vector<Octets> payloads;
    std::vector<std::uint64_t> frames;
    std::vector<bool> overdue;
};

TEST_F(WaitingRoomTest, WhatBeginsALinkWaitsAndWhatFollowsBetweenItsPorts) {
    const Frame data(10, 20, 0, {1, 2, 3}), elsewhere(10, 30, 0, {1, 2, 3});
    EXPECT_FALSE(room.expects(data.packet));
    hold(10, 20, 0);
    EXPECT_TRUE(room.expects(data.packet));
    EXPECT_FALSE(room.expects(elsewhere.packet));
    hold(20, 10, 0, {4, 5, 6});
    room.announce();
    admit(true);
    EXPECT_EQ(payloads, (std::vector<Octets>{confirm_link(), {4, 5, 6}}));
    EXPECT_EQ(overdue, (std::vector<bool>{false, false}));
    EXPECT_FALSE(room.expects(data.packet)) << "nothing waits any more";
}

TEST_F(WaitingRoomTest, NobodyIsAskedWithoutNewsOrBeforeTheTime) {
    hold(10, 20, 1000);
    room.advance(1000 + WaitingRoom::patience);
    admit(false);
    EXPECT_TRUE(frames.empty());
    room.announce();
    admit(false);
    EXPECT_EQ(frames.size(), 1U);
    admit(false);
    EXPECT_TRUE(frames.empty()) << "the news are old";
    room.advance(1001 + WaitingRoom::patience);
    admit(false);
    EXPECT_EQ(overdue, std::vector<bool>{true});
    admit(true);
    admit(true);
    EXPECT_TRUE(frames.empty());
}

TEST_F(WaitingRoomTest, AtTheEndAllIsOverdue) {
    hold(10, 20, 0);
    hold_write(8);
    EXPECT_TRUE(room.holds_data());
    room.close();
    admit(true);
    EXPECT_EQ(overdue, (std::vector<bool>{true, true}));
    EXPECT_EQ(payloads.back(), Octets{8});
    EXPECT_FALSE(room.holds_data());
    EXPECT_TRUE(room.closed());
    room.advance(1);
    EXPECT_FALSE(room.closed()) << "there was more";
}

TEST_F(WaitingRoomTest, AnArrivalIsMadeAnew) {
    hold_write(8);
    room.announce();
    room.admit(
        [](const capture::Packet&, bool) { return true; },
        [](const WaitingData& data, bool) {
            const capture::Packet packet = data.packet.packet();
            EXPECT_TRUE(packet.ib.payload.empty()) << "it is in the WRITE";
            FrameFacts facts;
            GroupHistory history;
            const Arrival a = data.arrival(packet, facts, history);
            EXPECT_EQ(a.group, 3U);
            EXPECT_EQ(a.link, 1U);
            EXPECT_EQ(a.from, server);
            EXPECT_TRUE(a.packet == &packet && a.facts == &facts && a.history == &history);
            EXPECT_TRUE(a.late && !a.one_interface);
            EXPECT_EQ(a.gaps[server], 5U);
            EXPECT_EQ(a.step().frame, 8U);
            return true;
        });
}

TEST_F(WaitingRoomTest, WhenItIsFullWhatWaitsGoesFirst) {
    for (std::uint64_t i = 0; i < most; ++i) {
        EXPECT_FALSE(room.full());
        hold(10, 20, 0);
    }
    EXPECT_TRUE(room.full());
    std::size_t admitted = 0;
    room.admit_packets([&](const capture::Packet&, bool late) {
        EXPECT_TRUE(late && room.admitting());
        ++admitted;
        return true;
    });
    EXPECT_EQ(admitted, most);
    EXPECT_FALSE(room.full());
    EXPECT_FALSE(room.admitting());
}

TEST_F(WaitingRoomTest, TheOldestDataOfTooMuchAreLost) {
    for (std::uint64_t i = 0; i <= most; ++i) EXPECT_EQ(hold_write(i), i == most) << "whether something was lost";
    room.announce();
    admit(true);
    ASSERT_EQ(frames.size(), most);
    EXPECT_EQ(frames.front(), 1U);
}

// ---- with all the rest of the engine -------------------------------------------------------------

// World frees each packet's octets when the tracker has taken it.
TEST(WaitingRoom, ALinkWhoseAnnouncementComesLate) {
    const Octets hello{'h', 'e', 'l', 'l', 'o'};
    test::World w;
    w.interface = 1;
    w.confirm_link();
    w.write(client, 0x5001, 0, hello);
    w.cdc(client, 0x101, 1, {0, 5}, {0, 0});
    w.interface = 0;
    w.port = {{test::Port{10, 0x11, 100}, test::Port{20, 0x14, 0xFFFFFE}}};
    w.rendezvous(1, true);
    w.tracker.finish();
    ASSERT_EQ(w.tracker.model().connections.size(), 1U);
    EXPECT_EQ((w.streams[{1, client}]), hello);
    EXPECT_EQ(w.group(1).links.at(0).state, LinkState::active);
    EXPECT_TRUE(w.connection(1).setup.confirm_link);
}

TEST(WaitingRoom, DataFromBeforeTheConnectionThatHasTheirElementNow) {
    const Octets hello{'h', 'e', 'l', 'l', 'o'};
    test::World w;
    w.confirm_link();
    w.write(client, 0x5001, 0, hello);
    w.pass(capture::second);
    w.port = {{test::Port{10, 0x11, 100}, test::Port{20, 0x14, 0xFFFFFE}}};
    w.rendezvous(1, true);
    w.tracker.finish();
    EXPECT_EQ(w.connection(1).from[client].bytes_written, 0U);
}

TEST(WaitingRoom, DataWhoseConnectionNeverComes) {
    const Octets hello{'h', 'e', 'l', 'l', 'o'};
    test::World w;
    w.connect(1, true);
    w.interface = 1;
    w.write(client, 0x5002, 0, hello);
    w.cdc(client, 0x102, 1, {0, 5}, {0, 0});
    w.pass(3 * capture::second);
    w.acknowledge(server);
    ASSERT_EQ(w.tracker.model().connections.size(), 2U) << "the message is believed to be of a connection made before";
    EXPECT_TRUE(w.connection(2).midstream);
    w.tracker.finish();
    EXPECT_EQ(w.connection(2).from[client].bytes_written, 0U);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
