// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/net/tcp.h"

#include <gtest/gtest.h>

#include <list>

#include "protocols/builders/frame_builder.h"
#include "protocols/net/internet_checksum.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack::tcp_test {
namespace {

const Octets smc_option{254, 6, 0xE2, 0xD4, 0xC3, 0xD9};

TcpConfig config(std::uint32_t sequence, bool option = true) {
    TcpConfig config;
    config.initial_sequence = sequence;
    if (option) config.syn_option = smc_option;
    return config;
}

/// Two connections and the segments between them.
class Wire {
public:
    Wire(TcpConfig client_config, TcpConfig server_config, std::uint64_t seed = 1, std::uint32_t loss = 0)
        : client(std::move(client_config)), server(std::move(server_config)), random_(seed), loss_(loss) {}

    void run(Time limit = 3600 * second) {
        while (now < limit) {
            now += microsecond;
            const bool to_server = carry(client, to_server_, true), to_client = carry(server, to_client_, false);
            if (to_server || to_client) continue;
            const Time next = std::min(client.wakeup(), server.wakeup());
            if (next == never) return;
            now = std::max(now, next);
            client.on_timer(now), server.on_timer(now);
        }
    }

    Time now = 0;
    TcpConnection client, server;
    unsigned segments = 0;

private:
    bool carry(TcpConnection& from, std::list<TcpSegmentOut>& way, bool to_server) {
        for (TcpSegmentOut& segment : from.take_segments()) way.push_back(std::move(segment));
        if (way.empty()) return false;
        auto next = way.begin();
        if (way.size() > 1 && random_.chance(loss_)) ++next;
        const TcpSegmentOut out = std::move(*next);
        way.erase(next);
        ++segments;
        if (random_.chance(loss_)) return true;
        capture::TcpSegment segment;
        segment.sequence = out.fields.sequence;
        segment.acknowledgment = out.fields.acknowledgment;
        segment.flags = out.fields.flags;
        segment.options = out.options;
        segment.payload = out.payload;
        segment.payload_length = static_cast<std::uint32_t>(out.payload.size());
        TcpConnection& to = to_server ? server : client;
        if (to_server && segment.has(capture::syn) && !server_open_) server_open_ = true, to.accept(now, segment);
        else to.on_segment(now, segment);
        return true;
    }

    std::list<TcpSegmentOut> to_server_, to_client_;
    Random random_;
    std::uint32_t loss_;
    bool server_open_ = false;
};

TEST(Tcp, ADamagedSegmentIsKnown) {
    builders::FrameBuilder builder;
    for (const Gid& ip : {builders::gid_of({{192, 0, 2, 10}}), Gid{{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1}}}) {
        builders::FrameEnds ends;
        ends.source = ends.destination = ip;
        for (const std::size_t size : {0U, 1U, 700U}) {
            const ByteView built = builder.tcp(ends, {40'000, 1, 1, 1, capture::ack, 500}, {}, Octets(size, 7));
            const Octets frame(built.begin(), built.end());
            const capture::Packet right = capture::decode(ethernet_frame(frame));
            EXPECT_FALSE(is_damaged(right));
            const std::size_t begin = right.tcp.header_offset;
            // Reserved bits, checksum and urgent pointer as well as ports, but not what would make it no segment.
            for (const std::size_t at : {begin, begin + 5, begin + 17, begin + 19, frame.size() - 1}) {
                Octets wrong = frame;
                wrong[at] ^= 0x10;
                EXPECT_TRUE(is_damaged(capture::decode(ethernet_frame(wrong)))) << at;
            }
            // As Linux hands it to an interface that completes it (CHECKSUM_PARTIAL).
            std::uint32_t sum = net::checksum_sum(right.source.bytes, net::checksum_sum(right.destination.bytes));
            const std::uint16_t begun = ~net::checksum_of(sum + 6 + static_cast<std::uint32_t>(frame.size() - begin));
            Octets offloaded = frame;
            offloaded[begin + 16] = static_cast<std::uint8_t>(begun >> 8);
            offloaded[begin + 17] = static_cast<std::uint8_t>(begun);
            EXPECT_FALSE(is_damaged(capture::decode(ethernet_frame(offloaded))));
            const Octets cut(frame.begin(), frame.end() - (size == 0 ? 0 : 1));
            capture::Frame snapped = ethernet_frame(cut);
            snapped.wire_length = static_cast<std::uint32_t>(frame.size());
            EXPECT_FALSE(is_damaged(capture::decode(snapped)));
        }
    }
}

TEST(Tcp, HandshakeWithTheOptionOfBothSides) {
    for (const bool client_has : {true, false})
        for (const bool server_has : {true, false}) {
            Wire wire(config(0xFFFF'FFFE, client_has), config(100, server_has));
            wire.client.connect(0);
            wire.run();
            EXPECT_EQ(wire.client.state(), TcpState::established);
            EXPECT_EQ(wire.server.state(), TcpState::established);
            EXPECT_EQ(wire.segments, 3U);
            EXPECT_EQ(wire.client.peer_has_option(), client_has && server_has);
            EXPECT_EQ(wire.server.peer_has_option(), client_has && server_has);
        }
}

TEST(Tcp, OrderlyEnd) {
    Wire wire(config(1), config(2));
    wire.client.connect(0);
    wire.run();
    wire.client.write(wire.now, Octets(5000, 7));
    wire.client.close(wire.now);
    wire.run(wire.now + second);
    EXPECT_EQ(wire.server.received(), Octets(5000, 7));
    EXPECT_TRUE(wire.server.peer_closed());
    EXPECT_EQ(wire.client.state(), TcpState::fin_wait_2);
    wire.server.close(wire.now);
    wire.run();
    EXPECT_TRUE(wire.server.over());
    EXPECT_TRUE(wire.client.over()) << "after TIME-WAIT";
    EXPECT_FALSE(wire.client.was_reset());
}

TEST(Tcp, Abort) {
    Wire wire(config(1), config(2));
    wire.client.connect(0);
    wire.run();
    wire.server.abort(wire.now);
    wire.run();
    EXPECT_TRUE(wire.client.was_reset());
    EXPECT_TRUE(wire.client.over());
}

TEST(Tcp, WaitsTwiceAsLongBeforeEachRetransmission) {
    TcpConnection client(config(1));
    client.connect(0);
    std::vector<Time> waited;
    Time sent = 0;
    for (Time now = 0; now != never; now = client.wakeup()) {
        client.on_timer(now);
        if (client.take_segments().empty()) continue;
        if (now != 0) waited.push_back(now - sent);
        sent = now;
    }
    const Time first = TcpConfig{}.retransmit_after;
    EXPECT_EQ(waited, (std::vector<Time>{first, 2 * first, 4 * first, 8 * first, 16 * first, 32 * first}));
    EXPECT_TRUE(client.was_reset());
}

TEST(Tcp, EverythingArrivesInOrder) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random plan(seed);
        Wire wire(config(plan.bits(32)), config(plan.bits(32)), seed, static_cast<std::uint32_t>(plan.below(60'000)));
        wire.client.connect(0);
        wire.run();
        if (!wire.server.established()) continue;  // seven losses in a row
        Octets sent;
        for (int i = 0; i < 10; ++i) {
            Octets part(plan.below(4000));
            for (std::uint8_t& octet : part) octet = static_cast<std::uint8_t>(plan.next());
            sent.insert(sent.end(), part.begin(), part.end());
            wire.client.write(wire.now, part);
            if (plan.below(2) == 0) wire.run();
        }
        wire.client.close(wire.now);
        wire.run(wire.now + 300 * second);
        EXPECT_EQ(wire.server.received(), sent) << "seed " << seed;
        EXPECT_TRUE(wire.server.peer_closed()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace fabricscope::stack::tcp_test
